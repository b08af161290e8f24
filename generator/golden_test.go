package generator

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/whgen/whgen/generator/evolution"
	"github.com/whgen/whgen/spec"
)

var update = flag.Bool("update", false, "write the goldens' files (all but sqlc's output) instead of comparing them")

// golden plans and generates every receiver of a golden.
func golden(t *testing.T, dir string) []File {
	t.Helper()
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
	config, found := spec.LoadConfig("whgen.yaml", read)
	if found.HasErrors() {
		t.Fatal(found)
	}
	rel, err := filepath.Rel("..", dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []File
	for _, receiver := range config.Receivers {
		c, found := spec.Load(receiver, read)
		if found.HasErrors() {
			t.Fatal(found)
		}
		p, found := NewPlan(c, PlanOptions{Import: "github.com/whgen/whgen/" + filepath.ToSlash(rel) + "/" + Out(c)})
		if p == nil {
			t.Fatal(found)
		}
		files, err := Generate(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !f.Append || len(existing(t, dir, f)) == 0 {
				all = append(all, f)
				continue
			}
			checkMigrations(t, dir, p, f)
		}
	}
	return all
}

// existing are the migrations that stand beside the one that would be the first.
func existing(t *testing.T, dir string, first File) []evolution.Migration {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(path.Dir(first.Path)), "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var all []evolution.Migration
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, evolution.Migration{Name: filepath.Base(name), Text: string(text), Ours: true})
	}
	return all
}

// checkMigrations: the committed migrations make what the contract needs, and
// where there is one alone it is what is generated for an empty folder.
func checkMigrations(t *testing.T, dir string, p *Plan, first File) {
	t.Helper()
	all := existing(t, dir, first)
	if len(all) == 1 && all[0].Text != string(first.Data) {
		t.Errorf("%s is not what is generated; delete it and run go test ./generator -run Golden -update", first.Path)
	}
	dialect := evolution.Postgres
	if p.Engine == SQLite {
		dialect = evolution.SQLite
	}
	out := evolution.Next(evolution.Input{
		Dialect: dialect, Prefix: p.SQL.Prefix, Folder: path.Dir(first.Path), Existing: all, Init: string(first.Data),
		Where: func(string, string) spec.Pos { return spec.Pos{File: first.Path} },
	})
	if out.Next != nil || out.Findings.HasErrors() {
		t.Errorf("%s: the migrations do not make what the contract needs: %v; generate", path.Dir(first.Path), out.Findings)
	}
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
			files := golden(t, dir)
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
		want := golden(t, dir)
		for range 5 { // Go walks a map in another order each time
			got := golden(t, dir)
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
		files := golden(t, dir)
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
