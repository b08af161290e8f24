package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// value is one node of x-whgen or whgen.yaml: immutable, with its position, so
// that levels can be merged by sharing.
type value struct {
	at     Pos
	form   form
	text   string
	fields []field
	items  []*value
	node   *yaml.Node // where it was read from, nil after a merge
	preset bool       // brought by a preset, not written by the user
}

type field struct {
	name  string
	at    Pos // of the key
	value *value
}

// form is what a value is written as.
type form uint

const (
	textForm form = 1 << iota
	numberForm
	booleanForm
	nullForm
	listForm
	mapForm

	scalarForms = textForm | numberForm | booleanForm
)

// String names the forms for messages.
func (f form) String() string {
	var names []string
	for i, name := range []string{"text", "a number", "true or false", "null", "a list", "a map"} {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return list(names, "or")
}

// valueOf reads a subtree. at is where a map or list is said to stand: at its key.
func (t *tree) valueOf(n *yaml.Node, at Pos) *value {
	v := &value{at: at, node: n}
	switch n.Kind {
	case yaml.MappingNode:
		v.form = mapForm
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			v.fields = append(v.fields, field{k.Value, t.pos(k), t.valueOf(n.Content[i+1], t.pos(k))})
		}
	case yaml.SequenceNode:
		v.form = listForm
		for _, item := range n.Content {
			v.items = append(v.items, t.valueOf(item, t.pos(item)))
		}
	default:
		v.at, v.text, v.form = t.pos(n), n.Value, scalarForm(n)
	}
	return v
}

func scalarForm(n *yaml.Node) form {
	switch n.ShortTag() {
	case "!!int", "!!float":
		return numberForm
	case "!!bool":
		return booleanForm
	case "!!null":
		return nullForm
	default:
		return textForm
	}
}

// get follows names; nil where one is missing or null.
func (v *value) get(names ...string) *value {
	for _, name := range names {
		f := v.field(name)
		if f == nil || f.value.form == nullForm {
			return nil
		}
		v = f.value
	}
	return v
}

func (v *value) is(f form) bool { return v != nil && v.form&f != 0 }

func (v *value) names() []string {
	var names []string
	if v != nil {
		for _, f := range v.fields {
			names = append(names, f.name)
		}
	}
	return names
}

// each is the elements of a list, or the value alone; nothing for nil.
func (v *value) each() []*value {
	switch {
	case v == nil:
		return nil
	case v.form == listForm:
		return v.items
	default:
		return []*value{v}
	}
}

// equal compares what is written, not where.
func (v *value) equal(o *value) bool {
	if v == nil || o == nil {
		return v == o
	}
	if v.form != o.form || v.text != o.text || len(v.fields) != len(o.fields) || len(v.items) != len(o.items) {
		return false
	}
	for _, f := range v.fields {
		if other := o.get(f.name); !f.value.equal(other) {
			return false
		}
	}
	for i := range v.items {
		if !v.items[i].equal(o.items[i]) {
			return false
		}
	}
	return true
}

// mergeValues lays top over base as the vocabulary says: maps key by key,
// everything else whole. A null stays, so that it can take back what a level
// below declares; get does not see it.
func mergeValues(k *key, base, top *value) *value {
	switch {
	case top == nil:
		return base
	case !base.is(mapForm) || !top.is(mapForm) || k != nil && k.whole:
		return top
	}
	m := &value{at: top.at, form: mapForm}
	for _, f := range base.fields {
		if over := top.field(f.name); over != nil {
			f = field{f.name, over.at, mergeValues(k.under(f.name), f.value, over.value)}
		}
		m.fields = append(m.fields, f)
	}
	for _, f := range top.fields {
		if base.field(f.name) == nil {
			m.fields = append(m.fields, f)
		}
	}
	return m
}

// field is a member as it was written, null too.
func (v *value) field(name string) *field {
	if v != nil {
		for i := range v.fields {
			if v.fields[i].name == name {
				return &v.fields[i]
			}
		}
	}
	return nil
}

func (v *value) keyPos(name string) Pos {
	if f := v.field(name); f != nil {
		return f.at
	}
	return Pos{}
}

// with is a copy of a map with one member set.
func (v *value) with(name string, member *value) *value {
	m := &value{form: mapForm}
	if v != nil {
		m.at = v.at
		for _, f := range v.fields {
			if f.name != name {
				m.fields = append(m.fields, f)
			}
		}
	}
	if member != nil {
		m.fields = append(m.fields, field{name, member.at, member})
	}
	return m
}

// jsonText is the value as JSON, numbers as they were written.
func (v *value) jsonText() string {
	switch v.form {
	case mapForm:
		parts := make([]string, 0, len(v.fields))
		for _, f := range v.fields {
			parts = append(parts, quoteJSON(f.name)+":"+f.value.jsonText())
		}
		return "{" + strings.Join(parts, ",") + "}"
	case listForm:
		parts := make([]string, 0, len(v.items))
		for _, item := range v.items {
			parts = append(parts, item.jsonText())
		}
		return "[" + strings.Join(parts, ",") + "]"
	default:
		return scalarJSON(v.form, v.text)
	}
}
