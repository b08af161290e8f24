package spec_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/whgen/whgen/spec"
)

var update = flag.Bool("update", false, "write what is found into the txtar files")

// TestRules runs one txtar a rule: a contract of its own or an overlay on
// testdata/base.yaml, and the exact diagnostics that it must give.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("find rules: %d files, %v", len(files), err)
	}
	base, err := os.ReadFile("testdata/base.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rule(t, name, archive, base)
		})
	}
}

func rule(t *testing.T, name string, archive *txtar.Archive, base []byte) {
	files := map[string][]byte{"base.yaml": base}
	want := -1
	for i, f := range archive.Files {
		if f.Name == "want" {
			want = i
			continue
		}
		files[f.Name] = f.Data
	}
	if want < 0 {
		t.Fatal("the archive has no want")
	}
	got := lines(lint(files))
	if *update {
		archive.Files[want].Data = []byte(got)
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != string(archive.Files[want].Data) {
		t.Errorf("got\n%s\nwant\n%s", got, archive.Files[want].Data)
	}
}

// lint reads whatever the files are: a whgen.yaml, a contract, or an overlay.
func lint(files map[string][]byte) spec.Diagnostics {
	read := func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return text, nil
		}
		return nil, os.ErrNotExist
	}
	if _, ok := files["whgen.yaml"]; ok {
		_, found := spec.LoadConfig("whgen.yaml", read)
		return found
	}
	r := spec.Receiver{Contract: "base.yaml", Engine: "sqlite", ScaffoldHandler: true}
	for _, own := range []string{"contract.yaml", "contract.json"} {
		if _, ok := files[own]; ok {
			r.Contract = own
		}
	}
	if _, ok := files["overlay.yaml"]; ok {
		r.Overlays = []string{"overlay.yaml"}
	}
	_, found := spec.Load(r, read)
	return found
}

func lines(found spec.Diagnostics) string {
	var b strings.Builder
	for _, d := range found {
		b.WriteString(d.String())
		b.WriteByte('\n')
	}
	return b.String()
}
