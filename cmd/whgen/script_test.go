package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"whgen": main})
}

// TestScripts runs one behaviour a script; $ORDERS is the contract of the
// examples, $CHECKOUT this module. Beside testscript's own commands there is
//
//	replace FILE OLD NEW
//
// where \n in OLD and NEW is a line end.
func TestScripts(t *testing.T) {
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	paths := strings.Fields(string(cache))
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"replace": replace},
		Setup: func(e *testscript.Env) error {
			e.Setenv("CHECKOUT", checkout)
			e.Setenv("ORDERS", filepath.Join(checkout, "examples/orders/contracts/orders.openapi.yaml"))
			e.Setenv("GOCACHE", paths[0])
			e.Setenv("GOMODCACHE", paths[1])
			return os.MkdirAll(filepath.Join(e.WorkDir, "contracts"), 0o777)
		},
	})
}

func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	old, text := strings.ReplaceAll(args[1], `\n`, "\n"), ts.ReadFile(args[0])
	if !strings.Contains(text, old) {
		ts.Fatalf("%s does not hold %q", args[0], old)
	}
	text = strings.ReplaceAll(text, old, strings.ReplaceAll(args[2], `\n`, "\n"))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}
