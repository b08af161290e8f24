package conformance

import (
	"slices"
	"testing"
)

// caseOf is one row of the table.
type caseOf struct {
	name string
	run  func(b *bench)
	// both runs it for what the contract declares too, not only for a handler's work.
	both   bool
	only   func(b Backend) bool // nil: every backend
	habits bool                 // it is about the receiver of golden/habits
	quiet  bool                 // no relay in this process: it is about another's
}

// Run runs the whole table on a backend, or the named cases of it. scratch gives
// the address of a new, empty database each time.
func Run(t *testing.T, backend Backend, scratch func(t *testing.T) string, names ...string) {
	var all []caseOf
	for _, list := range [][]caseOf{repeats, races, failures, boundaries, requests, contents, secrets, habits, columns, crowds, outsides, locks} {
		all = append(all, list...)
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(c caseOf) bool { return c.name == name }) {
			t.Fatalf("there is no case %q", name)
		}
	}
	for _, c := range all {
		if !c.fits(backend) || len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if !c.both {
				c.on(newBench(t, backend, c, "paid", scratch(t)))
				return
			}
			for _, kind := range []string{"paid", "settled"} {
				t.Run(kind, func(t *testing.T) { c.on(newBench(t, backend, c, kind, scratch(t))) })
			}
		})
	}
}

func (c caseOf) fits(b Backend) bool { return c.only == nil || c.only(b) }

func (c caseOf) on(b *bench) {
	c.run(b)
	if !b.Failed() && !c.quiet {
		b.settle()
	}
}

func postgres(b Backend) bool { return b.Postgres }
func sqlite(b Backend) bool   { return !b.Postgres }
func quick(b Backend) bool    { return !b.Light }
