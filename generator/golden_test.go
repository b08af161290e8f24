package generator

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

var update = flag.Bool("update", false, "write the goldens' files (all but sqlc's output) instead of comparing them")

// golden plans and generates the one receiver of a golden.
func golden(t *testing.T, dir string) (*Plan, []File) {
	t.Helper()
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
	config, found := spec.LoadConfig("whgen.yaml", read)
	if found.HasErrors() {
		t.Fatal(found)
	}
	c, found := spec.Load(config.Receivers[0], read)
	if found.HasErrors() {
		t.Fatal(found)
	}
	rel, err := filepath.Rel("..", dir)
	if err != nil {
		t.Fatal(err)
	}
	p, found := NewPlan(c, PlanOptions{Import: "github.com/whgen/whgen/" + filepath.ToSlash(rel) + "/" + Out(c)})
	if p == nil {
		t.Fatal(found)
	}
	files, err := Generate(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, files
}

func goldens(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob("../golden/*/whgen.yaml")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs
}

func TestGolden(t *testing.T) {
	for _, dir := range goldens(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			_, files := golden(t, dir)
			for _, f := range files {
				name := filepath.Join(dir, filepath.FromSlash(f.Path))
				if *update {
					writeGolden(t, name, f)
					continue
				}
				got, err := os.ReadFile(name)
				if err != nil {
					t.Errorf("%v; run go test ./generator -run Golden -update", err)
				} else if !f.Once && !bytes.Equal(got, f.Data) {
					t.Errorf("%s is not what is generated; run go test ./generator -run Golden -update", f.Path)
				}
			}
		})
	}
}

func writeGolden(t *testing.T, name string, f File) {
	t.Helper()
	if _, err := os.Stat(name); err == nil && f.Once {
		return
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, f.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	for _, dir := range goldens(t) {
		_, want := golden(t, dir)
		for range 5 { // Go walks a map in another order each time
			_, got := golden(t, dir)
			if !slices.EqualFunc(got, want, func(a, b File) bool { return a.Path == b.Path && bytes.Equal(a.Data, b.Data) }) {
				t.Fatalf("%s: two runs differ", dir)
			}
		}
	}
}

// TestOrderOfMembersDoesNotMatter permutes the lines of a document's schemas.
func TestOrderOfMembersDoesNotMatter(t *testing.T) {
	lines := []string{
		"    Order: {type: object, required: [id], properties: {id: {type: string}, b: {$ref: '#/components/schemas/order'}}}",
		"    order: {type: object, properties: {c: {$ref: '#/components/schemas/Order_'}}}",
		"    Order_: {type: object, properties: {a: {type: object, properties: {x: {type: string}}}}}",
		"    OrderB: {type: object, properties: {a: {$ref: '#/components/schemas/Order'}}}",
	}
	want := ""
	for range 8 {
		rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		p := mustPlan(t, contractOf(t, smallDocument("OrderB")+strings.Join(lines, "\n")))
		got := ""
		for _, typ := range p.Types {
			got += typ.GoName + "\n"
			for _, f := range typ.Fields {
				got += "\t" + f.GoName + " " + f.GoType.expr().GoString() + "\n"
			}
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func smallDocument(schema string) string {
	return `openapi: 3.1.0
info: {title: Small, version: "1"}
webhooks:
  made:
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/` + schema + `'}}}}
      responses: {"200": {description: ok}}
components:
  schemas:
`
}

// TestGeneratedGoIsMarked checks header and syntax of all Go files.
func TestGeneratedGoIsMarked(t *testing.T) {
	header := regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.\n`)
	for _, dir := range goldens(t) {
		_, files := golden(t, dir)
		for _, f := range files {
			if filepath.Ext(f.Path) != ".go" || f.Once {
				continue
			}
			if !header.Match(f.Data) {
				t.Errorf("%s: no header", f.Path)
			}
			if bytes.ContainsRune(f.Data, '\r') {
				t.Errorf("%s: holds a carriage return", f.Path)
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.ParseComments)
			if err != nil {
				t.Error(err)
				continue
			}
			everyTypeHasADoc(t, f.Path, parsed)
		}
	}
}

func everyTypeHasADoc(t *testing.T, path string, file *ast.File) {
	t.Helper()
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE && g.Doc == nil {
			if name := g.Specs[0].(*ast.TypeSpec).Name; name.IsExported() {
				t.Errorf("%s: type %s has no doc comment", path, name.Name)
			}
		}
	}
}
