package spec

import (
	"fmt"
	"path"
	"sort"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// cutter writes what the entries reach as a small OpenAPI document of its own:
// every entry under webhooks, every schema that a reference names under
// components/schemas, wherever it stood.
type cutter struct {
	writer
	names   map[*yaml.Node]string // component name of a referenced schema
	taken   map[string]bool
	pending []*yaml.Node
	modern  bool // 3.1 and later: keywords beside $ref count
	lost    map[string]bool
}

// cut is the document's text and the user's position of each of its lines.
// schemas are further schemas to keep, by the name under which they are found
// in webhooks: those that events of one entry name.
func (t *tree) cut(all []*entry, schemas map[string]*yaml.Node) (string, []Pos) {
	c := &cutter{writer: writer{tree: t}, names: map[*yaml.Node]string{}, taken: map[string]bool{}, lost: map[string]bool{}}
	version := "3.1.0"
	if v := lookup(t.root, "openapi"); v != nil {
		version = v.Value
	}
	c.modern = !strings.HasPrefix(version, "3.0")
	c.open("{", t.pos(t.root))
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
	c.components()
	c.shut("}")
	return c.out.String(), c.lines
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

// components writes the referenced schemas, in the order of their names, until
// none is pending.
func (c *cutter) components() {
	c.key("components", Pos{})
	c.open("{", Pos{})
	c.key("schemas", Pos{})
	c.open("{", Pos{})
	for len(c.pending) > 0 {
		batch := c.pending
		c.pending = nil
		sort.Slice(batch, func(i, j int) bool { return c.names[batch[i]] < c.names[batch[j]] })
		for _, n := range batch {
			c.key(c.names[n], c.tree.pos(n))
			c.schema(n, 0)
		}
	}
	c.shut("}")
	c.shut("}")
}

// component is the name under which a referenced schema is kept.
func (c *cutter) component(ref string, n *yaml.Node) string {
	if name, ok := c.names[n]; ok {
		return name
	}
	last := ref[strings.LastIndexAny(ref, "/#")+1:]
	if last == "" || strings.HasSuffix(ref, "/items") {
		last = strings.TrimSuffix(path.Base(strings.TrimRight(strings.TrimSuffix(ref, "/items"), "#/")), path.Ext(ref))
	}
	base := safeComponent(unescapeToken(unescapeURI(last)))
	name := base
	for i := 2; c.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	c.names[n], c.taken[name] = name, true
	c.pending = append(c.pending, n)
	return name
}

func safeComponent(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "schema"
	}
	return s
}
