package payload

import (
	"reflect"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// codec reads and writes the values of one Go type. read gives false for what
// does not fit; the value may then have been read in part.
type codec struct {
	read  func(v reflect.Value, d *Decoder) bool
	write func(v reflect.Value, b []byte) []byte
}

// A type with these methods reads and writes itself: those of this package, and
// generated lists and maps.
type (
	reader interface{ DecodePayload(*Decoder) bool }
	writer interface{ AppendPayload([]byte) []byte }
)

var (
	readerType = reflect.TypeFor[reader]()
	writerType = reflect.TypeFor[writer]()

	unmarshalerType = reflect.TypeFor[interface{ UnmarshalJSON([]byte) error }]()

	rawType = reflect.TypeFor[Raw]()
	codecs  sync.Map // of asked to codec
)

// asked is what codecs are kept for. A pointer in a list or map stands for null;
// elsewhere it stands for a member that may be absent. own leaves the type's
// methods aside, which ask for it themselves.
type asked struct {
	t         reflect.Type
	null, own bool
}

// Value reads the next value into v: a codec of any type that generated code
// uses, and of any other that encoding/json could read.
func Value[T any](v *T, d *Decoder) bool {
	return codecOf(asked{t: reflect.TypeFor[T]()}).read(reflect.ValueOf(v).Elem(), d)
}

// Read is DecodePayload of generated lists and maps, whose methods it leaves
// aside. False: the value is of another kind, and nothing of it is in v.
func Read[T any](v *T, d *Decoder) bool {
	return codecOf(asked{t: reflect.TypeFor[T](), own: true}).read(reflect.ValueOf(v).Elem(), d)
}

// Append writes v, a value of a generated type, behind b.
func Append[T any](b []byte, v *T) []byte {
	return codecOf(asked{t: reflect.TypeFor[T](), own: true}).write(reflect.ValueOf(v).Elem(), b)
}

func codecOf(a asked) codec {
	if known, ok := codecs.Load(a); ok {
		return known.(codec)
	}
	c := newCodec(a)
	codecs.Store(a, c)
	return c
}

func newCodec(a asked) codec {
	t := a.t
	switch {
	case !a.own && reflect.PointerTo(t).Implements(readerType) && reflect.PointerTo(t).Implements(writerType):
		return codec{
			func(v reflect.Value, d *Decoder) bool { return v.Addr().Interface().(reader).DecodePayload(d) },
			func(v reflect.Value, b []byte) []byte { return v.Addr().Interface().(writer).AppendPayload(b) },
		}
	case t == rawType:
		return codec{readRaw, func(v reflect.Value, b []byte) []byte { return PutRaw(v.Bytes(), b) }}
	case isObject(t):
		return objectCodec(t)
	case !a.own && reflect.PointerTo(t).Implements(unmarshalerType):
		return foreignCodec(t)
	}
	switch t.Kind() {
	case reflect.String:
		return codec{readString, func(v reflect.Value, b []byte) []byte { return PutString(v.String(), b) }}
	case reflect.Bool:
		return codec{readBool, func(v reflect.Value, b []byte) []byte { return strconv.AppendBool(b, v.Bool()) }}
	case reflect.Int64:
		return codec{readInt64, func(v reflect.Value, b []byte) []byte { return strconv.AppendInt(b, v.Int(), 10) }}
	case reflect.Pointer:
		return pointerCodec(codecOf(asked{t: t.Elem()}), a.null)
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return sliceCodec(t, codecOf(asked{t: t.Elem(), null: true}))
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return mapCodec(t, codecOf(asked{t: t.Elem(), null: true}))
		}
	}
	return foreignCodec(t)
}

func readString(v reflect.Value, d *Decoder) bool {
	if d.err != nil || d.in.PeekKind() != '"' {
		return false
	}
	token, err := d.in.ReadToken()
	if d.failed(err) {
		return false
	}
	v.SetString(token.String())
	return true
}

// String reads a text.
func String[T ~string](v *T, d *Decoder) bool { return readString(reflect.ValueOf(v).Elem(), d) }

func readBool(v reflect.Value, d *Decoder) bool {
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
	v.SetBool(token.Bool())
	return true
}

// readInt64 reads an integer that fits 64 bits, however it is written; any other
// number does not fit.
func readInt64(v reflect.Value, d *Decoder) bool {
	text, ok := d.number()
	if !ok {
		return false
	}
	n, err := integer(text)
	if err != nil {
		return false
	}
	v.SetInt(n)
	return true
}

func readRaw(v reflect.Value, d *Decoder) bool {
	var raw Raw
	ok := AnyRaw(&raw, d)
	v.SetBytes(raw)
	return ok
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

func pointerCodec(element codec, null bool) codec {
	return codec{
		func(v reflect.Value, d *Decoder) bool {
			v.SetZero()
			if null && d.null() {
				return true
			}
			one := reflect.New(v.Type().Elem())
			if !element.read(one.Elem(), d) {
				return false
			}
			v.Set(one)
			return true
		},
		func(v reflect.Value, b []byte) []byte {
			if v.IsNil() {
				return append(b, "null"...)
			}
			return element.write(v.Elem(), b)
		},
	}
}

// sliceCodec: elements that do not fit make the whole array odd, unless their
// type can hold them. A nil slice is written as an empty one.
func sliceCodec(t reflect.Type, element codec) codec {
	return codec{
		func(v reflect.Value, d *Decoder) bool {
			v.SetZero()
			if !d.open('[') {
				return false
			}
			all := reflect.New(t).Elem()
			all.Set(reflect.MakeSlice(t, 0, 0))
			for n := 0; d.more(']'); n++ {
				all.Grow(1)
				all.SetLen(n + 1)
				if !keep(all.Index(n), d, element) {
					return false
				}
			}
			v.Set(all)
			return d.close()
		},
		func(v reflect.Value, b []byte) []byte {
			b = append(b, '[')
			for i := range v.Len() {
				if i > 0 {
					b = append(b, ',')
				}
				b = element.write(v.Index(i), b)
			}
			return append(b, ']')
		},
	}
}

// mapCodec: an object whose names are data. A repeated name keeps its last
// value; names are written sorted.
func mapCodec(t reflect.Type, element codec) codec {
	return codec{
		func(v reflect.Value, d *Decoder) bool {
			v.SetZero()
			if !d.open('{') {
				return false
			}
			all := reflect.MakeMap(t)
			for d.more('}') {
				token, err := d.in.ReadToken()
				if d.failed(err) {
					return false
				}
				name := reflect.ValueOf(token.String()).Convert(t.Key())
				one := reflect.New(t.Elem()).Elem()
				if !keep(one, d, element) {
					return false
				}
				all.SetMapIndex(name, one)
			}
			v.Set(all)
			return d.close()
		},
		func(v reflect.Value, b []byte) []byte {
			b = append(b, '{')
			one := reflect.New(t.Elem()).Elem()
			for i, name := range sortedNames(v) {
				if i > 0 {
					b = append(b, ',')
				}
				b = append(PutString(name.String(), b), ':')
				one.Set(v.MapIndex(name)) // what a map holds has no address
				b = element.write(one, b)
			}
			return append(b, '}')
		},
	}
}

// foreignCodec is for types of the user's own. They decide what fits them, and
// what they do not take is not written back.
func foreignCodec(t reflect.Type) codec {
	return codec{
		func(v reflect.Value, d *Decoder) bool {
			v.SetZero()
			var raw Raw
			if !AnyRaw(&raw, d) || json.Unmarshal(raw, v.Addr().Interface(), jsontext.AllowDuplicateNames(true)) != nil {
				v.SetZero()
				return false
			}
			return true
		},
		func(v reflect.Value, b []byte) []byte {
			text, err := json.Marshal(v.Addr().Interface())
			if err != nil {
				return append(b, "null"...)
			}
			return append(b, text...)
		},
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

// PutRaw writes a value as it is; nil is null.
func PutRaw(v Raw, b []byte) []byte {
	if len(v) == 0 {
		return append(b, "null"...)
	}
	return append(b, v...)
}
