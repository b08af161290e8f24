package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestImportPath(t *testing.T) {
	root := filepath.Join(t.TempDir(), "some folder @ home")
	put(t, filepath.Join(root, "a/go.mod"), "// a comment\nmodule example.com/a/v2 // another\n\ngo 1.26\n")
	put(t, filepath.Join(root, "a/nested/go.mod"), "module \"example.com/quoted\"\n")
	put(t, filepath.Join(root, "b/go.mod"), "module (\n\texample.com/b\n)\nreplace example.com/a => ../a\n")
	put(t, filepath.Join(root, "go.work"), "go 1.26\nuse (\n\t./a\n\t./b\n)\n")
	put(t, filepath.Join(root, "broken/go.mod"), "go 1.26\n")
	put(t, filepath.Join(root, "none/x"), "")
	if err := os.Symlink(filepath.Join(root, "b"), filepath.Join(root, "none/link")); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{
		"a/internal/hooks":         "example.com/a/v2/internal/hooks",
		"a":                        "example.com/a/v2",
		"a/nested/internal/hooks":  "example.com/quoted/internal/hooks",
		"a/../b/hooks":             "example.com/b/hooks",
		"none/link":                "example.com/b",
		"broken/hooks":             "no module line",
		"none/hooks":               "go mod init",
		"a/internal/my hooks":      "cannot hold a Go package",
		"a/internal/hooks@home/in": "cannot hold a Go package",
	} {
		got, err := ImportPath(filepath.Join(root, folder))
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: got %q, want %q", folder, got, want)
		}
	}
}
