package acceptance

import (
	"context"
	"slices"
	"testing"
)

// Setup is what the test needs of the user. DB is the package's database handle
// and H its handler, NoHandler where the contract has no event for one. The zero
// value is good for a package without a handler.
type Setup[DB, H any] struct {
	// Open gives a scratch database of the user's own, which the user closes. nil:
	// a new one that is thrown away. The test refuses a database whose name does
	// not say that it is one, and one that holds rows.
	Open func(t *testing.T) DB
	// Migrate makes the user's own tables, after those of the receiver.
	Migrate func(ctx context.Context, db DB) error
	// Handler is the user's handler: it is really called, in the transaction that
	// claims the event. Steps that need a failure let it run first.
	Handler H
	// Count are queries of one number each, by the name to print it under: rows
	// of tables that the handler or a trigger writes. Events of one kind must
	// change them alike, and what is not processed must leave them as they are.
	Count map[string]string
	// Grow is, by the event's name in the contract, by how much one event changes
	// the numbers of Count; one that is left out must stay as it is. For an event
	// without an entry it is what the first of its kind has changed, and the
	// handler must have changed something.
	Grow map[string]map[string]int
}

// NoHandler stands for the handler of a package that needs none.
type NoHandler struct{}

func (s Setup[DB, H]) check(t *testing.T, events []Event) {
	t.Helper()
	if any(s.Handler) == nil {
		t.Fatal("setup gives no Handler: give the one that your program runs, in acceptance_setup_test.go")
	}
	if _, none := any(s.Handler).(NoHandler); !none && len(s.Count) == 0 {
		t.Log("Setup.Count is empty: what your handler writes is not counted")
	}
	for event, grow := range s.Grow {
		if !slices.ContainsFunc(events, func(e Event) bool { return e.Name == event }) {
			t.Fatalf("Setup.Grow has %q, and the contract has no such event", event)
		}
		for name := range grow {
			if _, ok := s.Count[name]; !ok {
				t.Fatalf("Setup.Grow has %q of %s, and Setup.Count has no such query", name, event)
			}
		}
	}
}
