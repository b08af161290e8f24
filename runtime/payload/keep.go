package payload

import "reflect"

// Keep is KeepPayload of generated structs: v holds a value that is no object.
func Keep[T any](v *T, raw Raw) {
	s := reflect.ValueOf(v).Elem()
	s.SetZero()
	if f := s.FieldByName("Rest"); f.IsValid() {
		f.Addr().Interface().(*Rest).KeepPayload(raw)
	}
}
