package payload

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A generated struct says in its tags what its members are: `json` has the name
// on the wire, `member` a name that `json` cannot hold, and `payload` the words
// required (the document requires it) and null (a nil pointer is null).

// member is a field of a struct that holds a member of an object.
type member struct {
	name     string
	index    int
	required bool
	optional optionality
	codec    codec
	zero     []byte // text of the zero value
}

// optionality is how a field says that its member is not there.
type optionality int

const (
	always   optionality = iota
	whenNil              // absent where the field is nil
	whenSome             // absent where the Opt is
)

// object is the plan of one struct type.
type object struct {
	members []member
	byName  map[string]int
	needed  []int // required members
	rest    int   // index of the field; -1 for a struct that only we write
}

var restType = reflect.TypeFor[Rest]()

// isObject reports whether a struct is a generated one: it has a Rest, or the
// mark of those that need none.
func isObject(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	if f, ok := t.FieldByName("Rest"); ok && f.Type == restType {
		return true
	}
	f, ok := t.FieldByName("_")
	return ok && f.Tag.Get("payload") == "closed"
}

func objectCodec(t reflect.Type) codec {
	o := &object{byName: map[string]int{}, rest: -1}
	// Members are looked at when the first value comes, so that a type can hold itself.
	build := sync.OnceFunc(func() { o.plan(t) })
	return codec{
		func(v reflect.Value, d *Decoder) bool { build(); return o.read(v, d) },
		func(v reflect.Value, b []byte) []byte { build(); return o.write(v, b) },
	}
}

func (o *object) plan(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Type == restType && f.Name == "Rest":
			o.rest = i
			continue
		case f.Name == "_":
			continue
		}
		words := strings.Split(f.Tag.Get("payload"), ",")
		m := member{
			name: wireName(f.Tag), index: i, required: slices.Contains(words, "required"),
			codec: codecOf(asked{t: f.Type, null: slices.Contains(words, "null")}),
		}
		switch {
		case reflect.PointerTo(f.Type).Implements(absentType):
			m.optional = whenSome
		case !m.required:
			m.optional = whenNil
		}
		m.zero = m.codec.write(reflect.New(f.Type).Elem(), nil)
		if m.required {
			o.needed = append(o.needed, len(o.members))
		}
		o.byName[m.name] = len(o.members)
		o.members = append(o.members, m)
	}
}

func wireName(tag reflect.StructTag) string {
	if name, ok := tag.Lookup("member"); ok {
		return name
	}
	return tag.Get("json")
}

// read reads an object member by member. False: the value is no object, and
// nothing was read.
func (o *object) read(v reflect.Value, d *Decoder) bool {
	v.SetZero()
	var closed Rest
	r := &closed
	if o.rest >= 0 {
		r = v.Field(o.rest).Addr().Interface().(*Rest)
	}
	if !d.open('{') {
		return false
	}
	var room [64]bool
	seen := room[:]
	if len(o.members) > len(room) {
		seen = make([]bool, len(o.members))
	}
	for d.more('}') {
		token, err := d.in.ReadToken()
		if d.failed(err) {
			return false
		}
		name := token.String()
		start, depth := d.in.InputOffset(), d.in.StackDepth()
		i, known := o.byName[name]
		if known {
			seen[i] = true
			m := &o.members[i]
			if m.codec.read(v.Field(m.index), d) || d.err != nil {
				continue
			}
			v.Field(m.index).SetZero()
		}
		r.Members = append(r.Members, Member{Name: name, Value: d.skip(start, depth), Odd: known})
		if known {
			d.deviate()
		}
	}
	if !d.close() {
		return false
	}
	for _, i := range o.needed {
		if !seen[i] {
			r.Missing = append(r.Missing, o.members[i].name)
			at := d.in.StackPointer().AppendToken(o.members[i].name) // behind the end it is the object's
			d.deviations = append(d.deviations, Deviation{Pointer: string(at), Kind: "missing"})
		}
	}
	return true
}

// write writes the typed fields, then what Rest holds. A member that was missing
// or odd when it was read, and that nobody has set since, is left to Rest.
func (o *object) write(v reflect.Value, b []byte) []byte {
	var rest Rest
	if o.rest >= 0 {
		rest = v.Field(o.rest).Interface().(Rest)
	}
	if rest.Whole != nil {
		return append(b, rest.Whole...)
	}
	b = append(b, '{')
	start := len(b)
	var set []string // odd members that a typed field has taken the place of
	for i := range o.members {
		m := &o.members[i]
		f := v.Field(m.index)
		if m.absent(f) {
			continue
		}
		before := len(b)
		b = putName(b, start, m.name)
		from := len(b)
		b = m.codec.write(f, b)
		if !rest.deviates(m.name) {
			continue
		}
		if m.optional == always && bytes.Equal(m.zero, b[from:]) {
			b = b[:before]
			continue
		}
		set = append(set, m.name)
	}
	for _, m := range rest.Members {
		if !slices.Contains(set, m.Name) {
			b = PutRaw(m.Value, putName(b, start, m.Name))
		}
	}
	return append(b, '}')
}

func (m *member) absent(f reflect.Value) bool {
	switch m.optional {
	case whenSome:
		return f.Addr().Interface().(absent).IsAbsent()
	case whenNil:
		return f.IsNil()
	}
	return false
}

// absent is an Opt of any type.
type absent interface{ IsAbsent() bool }

var absentType = reflect.TypeFor[absent]()

func putName(b []byte, start int, name string) []byte {
	if len(b) > start {
		b = append(b, ',')
	}
	return append(PutString(name, b), ':')
}

func sortedNames(m reflect.Value) []reflect.Value {
	names := m.MapKeys()
	slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return names
}
