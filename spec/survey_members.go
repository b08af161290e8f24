package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// How deep a survey looks into a body, and how many members it lists.
const (
	maxMembers  = 6
	mostMembers = 3000
)

// members lists what a schema says a body may have, to a depth of so many
// pointer tokens. Members of variants (oneOf, anyOf) are listed as not required.
func (s *surveyor) members(n *yaml.Node, depth int) []Member {
	w := &memberWalk{surveyor: s, at: map[string]int{}}
	w.schema(n, "", true, depth, 0)
	return w.all
}

type memberWalk struct {
	*surveyor
	all []Member
	at  map[string]int
}

// schema enters the members of an object or the elements of an array.
func (w *memberWalk) schema(n *yaml.Node, pointer string, required bool, depth, nested int) {
	if n = w.tree.deref(n); n == nil || n.Kind != yaml.MappingNode || depth == 0 || nested > 24 {
		return
	}
	for _, part := range contentOf(lookup(n, "allOf")) {
		w.schema(part, pointer, required, depth, nested+1)
	}
	for _, variants := range []string{"oneOf", "anyOf"} {
		all := contentOf(lookup(n, variants))
		for _, part := range all {
			w.schema(part, pointer, required && len(all) == 1, depth, nested+1)
		}
	}
	needed := map[string]bool{}
	for _, name := range contentOf(lookup(n, "required")) {
		needed[name.Value] = true
	}
	for i := range w.all {
		if parent, name, ok := cutLast(w.all[i].Pointer); ok && parent == pointer && needed[unescapeToken(name)] {
			w.all[i].Required = required // an allOf part may require what another declares
		}
	}
	properties := lookup(n, "properties")
	for i := 0; properties != nil && properties.Kind == yaml.MappingNode && i+1 < len(properties.Content); i += 2 {
		name := properties.Content[i].Value
		w.member(properties.Content[i+1], pointer+"/"+escapeToken(name), required && needed[name], depth-1, nested+1)
	}
	if items := lookup(n, "items"); items != nil {
		w.member(items, pointer+"/*", required, depth-1, nested+1)
	}
}

func cutLast(pointer string) (parent, name string, ok bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", "", false
	}
	return pointer[:i], pointer[i+1:], true
}

func contentOf(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// member lists one member; a second sight of it (allOf) refines the first.
func (w *memberWalk) member(n *yaml.Node, pointer string, required bool, depth, nested int) {
	if len(w.all) >= mostMembers {
		return
	}
	m := Member{Pointer: pointer, Required: required}
	w.facts(n, &m, 0)
	if i, ok := w.at[pointer]; ok {
		known := &w.all[i]
		known.Required = known.Required || required
		if len(m.Fixed) > 0 {
			known.Fixed = m.Fixed
		}
		if len(known.Kinds) == 0 {
			known.Kinds = m.Kinds
		}
	} else {
		w.at[pointer] = len(w.all)
		w.all = append(w.all, m)
	}
	w.schema(n, pointer, required, depth, nested)
}

// facts reads types, fixed values and format of one schema.
func (w *memberWalk) facts(n *yaml.Node, m *Member, nested int) {
	if n = w.tree.deref(n); n == nil || n.Kind != yaml.MappingNode || nested > 8 {
		return
	}
	for _, part := range contentOf(lookup(n, "allOf")) {
		w.facts(part, m, nested+1)
	}
	switch kind := lookup(n, "type"); {
	case kind == nil:
	case kind.Kind == yaml.ScalarNode:
		m.kind(kind.Value)
	default:
		for _, one := range contentOf(kind) {
			m.kind(one.Value)
		}
	}
	if format := textAt(n, "format"); format != "" {
		m.Format = format
	}
	if fixed := w.fixed(n); len(fixed) > 0 {
		m.Fixed = fixed
	}
	if lookup(n, "properties") != nil {
		m.kind("object")
	}
	if d := w.discriminator(n, 0); d != nil {
		m.Discriminator = d
	}
}

func (m *Member) kind(name string) {
	if name != "null" && !contains(m.Kinds, name) {
		m.Kinds = append(m.Kinds, name)
	}
}

// fixed are the values that a schema allows, where it lists them.
func (w *memberWalk) fixed(n *yaml.Node) []string {
	if c := lookup(n, "const"); c != nil && c.Kind == yaml.ScalarNode {
		return []string{c.Value}
	}
	var all []string
	for _, v := range contentOf(lookup(n, "enum")) {
		if v.Kind == yaml.ScalarNode && scalarForm(v) != nullForm {
			all = append(all, v.Value)
		}
	}
	for _, v := range contentOf(lookup(n, "oneOf")) {
		c := lookup(w.tree.deref(v), "const")
		if c == nil {
			return all
		}
		all = append(all, c.Value)
	}
	return all
}

// discriminator is that of a schema or of one of its allOf parts.
func (s *surveyor) discriminator(n *yaml.Node, nested int) *Discriminator {
	if n = s.tree.deref(n); n == nil || nested > 4 {
		return nil
	}
	d := lookup(n, "discriminator")
	if name := textAt(d, "propertyName"); name != "" {
		return &Discriminator{Member: name, Values: keysOf(lookup(d, "mapping"))}
	}
	for _, part := range contentOf(lookup(n, "allOf")) {
		if d := s.discriminator(part, nested+1); d != nil {
			return d
		}
	}
	return nil
}
