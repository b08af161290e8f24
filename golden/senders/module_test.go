package senders

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"gopkg.in/yaml.v3"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/spec"
)

// module is a scratch module that holds every sender's packages.
type module struct {
	*testing.T
	folder string
	whgen  string // the program under test
}

func newModule(t *testing.T) *module {
	m := &module{T: t, folder: t.TempDir()}
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	m.whgen = filepath.Join(t.TempDir(), "whgen")
	if out, err := m.run(top, "go", "build", "-o", m.whgen, "./cmd/whgen"); err != nil {
		t.Fatalf("build whgen: %v\n%s", err, out)
	}
	gomod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)^(module .*|tool .*)$`).ReplaceAllString(string(gomod), "")
	m.write("go.mod", []byte("module senders\n"+text+"\nrequire github.com/whgen/whgen v0.0.0\nreplace github.com/whgen/whgen => "+top+"\n"))
	sums, err := os.ReadFile(filepath.Join(top, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	m.write("go.sum", sums)
	return m
}

func (m *module) write(name string, text []byte) {
	full := filepath.Join(m.folder, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(full, text, 0o644); err != nil {
		m.Fatal(err)
	}
}

func (m *module) copy(from, to string) {
	if err := os.MkdirAll(to, 0o755); err != nil {
		m.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		m.Fatal(err)
	}
}

// receiver is one generated package of a sender.
type receiver struct {
	Import, Folder string
	Plan           *generator.Plan
}

// configure rewrites whgen.yaml for SQLite, without scaffolds and with folders
// of our choice.
func (s *sender) configure() error {
	name := filepath.Join(s.folder, s.name, "whgen.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var config struct {
		Version   any
		Receivers []map[string]any
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	for i, r := range config.Receivers {
		delete(r, "driver")
		r["engine"], r["out"] = "sqlite", fmt.Sprintf("out%d", i)
		r["scaffold"] = map[string]any{"main": "-", "handler": false}
	}
	text, err = yaml.Marshal(map[string]any{"version": config.Version, "receivers": config.Receivers})
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

const packageText = `package {{.Plan.Package}}

import (
	"context"
	"database/sql"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/golden/senders/check"
)

// Checked is what the check needs of the package.
var Checked = check.Receiver{
	Definition: definition,
	Migrate:    Migrate,
	Store:      func(db *sql.DB) whrt.Store { return newStore(db{{if .Plan.HasHandler}}, checkHandler{}{{end}}) },
	Written: map[string]func([]byte) ([]byte, error){
		{{- range .Plan.Events}}
		{{printf "%q" .Spec.Name}}: check.Written[{{or .Payload "whrt.Raw"}}],
		{{- end}}
	},
}
{{- if .Plan.HasHandler}}

type checkHandler struct{ UnimplementedHandler }
{{- range .Plan.Events}}{{if .Spec.Handler}}

func (checkHandler) {{.GoName}}(_ context.Context, _ Tx, e whrt.Incoming[{{or .Payload "whrt.Raw"}}]) error { return check.Handled(e) }
{{- end}}{{end}}{{else}}

var _ = context.Background
{{end}}
`

// glue adds a file to each generated package through which the check sees it.
func (s *sender) glue() error {
	folder := filepath.Join(s.folder, s.name)
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(folder, filepath.FromSlash(name))) }
	config, found := spec.LoadConfig("whgen.yaml", read)
	if config == nil {
		return fmt.Errorf("whgen.yaml: %v", found)
	}
	for i, r := range config.Receivers {
		contract, found := spec.Load(r, read)
		if contract == nil {
			return fmt.Errorf("%s: %v", r.Contract, found)
		}
		one := receiver{Folder: fmt.Sprintf("%s/out%d", s.name, i)}
		one.Import = "senders/" + one.Folder
		if one.Plan, found = generator.NewPlan(contract, generator.PlanOptions{Import: one.Import}); one.Plan == nil {
			return fmt.Errorf("%s: %v", r.Contract, found)
		}
		if err := s.render(one.Folder+"/check.go", packageText, one); err != nil {
			return err
		}
		s.receivers = append(s.receivers, one)
	}
	return nil
}

const programText = `package main

import (
	"fmt"
	"os"

	"github.com/whgen/whgen/golden/senders/check"
	{{- range $i, $s := .}}{{range $j, $r := $s.Receivers}}
	s{{$i}}r{{$j}} "{{$r.Import}}"
	{{- end}}{{end}}
)

func main() {
	err := check.Main(os.Stdout, os.Args[1], []check.Sender{
		{{- range $i, $s := .}}
		{
			Name: {{printf "%q" $s.Name}},
			Receivers: []check.Receiver{ {{- range $j, $r := $s.Receivers}}s{{$i}}r{{$j}}.Checked, {{end -}} },
			Expected: check.ReadExpectations({{printf "%q" $s.Expected}}),
		},
		{{- end}}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

type programSender struct {
	Name      string
	Receivers []receiver
	Expected  string // JSON
}

// program writes the program that delivers.
func (m *module) program(all []*sender) error {
	var out []programSender
	for _, s := range all {
		p := programSender{Name: s.name, Receivers: s.receivers, Expected: "{}"}
		text, err := os.ReadFile(filepath.Join(m.folder, s.name, "expected.json"))
		if err == nil {
			p.Expected = string(text)
		} else if !os.IsNotExist(err) {
			return fmt.Errorf("read expected.json of %s: %w", s.name, err)
		}
		out = append(out, p)
	}
	return m.render("deliver/main.go", programText, out)
}

func (m *module) render(name, text string, data any) error {
	var b bytes.Buffer
	if err := template.Must(template.New(name).Parse(text)).Execute(&b, data); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	source, err := format.Source(bytes.TrimLeft(b.Bytes(), "\n"))
	if err != nil {
		return fmt.Errorf("format %s: %w\n%s", name, err, strings.TrimSpace(b.String()))
	}
	m.write(name, source)
	return nil
}
