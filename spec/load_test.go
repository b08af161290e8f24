package spec_test

import (
	"os"
	"path"
	"testing"

	"github.com/whgen/whgen/spec"
)

// folder reads from a folder of the project.
func folder(dir string) spec.ReadFile {
	return func(name string) ([]byte, error) { return os.ReadFile(path.Join(dir, name)) }
}

func TestOrdersExampleLoads(t *testing.T) {
	read := folder("../examples/orders")
	config, found := spec.LoadConfig("whgen.yaml", read)
	if config == nil {
		t.Fatalf("config: %v", found)
	}
	for _, r := range config.Receivers {
		c, found := spec.Load(r, read)
		for _, d := range found {
			t.Log(d)
		}
		if c == nil {
			t.Fatalf("%s does not load", r.Contract)
		}
		want := []string{"orderCancelled", "orderCreated"}
		if len(c.Events) != len(want) {
			t.Fatalf("got %d events, want %v", len(c.Events), want)
		}
		for i, e := range c.Events {
			if e.Name != want[i] {
				t.Errorf("event %d: got %q, want %q", i, e.Name, want[i])
			}
		}
	}
}
