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
// examples, $CHECKOUT this module.
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
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("CHECKOUT", checkout)
			e.Setenv("ORDERS", filepath.Join(checkout, "examples/orders/contracts/orders.openapi.yaml"))
			e.Setenv("GOCACHE", paths[0])
			e.Setenv("GOMODCACHE", paths[1])
			return os.MkdirAll(filepath.Join(e.WorkDir, "contracts"), 0o777)
		},
	})
}
