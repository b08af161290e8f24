package whgen

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/whgen/whgen/"

// allowed says which folders of this module a folder may import, by prefix. A
// folder is judged by its longest prefix here; one without an entry may import
// nothing of the module.
var allowed = map[string][]string{
	"cmd":                    {"generator", "spec"},
	"generator":              {"generator", "spec", "templates"},
	"generator/send":         {"generator", "spec", "runtime/signature"}, // signs as the runtime verifies
	"spec":                   {"spec"},
	"templates":              {},
	"runtime":                {"runtime"},
	"runtime/signature":      {},
	"runtime/signature/jose": {"runtime/signature"},
	"runtime/outbox":         {"runtime/internal/dial"},
	"runtime/keys":           {"runtime/internal/dial"},
	"runtime/payload":        {},
	"runtime/migrate":        {},
	"examples":               {"runtime", "examples"},
	"golden":                 {"runtime", "golden"},
	"bench":                  {"runtime", "examples", "bench"},
}

// libraries says which packages from outside runtime may import: a receiver in
// production stays small. Some packages of runtime are linked only by those who
// name them.
var libraries = map[string][]string{
	"runtime":                {"github.com/go-json-experiment/json"},
	"runtime/payload":        {"github.com/go-json-experiment/json"},
	"runtime/signature":      {},
	"runtime/signature/jose": {"github.com/go-jose/go-jose/v4"},
	"runtime/outbox":         {},
	"runtime/keys":           {},
	"runtime/migrate":        {"github.com/pressly/goose/v3"},
	"runtime/pgxstore":       {"github.com/jackc/pgx/v5"},
	"runtime/pgsqlstore":     {},
	"runtime/sqlitestore":    {},
	"runtime/acceptance":     {},
	"runtime/internal":       {},
}

// optional are packages with libraries of their own that no other package of
// runtime may bring into a receiver: generated code imports them where needed.
var optional = []string{"runtime/signature/jose"}

func TestLayering(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); base != "." && (strings.HasPrefix(base, ".") || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		seen++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder := path.Dir(filepath.ToSlash(name))
		for _, i := range file.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if why := refused(folder, imported); why != "" {
				t.Errorf("%s imports %s: %s", name, imported, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Fatalf("read %d files, want the whole module", seen)
	}
}

func TestLayeringRefuses(t *testing.T) {
	for _, c := range []struct{ folder, imported string }{
		{"runtime", module + "spec"},
		{"runtime", "github.com/spf13/cobra"},
		{"runtime/outbox", "github.com/jackc/pgx/v5"},
		{"runtime/signature", module + "runtime"},
		{"runtime/signature", "github.com/go-jose/go-jose/v4"},
		{"runtime", module + "runtime/signature/jose"},
		{"spec", module + "generator"},
		{"generator", module + "runtime"},
		{"generator", module + "cmd/whgen"},
		{"cmd/whgen", module + "examples/orders"},
		{"examples/orders", module + "generator"},
	} {
		if refused(c.folder, c.imported) == "" {
			t.Errorf("%s may import %s", c.folder, c.imported)
		}
	}
}

// refused says why a folder may not import a package, "" where it may.
func refused(folder, imported string) string {
	if below, ok := strings.CutPrefix(imported, module); ok {
		if strings.HasPrefix(folder, "runtime") && slices.Contains(optional, below) {
			return "only a receiver that needs it is linked with it"
		}
		if strings.HasPrefix(below, folder+"/") || within(below, longest(allowed, folder)) {
			return ""
		}
		return "not one of " + strings.Join(longest(allowed, folder), ", ")
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") || !strings.HasPrefix(folder, "runtime") {
		return "" // the standard library, or a folder that may use libraries
	}
	if within(imported, longest(libraries, folder)) {
		return ""
	}
	return "runtime is the standard library and " + strings.Join(longest(libraries, folder), ", ")
}

func longest(rules map[string][]string, folder string) []string {
	for ; folder != "." && folder != "/"; folder = path.Dir(folder) {
		if found, ok := rules[folder]; ok {
			return found
		}
	}
	return nil
}

func within(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if name == p || strings.HasPrefix(name, p+"/") {
			return true
		}
	}
	return false
}
