package quickstart

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

func TestDecide(t *testing.T) {
	released := debug.Module{Path: modulePath, Version: "v0.3.1", Sum: "h1:x"}
	stamped := debug.Module{Path: modulePath, Version: "v0.0.0-20261130071500-b979c0c00000+dirty"}
	replaced := debug.Module{Path: modulePath, Version: "v0.3.1", Sum: "h1:x", Replace: &debug.Module{Path: "../whgen"}}
	for name, one := range map[string]struct {
		facts facts
		want  origin
	}{
		"go run in a checkout":                     {facts{checkout: "/src/whgen", compiled: "/src/whgen", module: stamped}, origin{folder: "/src/whgen"}},
		"a release, in a checkout":                 {facts{checkout: "/src/whgen", module: released}, origin{folder: "/src/whgen"}},
		"go install path@version":                  {facts{module: released}, origin{version: "v0.3.1"}},
		"in a module that requires another":        {facts{required: "/cache/whgen@v0.2.0", compiled: "/cache/whgen@v0.3.1", module: released}, origin{version: "v0.3.1"}},
		"go install in a checkout, run elsewhere":  {facts{compiled: "/src/whgen", module: stamped}, origin{folder: "/src/whgen"}},
		"go tool, replaced by a checkout":          {facts{required: "/src/whgen", compiled: "/src/whgen", module: replaced}, origin{folder: "/src/whgen"}},
		"built with -trimpath, where it is needed": {facts{required: "/src/whgen", module: stamped}, origin{folder: "/src/whgen"}},
	} {
		if got, err := decide(one.facts); err != nil || got != one.want {
			t.Errorf("%s: got %+v, %v; want %+v", name, got, err, one.want)
		}
	}
	_, err := decide(facts{module: stamped})
	if !errors.Is(err, errNoOrigin) || !strings.Contains(err.Error(), "go install "+modulePath+"/cmd/whgen@latest") {
		t.Errorf("got %v, want an error that says what to do", err)
	}
}

func TestLookAroundFindsTheCheckout(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	f := lookAround(t.Context())
	if f.checkout != root || f.compiled != root {
		t.Errorf("got %+v, want %s", f, root)
	}
}

func parse(t *testing.T, o origin) (*modfile.File, string) {
	t.Helper()
	gomod, gosum, err := o.module()
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", gomod, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Module.Mod.Path != "example.com/quickstart" {
		t.Errorf("got the module %s", f.Module.Mod.Path)
	}
	return f, string(gosum)
}

func TestModuleOfARelease(t *testing.T) {
	f, sums := parse(t, origin{version: "v0.3.1"})
	if len(f.Replace) != 0 || len(f.Require) != 1 || f.Require[0].Mod.String() != modulePath+"@v0.3.1" || sums != "" {
		t.Errorf("got require %v, replace %v, sums %q", f.Require, f.Replace, sums)
	}
}

func TestModuleOfACheckout(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	f, sums := parse(t, origin{folder: root})
	if len(f.Replace) != 1 || f.Replace[0].Old.Path != modulePath || f.Replace[0].New.Path != root {
		t.Errorf("got replace %v", f.Replace)
	}
	want, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil || sums != string(want) {
		t.Errorf("go.sum is not the checkout's (%v)", err)
	}
	for _, r := range f.Require {
		if r.Mod.Path == "modernc.org/sqlite" {
			return
		}
	}
	t.Error("the versions of the checkout are not required")
}
