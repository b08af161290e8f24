package payload

// Opt is a member that may be absent, null, or there. The zero value is absent.
type Opt[T any] struct {
	value T
	state state
}

type state uint8

const (
	absent state = iota
	null
	there
)

// Some is a member that is there.
func Some[T any](v T) Opt[T] { return Opt[T]{value: v, state: there} }

// Null is a member that is null.
func Null[T any]() Opt[T] { return Opt[T]{state: null} }

// Get is the value; false: the member is absent or null.
func (o Opt[T]) Get() (T, bool) { return o.value, o.state == there }

// Or is the value, or other where there is none.
func (o Opt[T]) Or(other T) T {
	if o.state == there {
		return o.value
	}
	return other
}

// IsNull reports whether the member is there as null.
func (o Opt[T]) IsNull() bool { return o.state == null }

// IsAbsent reports whether the member is not there at all.
func (o Opt[T]) IsAbsent() bool { return o.state == absent }

// OptOf reads a value or null.
func OptOf[T any](element func(*T, *Decoder) bool) func(*Opt[T], *Decoder) bool {
	return func(v *Opt[T], d *Decoder) bool {
		*v = Opt[T]{}
		if d.null() {
			v.state = null
			return true
		}
		var one T
		if !element(&one, d) {
			return false
		}
		*v = Some(one)
		return true
	}
}

// PutOpt writes the value, or null.
func PutOpt[T any](element func(T, []byte) []byte) func(Opt[T], []byte) []byte {
	return func(v Opt[T], b []byte) []byte {
		if v.state != there {
			return append(b, "null"...)
		}
		return element(v.value, b)
	}
}
