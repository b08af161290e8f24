package payload

import "reflect"

// Opt is a member that may be absent, null, or there. The zero value is absent.
type Opt[T any] struct {
	value T
	state state
}

type state uint8

const (
	missing state = iota
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
func (o Opt[T]) IsAbsent() bool { return o.state == missing }

// DecodePayload reads a value or null.
func (o *Opt[T]) DecodePayload(d *Decoder) bool {
	*o = Opt[T]{}
	if d.null() {
		o.state = null
		return true
	}
	var one T
	if !Value(&one, d) {
		return false
	}
	*o = Some(one)
	return true
}

// AppendPayload writes the value, or null.
func (o Opt[T]) AppendPayload(b []byte) []byte {
	if o.state != there {
		return append(b, "null"...)
	}
	return codecOf(asked{t: reflect.TypeFor[T]()}).write(reflect.ValueOf(&o.value).Elem(), b)
}
