package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// maxDepth bounds schemas inside schemas; a document that needs more is made
// to break readers.
const maxDepth = 200

// schema writes what of a schema says which values are possible, and drops the
// rest: half of real documents would not load otherwise, for patterns that Go
// does not know and examples that break their own schema.
func (c *cutter) schema(n *yaml.Node, depth int) {
	if n.Kind != yaml.MappingNode || depth > maxDepth {
		c.raw("{}", c.tree.pos(n))
		return
	}
	if k, ref := lookupPair(n, "$ref"); ref != nil && ref.Kind == yaml.ScalarNode {
		c.reference(n, k, ref, depth, false)
		return
	}
	c.open("{", c.tree.pos(n))
	c.keywords(n, depth)
	c.shut("}")
}

// reference writes a $ref to the component that its target becomes. Keywords
// beside it (3.1) are written as a second member of an allOf. base asks for what
// the target says itself, without its children.
func (c *cutter) reference(n, k, ref *yaml.Node, depth int, base bool) {
	target := c.tree.resolve(ref.Value, n)
	if target == nil || target.Kind != yaml.MappingNode || c.tree.deref(target) == nil {
		c.missing(ref, target)
		c.raw("{}", c.tree.pos(ref))
		return
	}
	siblings := c.modern && c.constrains(n)
	if siblings {
		c.open("{", c.tree.pos(n))
		c.key("allOf", c.tree.pos(n))
		c.open("[", c.tree.pos(n))
	}
	c.open("{", c.tree.pos(n))
	c.key("$ref", c.tree.pos(k))
	c.text(c.named(c.tree.origin(ref.Value, n), target, base), c.tree.pos(ref))
	c.shut("}")
	if siblings {
		c.open("{", c.tree.pos(n))
		c.keywords(n, depth)
		c.shut("}")
		c.shut("]")
		c.shut("}")
	}
}

// missing reports a reference that leads to nothing, or only round in a circle.
func (c *cutter) missing(ref, target *yaml.Node) {
	if c.lost[ref.Value] {
		return
	}
	c.lost[ref.Value] = true
	switch {
	case target == nil:
		c.tree.report.warn(c.tree.pos(ref), "reference", "", "$ref %q leads nowhere; what stands there is taken as free-form", ref.Value)
	case target.Kind == yaml.MappingNode && c.tree.circular(target):
		c.tree.report.err(c.tree.pos(ref), "reference", "write the schema that is meant", "$ref %q leads to nothing but itself", ref.Value)
	case target.Kind == yaml.MappingNode:
		c.tree.report.warn(c.tree.pos(ref), "reference", "", "$ref %q leads to a reference that leads nowhere; what stands there is taken as free-form", ref.Value)
	}
}

func (c *cutter) constrains(n *yaml.Node) bool {
	for _, name := range []string{"type", "properties", "required", "enum", "const", "items", "allOf", "oneOf", "anyOf", "additionalProperties", "format"} {
		if lookup(n, name) != nil {
			return true
		}
	}
	return false
}

func (c *cutter) keywords(n *yaml.Node, depth int) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch k.Value {
		case "title", "description", "format", "contentEncoding", "contentMediaType":
			c.textKeyword(k, v)
		case "nullable", "deprecated", "readOnly", "writeOnly":
			c.boolKeyword(k, v)
		case "type":
			c.typeKeyword(k, v)
		case "properties", "patternProperties":
			c.schemaMap(k, v, depth)
		case "allOf":
			c.allOf(n, k, v, depth)
		case "oneOf", "anyOf", "prefixItems":
			c.schemaList(k, v, depth)
		case "items", "additionalProperties":
			c.schemaOrBool(k, v, depth)
		case "required":
			c.required(k, v)
		case "enum":
			c.enum(n, k, v)
		case "const":
			c.key("const", c.tree.pos(k))
			c.constant(n, v)
		case "discriminator":
			if lookup(n, "oneOf") != nil || lookup(n, "anyOf") != nil {
				c.discriminator(n, k, v)
			}
		case "minimum", "maximum":
			if number, ok := numberJSON(v.Value); ok && v.Kind == yaml.ScalarNode && scalarForm(v) == numberForm {
				c.key(k.Value, c.tree.pos(k))
				c.raw(number, c.tree.pos(v))
			}
		}
	}
}

func (c *cutter) textKeyword(k, v *yaml.Node) {
	if v.Kind == yaml.ScalarNode && scalarForm(v) != nullForm {
		c.key(k.Value, c.tree.pos(k))
		c.text(v.Value, c.tree.pos(v))
	}
}

func (c *cutter) boolKeyword(k, v *yaml.Node) {
	if v.Kind == yaml.ScalarNode && scalarForm(v) == booleanForm {
		c.key(k.Value, c.tree.pos(k))
		c.raw(strings.ToLower(v.Value), c.tree.pos(v))
	}
}

var typeNames = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

func (c *cutter) typeKeyword(k, v *yaml.Node) {
	var names []*yaml.Node
	switch v.Kind {
	case yaml.ScalarNode:
		names = []*yaml.Node{v}
	case yaml.SequenceNode:
		names = v.Content
	}
	var known []*yaml.Node
	for _, n := range names {
		if n.Kind == yaml.ScalarNode && contains(typeNames, n.Value) {
			known = append(known, n)
		}
	}
	switch {
	case len(known) == 0:
	case v.Kind == yaml.ScalarNode:
		c.key("type", c.tree.pos(k))
		c.text(v.Value, c.tree.pos(v))
	default:
		c.key("type", c.tree.pos(k))
		c.open("[", c.tree.pos(v))
		for _, n := range known {
			c.text(n.Value, c.tree.pos(n))
		}
		c.shut("]")
	}
}

func (c *cutter) schemaMap(k, v *yaml.Node, depth int) {
	if v.Kind != yaml.MappingNode {
		return
	}
	c.key(k.Value, c.tree.pos(k))
	c.open("{", c.tree.pos(v))
	for i := 0; i+1 < len(v.Content); i += 2 {
		c.key(v.Content[i].Value, c.tree.pos(v.Content[i]))
		c.schema(v.Content[i+1], depth+1)
	}
	c.shut("}")
}

func (c *cutter) schemaList(k, v *yaml.Node, depth int) {
	if v.Kind != yaml.SequenceNode || len(v.Content) == 0 {
		return
	}
	c.key(k.Value, c.tree.pos(k))
	c.open("[", c.tree.pos(v))
	for _, item := range v.Content {
		c.schema(item, depth+1)
	}
	c.shut("]")
}

// allOf writes the parts. A schema that adds something to one that stands for
// its children takes what that says itself; a mere wrapper means any child.
func (c *cutter) allOf(n, k, v *yaml.Node, depth int) {
	if v.Kind != yaml.SequenceNode || len(v.Content) == 0 {
		return
	}
	extends := c.extends(n, v) || c.tree.isChild(n)
	c.key(k.Value, c.tree.pos(k))
	c.open("[", c.tree.pos(v))
	for _, item := range v.Content {
		if rk, ref := lookupPair(item, "$ref"); ref != nil && ref.Kind == yaml.ScalarNode {
			c.reference(item, rk, ref, depth+1, extends)
			continue
		}
		c.schema(item, depth+1)
	}
	c.shut("]")
}

func (c *cutter) extends(n, parts *yaml.Node) bool {
	telling := 0
	for _, item := range parts.Content {
		if lookup(item, "$ref") != nil || c.constrains(item) {
			telling++
		}
	}
	return telling > 1 || lookup(n, "properties") != nil || lookup(n, "required") != nil
}

func (c *cutter) schemaOrBool(k, v *yaml.Node, depth int) {
	switch {
	case v.Kind == yaml.MappingNode:
		c.key(k.Value, c.tree.pos(k))
		c.schema(v, depth+1)
	case v.Kind == yaml.ScalarNode && scalarForm(v) == booleanForm && k.Value == "additionalProperties":
		c.boolKeyword(k, v)
	case k.Value == "items":
		c.key(k.Value, c.tree.pos(k))
		c.raw("{}", c.tree.pos(v))
	}
}

func (c *cutter) required(k, v *yaml.Node) {
	if v.Kind != yaml.SequenceNode {
		return
	}
	c.key("required", c.tree.pos(k))
	c.open("[", c.tree.pos(v))
	for _, item := range v.Content {
		if item.Kind == yaml.ScalarNode {
			c.text(item.Value, c.tree.pos(item))
		}
	}
	c.shut("]")
}

func (c *cutter) enum(n, k, v *yaml.Node) {
	if v.Kind != yaml.SequenceNode || len(v.Content) == 0 {
		return
	}
	c.key("enum", c.tree.pos(k))
	c.open("[", c.tree.pos(v))
	for _, item := range v.Content {
		c.constant(n, item)
	}
	c.shut("]")
}

// constant writes a value of const or enum. Where the schema is of strings,
// the text stands as written: `on`, 1.10 and 0x10 are texts there.
func (c *cutter) constant(n, v *yaml.Node) {
	if v.Kind != yaml.ScalarNode || !isString(lookup(n, "type")) || scalarForm(v) == nullForm {
		c.node(v)
		return
	}
	c.text(v.Value, c.tree.pos(v))
}

// isString reports whether a type keyword allows strings and, but for null,
// nothing else.
func isString(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	if n.Kind == yaml.ScalarNode {
		return n.Value == "string"
	}
	found := false
	for _, item := range n.Content {
		found = found || item.Value == "string"
		if item.Value != "string" && item.Value != "null" {
			return false
		}
	}
	return found
}

// discriminator writes the mapping with references to the kept components. A
// value may name a schema without saying where it stands.
func (c *cutter) discriminator(n, k, v *yaml.Node) {
	name := lookup(v, "propertyName")
	if name == nil || name.Kind != yaml.ScalarNode {
		return
	}
	c.key("discriminator", c.tree.pos(k))
	c.open("{", c.tree.pos(v))
	c.textMember("propertyName", v)
	mapping := lookup(v, "mapping")
	if mapping != nil && mapping.Kind == yaml.MappingNode {
		c.key("mapping", c.tree.pos(mapping))
		c.open("{", c.tree.pos(mapping))
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			c.variant(n, mapping.Content[i], mapping.Content[i+1])
		}
		c.shut("}")
	}
	c.shut("}")
}

func (c *cutter) variant(n, k, v *yaml.Node) {
	target := c.tree.resolve(mappedRef(v), n)
	if target == nil || target.Kind != yaml.MappingNode {
		return
	}
	c.key(k.Value, c.tree.pos(k))
	c.text(c.named(c.tree.origin(mappedRef(v), n), target, false), c.tree.pos(v))
}
