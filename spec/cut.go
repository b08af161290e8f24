package spec

import (
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// cutter writes what the entries reach as a small OpenAPI document of its own:
// every entry under webhooks, every schema that a reference names under
// components/schemas, wherever it stood.
type cutter struct {
	writer
	*components
	met     map[kept]bool
	pending []kept
	modern  bool // 3.1 and later: keywords beside $ref count
	lost    map[string]bool
}

// cut is the document's text and the user's position of each of its lines.
// schemas are further schemas to keep, by the name under which they are found
// in webhooks: those that events of one entry name. It is written twice, because
// names are known when everything has been met, and once more where files were
// read meanwhile, which may hold further children.
func (t *tree) cut(all []*entry, schemas map[string]*yaml.Node) (string, []Pos) {
	names, lost := newComponents(t.source.name), map[string]bool{}
	for files := -1; files != len(t.files); {
		files = len(t.files)
		t.cutter(names, lost).document(all, schemas)
	}
	names.settle()
	c := t.cutter(names, lost)
	c.document(all, schemas)
	return c.out.String(), c.lines
}

func (t *tree) cutter(names *components, lost map[string]bool) *cutter {
	return &cutter{writer: writer{tree: t}, components: names, met: map[kept]bool{}, lost: lost}
}

func (c *cutter) document(all []*entry, schemas map[string]*yaml.Node) {
	t := c.tree
	version := "3.1.0"
	if v := lookup(t.root, "openapi"); v != nil {
		version = v.Value
	}
	c.modern = !strings.HasPrefix(version, "3.0")
	// Behind a document's start the brace cannot be a key, so the YAML parser does
	// not hold every token of the document until it knows.
	c.open("--- {", t.pos(t.root))
	c.key("openapi", Pos{})
	c.text(version, Pos{})
	c.info(lookup(t.root, "info"))
	c.key("paths", Pos{})
	c.raw("{}", Pos{})
	c.key("webhooks", Pos{})
	c.open("{", Pos{})
	written := map[string]bool{}
	for _, e := range all {
		if !written[e.name] {
			written[e.name] = true
			c.entry(e)
		}
	}
	for _, name := range sortedKeys(schemas) {
		c.extra(name, schemas[name])
	}
	c.shut("}")
	c.schemas()
	c.shut("}")
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (c *cutter) info(n *yaml.Node) {
	c.key("info", c.tree.pos(n))
	c.open("{", c.tree.pos(n))
	for _, name := range []string{"title", "version", "description"} {
		c.textMember(name, n)
	}
	c.shut("}")
}

func (c *cutter) entry(e *entry) {
	c.key(e.name, e.at)
	c.open("{", e.at)
	c.key(e.method, e.at)
	c.open("{", c.tree.pos(e.operation))
	for _, name := range []string{"operationId", "summary", "description"} {
		c.textMember(name, e.operation)
	}
	if b := e.body; b != nil && b.schema != nil {
		c.requestBody(b.media, b.schema)
	}
	c.responses(lookup(e.operation, "responses"))
	c.shut("}")
	c.shut("}")
}

// extra writes a schema of x-whgen as a webhook of its own.
func (c *cutter) extra(name string, schema *yaml.Node) {
	c.key(name, c.tree.pos(schema))
	c.open("{", Pos{})
	c.key("post", Pos{})
	c.open("{", Pos{})
	c.requestBody("application/json", schema)
	c.shut("}")
	c.shut("}")
}

func (c *cutter) requestBody(media string, schema *yaml.Node) {
	c.key("requestBody", c.tree.pos(schema))
	c.open("{", Pos{})
	c.key("content", Pos{})
	c.open("{", Pos{})
	c.key(media, Pos{})
	c.open("{", Pos{})
	c.key("schema", c.tree.pos(schema))
	c.schema(schema, 0)
	c.shut("}")
	c.shut("}")
	c.shut("}")
}

func (c *cutter) responses(n *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	c.key("responses", c.tree.pos(n))
	c.open("{", c.tree.pos(n))
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if strings.HasPrefix(k.Value, "x-") {
			continue
		}
		c.key(k.Value, c.tree.pos(k))
		c.open("{", c.tree.pos(k))
		c.key("description", c.tree.pos(k))
		c.text("", c.tree.pos(k))
		c.shut("}")
	}
	c.shut("}")
}

// schemas writes the referenced schemas, in the order of their names, until
// none is pending.
func (c *cutter) schemas() {
	c.key("components", Pos{})
	c.open("{", Pos{})
	c.key("schemas", Pos{})
	c.open("{", Pos{})
	for len(c.pending) > 0 {
		batch := c.pending
		c.pending = nil
		sort.Slice(batch, func(i, j int) bool { return c.names[batch[i]] < c.names[batch[j]] })
		for _, k := range batch {
			c.key(c.names[k], c.tree.pos(k.node))
			c.component(k)
		}
	}
	c.shut("}")
	c.shut("}")
}

// component writes a schema that references name. One that stands for its
// children is a choice among them, and what it says itself is the last variant,
// by which its own members can be read whatever the child is.
func (c *cutter) component(k kept) {
	switch {
	case k.base:
		c.open("{", c.tree.pos(k.node))
		c.key(BaseExtension, Pos{})
		c.raw("true", Pos{})
		c.keywords(k.node, 0)
		c.shut("}")
	case len(c.tree.choices(k.node)) > 0:
		c.choice(k)
	default:
		c.schema(k.node, 0)
	}
}

// BaseExtension marks the variant of a oneOf that every value fits: what the
// schema that stands for its children says itself.
const BaseExtension = "x-whgen-base"

func (c *cutter) choice(k kept) {
	n, all := k.node, c.tree.choices(k.node)
	c.open("{", c.tree.pos(n))
	c.textMember("title", n)
	c.textMember("description", n)
	if nullableNode(n) {
		c.key("nullable", c.tree.pos(n))
		c.raw("true", c.tree.pos(n))
	}
	c.key("oneOf", c.tree.pos(n))
	c.open("[", c.tree.pos(n))
	written := map[*yaml.Node]bool{}
	for _, one := range all {
		if !written[one.node] {
			written[one.node] = true
			c.refTo(one.at, c.named(one.origin, one.node, false))
		}
	}
	c.refTo(c.tree.pos(n), c.named(c.origins[k], n, true))
	c.shut("]")
	key, d := lookupPair(n, "discriminator")
	c.key("discriminator", c.tree.pos(key))
	c.open("{", c.tree.pos(d))
	c.textMember("propertyName", d)
	c.key("mapping", c.tree.pos(d))
	c.open("{", c.tree.pos(d))
	for _, one := range all {
		c.key(one.value, one.at)
		c.text(c.named(one.origin, one.node, false), one.at)
	}
	c.shut("}")
	c.shut("}")
	c.shut("}")
}

func (c *cutter) refTo(at Pos, ref string) {
	c.open("{", at)
	c.key("$ref", at)
	c.text(ref, at)
	c.shut("}")
}

func nullableNode(n *yaml.Node) bool {
	if v := lookup(n, "nullable"); v != nil && v.Value == "true" {
		return true
	}
	if v := lookup(n, "type"); v != nil && v.Kind == yaml.SequenceNode {
		for _, item := range v.Content {
			if item.Value == "null" {
				return true
			}
		}
	}
	return false
}

// named is the reference to a schema under the name that it is kept under. base
// asks for what a schema says itself, without its children.
func (c *cutter) named(origin string, n *yaml.Node, base bool) string {
	k := kept{n, base && len(c.tree.choices(n)) > 0}
	c.note(k, origin)
	if !c.met[k] {
		c.met[k] = true
		c.pending = append(c.pending, k)
	}
	return ownSchemas + escapeToken(c.names[k])
}
