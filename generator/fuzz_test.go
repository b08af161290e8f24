package generator

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/whgen/whgen/spec"
)

// FuzzGenerate makes a document of the input, a choice a byte: schemas of every
// kind, named after whatever a document can name them. What loads must give Go
// that compiles.
func FuzzGenerate(f *testing.F) {
	f.Add([]byte("a few bytes"))
	for i := range 24 {
		seed := make([]byte, 600)
		for j := range seed {
			seed[j] = byte((i + 1) * (j + 7) * (j + 3) >> 2)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		d := &drawer{choices: choices}
		text := d.document(t)
		read := func(name string) ([]byte, error) {
			if name == "c.json" {
				return text, nil
			}
			return nil, os.ErrNotExist
		}
		c, found := spec.Load(spec.Receiver{Contract: "c.json", Engine: "sqlite", Package: "shop", Migrations: "goose"}, read)
		for _, one := range found {
			if lines := strings.Count(string(text), "\n") + 1; one.Pos.File != "c.json" || one.Pos.Line < 1 || one.Pos.Line > lines {
				t.Fatalf("outside its file: %s", one)
			}
		}
		if c == nil {
			return
		}
		p, found := NewPlan(c, PlanOptions{Import: "example.com/shop"})
		if p == nil {
			t.Fatalf("no plan of\n%s\n%v", text, found)
		}
		files, err := Generate(p)
		if err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
		compiles(t, files, text)
	})
}

// imported are the packages that generated code imports, as the go command has
// compiled them.
var imported = sync.OnceValues(func() (types.Importer, *token.FileSet) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", whrtPath, payloadPath, signaturePath).Output()
	if err != nil {
		panic(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	set := token.NewFileSet()
	return importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }), set
})

// compiles checks the types of what does not need sqlc's output.
func compiles(t *testing.T, files []File, document []byte) {
	t.Helper()
	from, set := imported()
	var parsed []*ast.File
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		file, err := parser.ParseFile(set, f.Path, f.Data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%v of\n%s", err, document)
		}
		if strings.HasSuffix(f.Path, "/events_gen.go") || strings.HasSuffix(f.Path, "/definition_gen.go") {
			parsed = append(parsed, file)
		}
	}
	config := types.Config{Importer: from}
	if _, err := config.Check("example.com/shop", set, parsed, nil); err != nil {
		t.Fatalf("%v of\n%s", err, document)
	}
}

// drawer makes choices of bytes; without any left, the first one.
type drawer struct {
	choices []byte
	depth   int
}

func (d *drawer) draw(n int) int {
	if len(d.choices) == 0 || n < 2 {
		return 0
	}
	b := d.choices[0]
	d.choices = d.choices[1:]
	return int(b) % n
}

func pick[T any](d *drawer, all ...T) T { return all[d.draw(len(all))] }

type object = map[string]any

func (d *drawer) document(t *testing.T) []byte {
	schemas := object{}
	for range 1 + d.draw(7) {
		schemas[d.name()] = d.schema()
	}
	for _, name := range []string{"A", "B", "Base"} {
		schemas[name] = d.schema()
	}
	webhooks := object{}
	for i := range 1 + d.draw(3) {
		webhooks[pick(d, "order.paid", "order-paid", "Заказ", "select", "string", "handler", "1")] = object{"post": object{
			"summary": d.text(), "description": d.text(),
			"x-whgen":     object{"event": fmt.Sprintf("type%d", i), "name": fmt.Sprintf("%s%d", pick(d, "event", "select", "config", "tx"), i)},
			"requestBody": object{"content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/" + pick(d, "A", "B", "Base")}}}},
		}}
	}
	text, err := json.MarshalIndent(object{
		"openapi": pick(d, "3.1.0", "3.0.3", "3.2.0"), "info": object{"title": d.text(), "version": "1"},
		"x-whgen": object{
			"version": 1, "source": "shop", "signature": object{"type": "none", "reason": "A test."},
			"event":    object{"type": object{"from": "/type", "undeclared": true}, "key": object{"from": "/id", "undeclared": true}},
			"outcomes": object{"processed": 200, "duplicate": 200, "conflict": 200, "inProgress": 503, "failed": 503},
		},
		"webhooks": webhooks, "components": object{"schemas": schemas},
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (d *drawer) name() string {
	return pick(d, "id", "ID", "Id", "type", "data", "+1", "-1", "1", "1st", "", " ", "a.b", "a_b", "aB", "日本", "ключ", "é", "func", "nil", "error",
		"Rest", "MarshalJSON", "Config", "Handler", "Tx", "New", "a\"b", "a`b", "a\nb", "a/b", "a~b", "$ref", "Union", "Kind", "Raw", "😀", "_", "x_test", "payload", "context")
}

func (d *drawer) text() string {
	return pick(d, "", "*/ package x", "//go:embed x", "a\r\nb\u2028c", "Deprecated: gone.", "line\n\n//line x.go:1", "`", strings.Repeat("long ", 40), "\u202e", "\x00")
}

func (d *drawer) schema() any {
	d.depth++
	defer func() { d.depth-- }()
	if d.depth > 6 {
		return object{"type": "string"}
	}
	s := object{}
	for range 1 + d.draw(3) {
		d.keyword(s)
	}
	return pick[any](d, s, s, s, s, s, s, s, s, s, s, true, object{})
}

func (d *drawer) keyword(s object) {
	switch d.draw(16) {
	case 0, 1, 2:
		s["type"] = "object"
		s["properties"] = d.properties()
	case 3:
		s["type"] = pick[any](d, "string", "integer", "number", "boolean", "array", "object", "null", []any{"string", "null"}, []any{"object", "null"}, []any{"integer", "string"}, []any{}, 5, "any")
	case 4:
		s["$ref"] = pick[any](d, "#/components/schemas/A", "#/components/schemas/B", "#/components/schemas/Base", "#/components/schemas/A/properties/id", "#/nowhere", "other.yaml", 5, "")
	case 5:
		s["enum"] = pick[any](d, []any{"a", "A", "+1", "-1", "", " "}, []any{1, 2, 1.0}, []any{"a", nil}, []any{"a", 1, true, object{}}, []any{nil}, []any{1.5}, []any{"x", "x"}, []any{})
	case 6:
		s["const"] = pick[any](d, "a", 1, nil, object{"a": 1}, []any{1}, true)
	case 7:
		s["items"] = d.schema()
	case 8:
		s["additionalProperties"] = pick(d, d.schema(), true, false)
	case 9, 10, 11:
		s[pick(d, "allOf", "oneOf", "anyOf")] = d.schemas()
	case 12:
		s["discriminator"] = object{"propertyName": d.name(), "mapping": pick(d, object{}, object{"a": "A", "b": "#/components/schemas/B"}, object{d.name(): "Base"})}
	case 13:
		s["required"] = []any{"id", d.name(), d.name()}
	case 14:
		s["nullable"] = true
		s["format"] = pick(d, "date-time", "date", "int64", "int32", "binary", "uuid", "decimal")
	case 15:
		s["title"], s["description"] = d.name(), d.text()
	}
}

func (d *drawer) schemas() []any {
	all := []any{}
	for range 1 + d.draw(3) {
		all = append(all, d.schema())
	}
	return all
}

func (d *drawer) properties() object {
	all := object{}
	for range d.draw(5) {
		all[d.name()] = d.schema()
	}
	return all
}
