package payload

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// String reads a text.
func String[T ~string](v *T, d *Decoder) bool {
	if d.err != nil || d.in.PeekKind() != '"' {
		return false
	}
	token, err := d.in.ReadToken()
	if d.failed(err) {
		return false
	}
	*v = T(token.String())
	return true
}

// Bool reads true or false.
func Bool[T ~bool](v *T, d *Decoder) bool {
	if d.err != nil {
		return false
	}
	if k := d.in.PeekKind(); k != 't' && k != 'f' {
		return false
	}
	token, err := d.in.ReadToken()
	if d.failed(err) {
		return false
	}
	*v = T(token.Bool())
	return true
}

// Int64 reads an integer that fits 64 bits, however it is written; any other
// number does not fit.
func Int64[T ~int64](v *T, d *Decoder) bool {
	text, ok := d.number()
	if !ok {
		return false
	}
	n, err := integer(text)
	if err != nil {
		return false
	}
	*v = T(n)
	return true
}

// AnyRaw reads whatever stands there.
func AnyRaw(v *Raw, d *Decoder) bool {
	if d.err != nil {
		return false
	}
	start, depth := d.in.InputOffset(), d.in.StackDepth()
	*v = d.skip(start, depth)
	return d.err == nil
}

// SliceOf reads an array. Elements that do not fit make the whole array odd,
// unless their type can hold them.
func SliceOf[T any](element func(*T, *Decoder) bool) func(*[]T, *Decoder) bool {
	return func(v *[]T, d *Decoder) bool {
		*v = nil
		if !d.open('[') {
			return false
		}
		all := []T{}
		for d.more(']') {
			var one T
			if !keep(&one, d, element) {
				return false
			}
			all = append(all, one)
		}
		*v = all
		return d.close()
	}
}

// MapOf reads an object whose names are data. A repeated name keeps its last value.
func MapOf[T any](element func(*T, *Decoder) bool) func(*map[string]T, *Decoder) bool {
	return func(v *map[string]T, d *Decoder) bool {
		*v = nil
		if !d.open('{') {
			return false
		}
		all := map[string]T{}
		for d.more('}') {
			token, err := d.in.ReadToken()
			if d.failed(err) {
				return false
			}
			name := token.String()
			var one T
			if !keep(&one, d, element) {
				return false
			}
			all[name] = one
		}
		*v = all
		return d.close()
	}
}

// PointerTo reads a value that may be absent; null does not fit.
func PointerTo[T any](element func(*T, *Decoder) bool) func(**T, *Decoder) bool {
	return func(v **T, d *Decoder) bool {
		*v = nil
		var one T
		if !element(&one, d) {
			return false
		}
		*v = &one
		return true
	}
}

// NullableOf reads a value or null, which is a nil pointer.
func NullableOf[T any](element func(*T, *Decoder) bool) func(**T, *Decoder) bool {
	return func(v **T, d *Decoder) bool {
		if d.null() {
			*v = nil
			return true
		}
		return PointerTo(element)(v, d)
	}
}

// number reads a number's text; false: it is none, and nothing was read.
func (d *Decoder) number() (string, bool) {
	if d.err != nil || d.in.PeekKind() != '0' {
		return "", false
	}
	token, err := d.in.ReadToken()
	if d.failed(err) {
		return "", false
	}
	return token.String(), true
}

// PutString writes a text.
func PutString[T ~string](v T, b []byte) []byte {
	// The error is for invalid UTF-8, which is then replaced, as encoding/json does.
	b, _ = jsontext.AppendQuote(b, string(v))
	return b
}

// PutBool writes true or false.
func PutBool[T ~bool](v T, b []byte) []byte { return strconv.AppendBool(b, bool(v)) }

// PutInt64 writes an integer.
func PutInt64[T ~int64](v T, b []byte) []byte { return strconv.AppendInt(b, int64(v), 10) }

// PutRaw writes a value as it is; nil is null.
func PutRaw(v Raw, b []byte) []byte {
	if len(v) == 0 {
		return append(b, "null"...)
	}
	return append(b, v...)
}

// PutSlice writes an array; a nil slice is an empty one.
func PutSlice[T any](element func(T, []byte) []byte) func([]T, []byte) []byte {
	return func(v []T, b []byte) []byte {
		b = append(b, '[')
		for i, one := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = element(one, b)
		}
		return append(b, ']')
	}
}

// PutMap writes an object, its names sorted.
func PutMap[T any](element func(T, []byte) []byte) func(map[string]T, []byte) []byte {
	return func(v map[string]T, b []byte) []byte {
		b = append(b, '{')
		for i, name := range sortedNames(v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(PutString(name, b), ':')
			b = element(v[name], b)
		}
		return append(b, '}')
	}
}

// PutPointer writes what v points at; nil is null.
func PutPointer[T any](element func(T, []byte) []byte) func(*T, []byte) []byte {
	return func(v *T, b []byte) []byte {
		if v == nil {
			return append(b, "null"...)
		}
		return element(*v, b)
	}
}
