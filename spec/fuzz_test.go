package spec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/whgen/whgen/spec"
)

// FuzzLoad: whatever the files hold, there is no panic, and every finding has
// a place inside its file.
func FuzzLoad(f *testing.F) {
	base, err := os.ReadFile("testdata/base.yaml")
	if err != nil {
		f.Fatal(err)
	}
	names, _ := filepath.Glob("testdata/rules/*.txtar")
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			switch file.Name {
			case "overlay.yaml":
				f.Add(base, file.Data)
			case "contract.yaml", "contract.json":
				f.Add(file.Data, []byte("overlay: 1.0.0\nactions: []\n"))
			}
		}
	}
	f.Fuzz(func(t *testing.T, contract, overlay []byte) {
		for _, name := range []string{"c.yaml", "c.json"} {
			files := map[string][]byte{name: contract, "o.yaml": overlay}
			read := func(name string) ([]byte, error) {
				if text, ok := files[name]; ok {
					return text, nil
				}
				return nil, os.ErrNotExist
			}
			_, found := spec.Load(spec.Receiver{Contract: name, Overlays: []string{"o.yaml"}, Engine: "sqlite"}, read)
			for _, d := range found {
				inside(t, d, files)
			}
		}
	})
}

// inside checks that a finding stands in a file, on a line that it has, at a
// byte of that line or right behind it.
func inside(t *testing.T, d spec.Diagnostic, files map[string][]byte) {
	text, ok := files[d.Pos.File]
	if !ok {
		t.Fatalf("no such file: %s", d)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	all := bytes.Split(text, []byte("\n"))
	if d.Pos.Line < 1 || d.Pos.Line > len(all) || d.Pos.Column < 1 || d.Pos.Column > len(all[d.Pos.Line-1])+1 {
		t.Fatalf("outside its file: %s", d)
	}
}
