package conformance

import (
	"slices"
	"testing"
)

// kinds says for which kinds of events a case is run.
type kinds int

const (
	paid  kinds = iota // the handler's only: the case is about its work
	both               // and what the contract declares
	other              // not about events of Credits
)

// caseOf is one row of the table.
type caseOf struct {
	name  string
	kinds kinds
	run   func(b *bench)
	quiet bool                 // no relay in this process: the case is about another's
	only  func(b Backend) bool // nil: every backend
}

// Run runs the whole table on a backend, or the named cases of it. scratch gives
// the address of a new, empty database each time.
func Run(t *testing.T, backend Backend, scratch func(t *testing.T) string, names ...string) {
	var all []caseOf
	for _, list := range [][]caseOf{repeats, races, failures, boundaries, requests, contents, secrets, habits, outsides, locks} {
		all = append(all, list...)
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(c caseOf) bool { return c.name == name }) {
			t.Fatalf("there is no case %q", name)
		}
	}
	for _, c := range all {
		if c.only != nil && !c.only(backend) || len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			switch c.kinds {
			case both:
				for _, kind := range []string{"paid", "settled"} {
					t.Run(kind, func(t *testing.T) { c.on(t, backend, kind, scratch) })
				}
			default:
				c.on(t, backend, "paid", scratch)
			}
		})
	}
}

func (c caseOf) on(t *testing.T, backend Backend, kind string, scratch func(t *testing.T) string) {
	b := newBench(t, backend, kind, scratch(t), c.quiet)
	c.run(b)
	if !t.Failed() && !c.quiet {
		b.settle()
	}
}

func postgres(b Backend) bool  { return b.Postgres }
func sqlite(b Backend) bool    { return !b.Postgres }
func hasHabits(b Backend) bool { return b.Habits }
func quick(b Backend) bool     { return !b.Light }
