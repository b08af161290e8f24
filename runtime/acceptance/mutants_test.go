package acceptance_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const checkout = "../.."

// edit changes a text of a copied package, at every place where it stands.
type edit struct{ file, old, new string }

// mutant is a copy of a generated package in which one rule is broken.
type mutant struct {
	of    string // folder of the package, in the checkout
	edits []edit
	add   map[string]string // files
	red   string            // regular expression that the failure must match; "" for a sound copy
}

// TestMutantsOnSQLite breaks one rule of a receiver at a time and wants its
// acceptance test red, at the step that is there for the rule.
func TestMutantsOnSQLite(t *testing.T) { hunt(t, onSQLite) }

// TestMutantsOnPostgres is the same on PostgreSQL.
func TestMutantsOnPostgres(t *testing.T) {
	t.Setenv("WHGEN_TEST_POSTGRES_DSN", pgtest.DSN(t)) // one server for all
	hunt(t, onPostgres)
}

// hunt puts the copies into one module, so that what they share is compiled once.
func hunt(t *testing.T, mutants map[string]mutant) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles packages")
	}
	root := t.TempDir()
	modFiles(t, root)
	for name, m := range mutants {
		m.copy(t, root, name)
	}
	said := runAll(t, root)
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			got, ok := said["mutants.test/"+folder(name)]
			switch {
			case !ok:
				t.Fatal("its test did not run")
			case m.red == "" && !got.green:
				t.Errorf("the sound copy is red:\n%s", got.text)
			case m.red != "" && got.green:
				t.Errorf("the acceptance test is green:\n%s", got.text)
			case m.red != "" && !regexp.MustCompile(m.red).MatchString(got.text):
				t.Errorf("red, but not for %s:\n%s", m.red, got.text)
			}
		})
	}
}

func folder(name string) string { return strings.ReplaceAll(name, " ", "_") }

// modFiles makes a module with the requirements of this one, which is at hand:
// nothing is downloaded.
func modFiles(t *testing.T, root string) {
	t.Helper()
	here, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	mod := read(t, filepath.Join(here, "go.mod"))
	mod = strings.Replace(mod, "module github.com/whgen/whgen", "module mutants.test", 1)
	mod += "\nrequire github.com/whgen/whgen v0.0.0\nreplace github.com/whgen/whgen => " + here + "\n"
	write(t, filepath.Join(root, "go.mod"), mod)
	write(t, filepath.Join(root, "go.sum"), read(t, filepath.Join(here, "go.sum")))
}

// copy writes the package with its edits. An edit that finds nothing is an error:
// the mutant would be a sound one.
func (m mutant) copy(t *testing.T, root, name string) {
	t.Helper()
	from, to := filepath.Join(checkout, m.of), filepath.Join(root, folder(name))
	made := map[int]bool{}
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(read(t, path), "github.com/whgen/whgen/"+m.of, "mutants.test/"+folder(name))
		for i, e := range m.edits {
			if e.file == filepath.ToSlash(inside) && strings.Contains(text, e.old) {
				text, made[i] = strings.ReplaceAll(text, e.old, e.new), true
			}
		}
		write(t, filepath.Join(to, inside), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range m.add {
		write(t, filepath.Join(to, file), strings.ReplaceAll(text, "{package}", "mutants.test/"+folder(name)))
	}
	for i, e := range m.edits {
		if !made[i] {
			t.Fatalf("mutant %q: %s does not hold %q", name, e.file, e.old)
		}
	}
}

type result struct {
	green bool
	text  string
}

// runAll runs the tests of a module and gives what each package has said.
func runAll(t *testing.T, root string) map[string]result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-json", "-vet=off", "-ldflags=-s -w", "-count=1", "-run", "TestAcceptance", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, _ := cmd.Output() // not zero: red is what they are to be
	said, texts := map[string]result{}, map[string]*strings.Builder{}
	for line := range bytes.Lines(out) {
		var e struct{ Action, Package, ImportPath, Test, Output string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("read %q: %v\n%s", line, err, problems.Bytes())
		}
		if e.Package == "" {
			e.Package, _, _ = strings.Cut(e.ImportPath, " ")
		}
		if texts[e.Package] == nil {
			texts[e.Package] = &strings.Builder{}
		}
		texts[e.Package].WriteString(e.Output)
		if e.Test == "" && (e.Action == "pass" || e.Action == "fail") {
			said[e.Package] = result{e.Action == "pass", texts[e.Package].String()}
		}
	}
	if len(said) == 0 {
		t.Fatalf("nothing ran:\n%s%s", out, problems.Bytes())
	}
	t.Logf("ran %s", strings.Join(slices.Sorted(maps.Keys(said)), ", "))
	return said
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
