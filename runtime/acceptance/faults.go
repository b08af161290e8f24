package acceptance

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	whrt "github.com/whgen/whgen/runtime"
)

// fault is what goes wrong inside of the next transaction.
type fault int32

const (
	noFault fault = iota
	failing
	panicking
)

var errInjected = errors.New("injected by the acceptance test")

// Faults makes calls of the handler go wrong after the handler has done its
// work. Safe for concurrent use.
type Faults struct {
	next  atomic.Int32
	calls atomic.Int64
}

// Around runs the user's handler and then, in a step that wants it, fails or
// panics in its place: what the handler has written must go with the transaction.
func (f *Faults) Around(handle func() error) error {
	f.calls.Add(1)
	if err := handle(); err != nil {
		return err
	}
	switch fault(f.next.Load()) {
	case failing:
		return errInjected
	case panicking:
		panic(errInjected)
	}
	return nil
}

// brokenStore panics in its first transaction.
type brokenStore struct {
	whrt.Store
	done atomic.Bool
}

// Deliver panics, or delivers.
func (s *brokenStore) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	if s.done.CompareAndSwap(false, true) {
		panic(errInjected)
	}
	return s.Store.Deliver(ctx, ds)
}

// panicked panics inside of the work: where the user's handler has done its own,
// else in the store of a receiver that is there for this step alone.
func (p *protocol) panicked() []answer {
	p.Helper()
	p.n++
	if p.e.Handled {
		return p.during(panicking)
	}
	r := p.receiver(&brokenStore{Store: p.store()}, nil)
	return []answer{p.sendTo(r, p.request(delivery{body: p.e.Body}))}
}

// during delivers the event while the call of its handler goes wrong.
func (p *protocol) during(f fault) []answer {
	p.Helper()
	before := p.faults.calls.Load()
	p.faults.next.Store(int32(f))
	answers := p.deliver(p.e.Body)
	p.faults.next.Store(int32(noFault))
	if p.faults.calls.Load() == before {
		p.Errorf("the handler of %s was not called", p.e.Name)
	}
	return answers
}

// failure fails after everything was written. Without a handler it takes the
// table away that the transaction writes last.
func (p *protocol) failure() []answer {
	p.Helper()
	p.n++
	if p.e.Handled {
		return p.during(failing)
	}
	table, last := "", p.e.Steps[0]
	for i, rows := range last.Tables {
		if rows > 0 {
			table = p.e.Tables[i]
		}
	}
	if last.Outbox > 0 {
		table = p.c.Outbox
	}
	if table == "" {
		return p.refusedCommit()
	}
	p.must("ALTER TABLE " + table + " RENAME TO whgen_away")
	defer p.must("ALTER TABLE whgen_away RENAME TO " + table)
	return p.deliver(p.e.Body)
}

// refusals are triggers on the inbox that let everything be written and make the
// COMMIT fail, and what takes them away.
var refusals = map[string]struct{ on, off []string }{
	"postgres": {
		on: []string{
			`CREATE FUNCTION whgen_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'injected by the acceptance test'; END $$`,
			`CREATE CONSTRAINT TRIGGER whgen_refuse AFTER INSERT ON {inbox} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION whgen_refuse()`,
		},
		off: []string{`DROP TRIGGER whgen_refuse ON {inbox}`, `DROP FUNCTION whgen_refuse()`},
	},
	"sqlite": {
		on: []string{
			`CREATE TABLE whgen_parent (id INTEGER PRIMARY KEY)`,
			`CREATE TABLE whgen_refuse (id INTEGER REFERENCES whgen_parent (id) DEFERRABLE INITIALLY DEFERRED)`,
			`CREATE TRIGGER whgen_refuse_insert AFTER INSERT ON {inbox} BEGIN INSERT INTO whgen_refuse VALUES (1); END`,
		},
		off: []string{`DROP TRIGGER whgen_refuse_insert`, `DROP TABLE whgen_refuse`, `DROP TABLE whgen_parent`},
	},
}

// refusedCommit delivers while the database refuses to commit.
func (p *protocol) refusedCommit() []answer {
	p.Helper()
	r := refusals[p.c.Engine]
	for _, s := range r.on {
		p.must(strings.ReplaceAll(s, "{inbox}", p.c.Inbox))
	}
	answers := p.deliver(p.e.Body)
	for _, s := range r.off {
		p.must(strings.ReplaceAll(s, "{inbox}", p.c.Inbox))
	}
	return answers
}

func (p *protocol) must(statement string) {
	p.Helper()
	if err := p.exec(statement); err != nil {
		p.Fatalf("inject a failure: %v", err)
	}
}
