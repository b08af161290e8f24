package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// A schema with a discriminator and without oneOf stands for its children:
// those that the mapping names, and every schema that has it in its allOf, under
// its own name. The document says so in the children, so all named schemas are
// looked through once.

// child is a schema that builds on another one.
type child struct {
	name   string // in components/schemas
	node   *yaml.Node
	origin string // file#pointer
}

// heirs are the children of every schema, in the document's order: those in the
// files that have been read so far.
type heirs struct {
	files    int
	children map[*yaml.Node][]child
}

func (t *tree) childrenOf(n *yaml.Node) []child {
	if t.heirs.children == nil || t.heirs.files != len(t.files) {
		t.heirs = heirs{files: len(t.files), children: map[*yaml.Node][]child{}}
		t.collectHeirs(t.root, t.source.name)
		for _, name := range sortedKeys(t.files) {
			t.collectHeirs(t.files[name], name)
		}
	}
	return t.heirs.children[n]
}

// collectHeirs looks through the named schemas of one file.
func (t *tree) collectHeirs(root *yaml.Node, file string) {
	schemas := lookup(lookup(root, "components"), "schemas")
	for i := 0; schemas != nil && schemas.Kind == yaml.MappingNode && i+1 < len(schemas.Content); i += 2 {
		name, n := schemas.Content[i].Value, schemas.Content[i+1]
		parts := lookup(n, "allOf")
		if parts == nil {
			continue
		}
		for _, part := range parts.Content {
			if parent := t.known(part); parent != nil {
				t.heirs.children[parent] = append(t.heirs.children[parent], child{name, n, file + ownSchemas + escapeToken(name)})
			}
		}
	}
}

// known is the schema that a $ref names, if its file has been read; nil where n
// is no $ref. No file is read for it: it might not be needed.
func (t *tree) known(n *yaml.Node) *yaml.Node {
	ref := lookup(n, "$ref")
	if ref == nil || ref.Kind != yaml.ScalarNode {
		return nil
	}
	file, _, _ := strings.Cut(t.origin(ref.Value, n), "#")
	if _, ok := t.files[file]; !ok && file != t.source.name {
		return nil
	}
	return t.resolve(ref.Value, n)
}

// isChild reports whether a schema builds on one that stands for its children.
func (t *tree) isChild(n *yaml.Node) bool {
	parts := lookup(n, "allOf")
	if parts == nil {
		return false
	}
	for _, part := range parts.Content {
		for _, c := range t.childrenOf(t.known(part)) {
			if c.node == n {
				return true
			}
		}
	}
	return false
}

// choice is one value of a discriminator and the schema that it tells.
type choice struct {
	value  string
	at     Pos
	node   *yaml.Node
	origin string
}

// choices are what a schema with a discriminator, but without oneOf or anyOf,
// can be; nil where it is just itself.
func (t *tree) choices(n *yaml.Node) []choice {
	d := lookup(n, "discriminator")
	if name := lookup(d, "propertyName"); name == nil || name.Kind != yaml.ScalarNode {
		return nil
	}
	for _, word := range []string{"oneOf", "anyOf", "$ref"} {
		if lookup(n, word) != nil {
			return nil
		}
	}
	var all []choice
	named := map[*yaml.Node]bool{n: true}
	mapping := lookup(d, "mapping")
	for i := 0; mapping != nil && mapping.Kind == yaml.MappingNode && i+1 < len(mapping.Content); i += 2 {
		k, v := mapping.Content[i], mapping.Content[i+1]
		if target := t.resolve(mappedRef(v), n); target != nil && target.Kind == yaml.MappingNode && target != n {
			all = append(all, choice{k.Value, t.pos(k), target, t.origin(mappedRef(v), n)})
			named[target] = true
		}
	}
	return append(all, t.implied(n, named)...)
}

// implied are the children that no mapping names, and theirs, but for those of
// a child that is a choice itself.
func (t *tree) implied(n *yaml.Node, seen map[*yaml.Node]bool) []choice {
	var all []choice
	for _, c := range t.childrenOf(n) {
		if seen[c.node] {
			continue
		}
		seen[c.node] = true
		all = append(all, choice{c.name, t.pos(c.node), c.node, c.origin})
		if lookup(c.node, "discriminator") == nil {
			all = append(all, t.implied(c.node, seen)...)
		}
	}
	return all
}

// mappedRef is a value of a mapping, which may name a schema without saying
// where it stands.
func mappedRef(v *yaml.Node) string {
	if strings.ContainsAny(v.Value, "#/") {
		return v.Value
	}
	return ownSchemas + escapeToken(v.Value)
}

// variant is the schema that a discriminator gives to a value: by its mapping,
// by the name of a variant or child, or by the one value that a variant allows
// for the discriminating member. Without a discriminator that is the member that
// tells the type. nil without.
func (t *tree) variant(n *yaml.Node, value, member string) *yaml.Node {
	d := lookup(n, "discriminator")
	named := textOfNode(lookup(d, "propertyName"))
	if named != "" {
		member = named
	}
	if v := lookup(lookup(d, "mapping"), value); v != nil {
		return t.refNode(mappedRef(v), n)
	}
	var candidates []*yaml.Node
	for _, c := range t.choices(n) {
		if c.value == value {
			return c.node
		}
		candidates = append(candidates, c.node)
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		parts := lookup(n, word)
		if parts == nil {
			continue
		}
		for _, part := range parts.Content {
			ref := lookup(part, "$ref")
			if named != "" && ref != nil && ref.Kind == yaml.ScalarNode && unescapeToken(unescapeURI(ref.Value[strings.LastIndexAny(ref.Value, "/#")+1:])) == value {
				return part
			}
			candidates = append(candidates, part)
		}
	}
	for _, candidate := range candidates {
		if member != "" && t.allows(candidate, member, value, 0) {
			return candidate
		}
	}
	return nil
}

// allows reports whether a schema fixes a member to a value.
func (t *tree) allows(n *yaml.Node, member, value string, depth int) bool {
	n = t.deref(n)
	if n == nil || depth > 8 {
		return false
	}
	p := t.deref(lookup(lookup(n, "properties"), member))
	if c := lookup(p, "const"); c != nil && c.Kind == yaml.ScalarNode {
		return c.Value == value
	}
	if e := lookup(p, "enum"); e != nil && e.Kind == yaml.SequenceNode {
		for _, item := range e.Content {
			if item.Kind == yaml.ScalarNode && item.Value == value {
				return true
			}
		}
		return false
	}
	if parts := lookup(n, "allOf"); parts != nil {
		for _, part := range parts.Content {
			if t.allows(part, member, value, depth+1) {
				return true
			}
		}
	}
	return false
}
