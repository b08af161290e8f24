package conformance

import (
	"context"
	"fmt"
	"testing"
	"time"

	whrt "github.com/whgen/whgen/runtime"
)

// boundaries are failures and deaths between any two statements.
var boundaries = []caseOf{
	{name: "an error at each statement", both: true, run: errorAtEachStatement},
	{name: "death ahead of each statement", both: true, run: deathAtEachStatement, only: quick},
	{name: "an error of the commit", run: errorOfCommit},
	{name: "acknowledged and killed", both: true, run: acknowledgedAndKilled, only: quick},
	{name: "the connection is lost at each statement", both: true, run: connectionLostAtEachStatement, only: postgres},
	{name: "the answer to each statement is lost", both: true, run: answerLostAtEachStatement, only: postgres},
	{name: "the database is away and comes back", both: true, run: databaseAway, only: postgres},
	{name: "the file is locked and comes free", both: true, run: fileLocked, only: sqlite},
}

// errorAtEachStatement: each table in turn refuses its row.
func errorAtEachStatement(b *bench) {
	done := 0
	for _, table := range []string{"credits_inbox_events", b.effects(), "credits_outbox_messages"} {
		b.breakTable(table)
		text := b.body("evt_"+table, "o-4", 1)
		b.want(text, 503)
		b.rows(done, done, done)
		b.mendTable(table)
		b.want(text, 200)
		done++
		b.rows(done, done, done)
	}
	b.outcome(whrt.Failed, 3)
	b.outcome(whrt.Processed, 3)
}

func (b *bench) breakTable(table string) {
	b.Helper()
	if !b.backend.Postgres {
		b.sql("CREATE TRIGGER broken BEFORE INSERT ON " + table + " BEGIN SELECT RAISE(ABORT, 'broken by the test'); END")
		return
	}
	b.sql("CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken by the test''; END'")
	b.sql("CREATE TRIGGER broken BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION broken()")
}

func (b *bench) mendTable(table string) {
	b.Helper()
	if !b.backend.Postgres {
		b.sql("DROP TRIGGER broken")
		return
	}
	b.sql("DROP TRIGGER broken ON " + table)
	b.sql("DROP FUNCTION broken()")
}

// allOrNothing checks that a delivery whose fate is open has left everything or
// nothing, delivers it again, and checks that it is there once.
func (b *bench) allOrNothing(what, text string, done int) {
	b.Helper()
	var got [3]int
	for i, table := range []string{"credits_inbox_events", b.effects(), "credits_outbox_messages"} {
		got[i] = b.number("SELECT count(*) FROM "+table) - done
	}
	if got != [3]int{} && got != [3]int{1, 1, 1} {
		b.Errorf("%s: %v rows of inbox, effect and outbox; want all or none", what, got)
	}
	b.want(text, 200)
	b.rows(done+1, done+1, done+1)
}

// each runs f for the statements 1, 2, ... of a delivery until f says that there
// was none any more.
func (b *bench) eachStatement(atLeast int, f func(n int) bool) {
	b.Helper()
	for n := 1; ; n++ {
		if !f(n) {
			if n <= atLeast {
				b.Errorf("a delivery has %d statements, want at least %d", n-1, atLeast)
			}
			return
		}
		if b.Failed() || n > 50 {
			b.Fatalf("statement %d", n)
		}
	}
}

// least is how many statements a delivery has at least, claim and COMMIT
// included, or the one that is both.
func (b *bench) least() int {
	switch {
	case b.kind == "paid":
		return 3
	case b.backend.Postgres:
		return 1
	}
	return 4
}

// deathAtEachStatement: the receiver's process is killed ahead of every
// statement in turn.
func deathAtEachStatement(b *bench) {
	l := life{NoRelay: true}
	var proxy *wire
	if b.backend.Postgres {
		proxy = newWire(b.T, b.dsn)
		l.DSN = proxy.dsn
	}
	b.eachStatement(b.least(), func(n int) bool {
		p := b.start(l)
		if proxy != nil {
			proxy.arm(n, false, p.kill)
		} else {
			p.fuse(n)
		}
		text := b.body(fmt.Sprintf("evt_4_%d", n), "o-4", 1)
		got := do(signed(b.Context(), p.url, text))
		if got.status == 200 && p.alive() { // there were fewer statements
			b.rows(n, n, n)
			p.kill()
			return false
		}
		<-p.ended
		if got.status != 0 {
			b.Errorf("death ahead of statement %d: status %d", n, got.status)
		}
		b.allOrNothing(fmt.Sprintf("death ahead of statement %d", n), text, n-1)
		return true
	})
}

// connectionLostAtEachStatement: and nothing else happens to the
// receiver. It may try again by itself; whatever it answers has to be true.
func connectionLostAtEachStatement(b *bench) {
	b.lostAtEachStatement(false)
}

// answerLostAtEachStatement: the server has done what it was told, and the
// receiver does not hear of it: of COMMIT in particular.
func answerLostAtEachStatement(b *bench) {
	b.lostAtEachStatement(true)
	if n := b.counters.Outcome(whrt.Failed); n != 0 {
		b.Errorf("%d failures: a lost answer is cured by looking again", n)
	}
}

func (b *bench) lostAtEachStatement(after bool) {
	proxy := newWire(b.T, b.dsn)
	url := b.serve(b.quietReceiver(proxy.dsn)) // only deliveries are counted
	b.eachStatement(b.least(), func(n int) bool {
		text := b.body(fmt.Sprintf("evt_4_%d", n), "o-4", 1)
		proxy.arm(n, after, nil)
		got := do(signed(b.Context(), url, text))
		if got.status != 200 && got.status != 503 {
			b.Errorf("connection lost at statement %d: status %d", n, got.status)
		}
		fired := proxy.statements() >= n
		if got.status == 200 {
			b.rows(n, n, n)
		}
		proxy.heal()
		b.allOrNothing(fmt.Sprintf("connection lost at statement %d", n), text, n-1)
		return fired
	})
}

// errorOfCommit: nothing is acknowledged before the commit.
func errorOfCommit(b *bench) {
	b.sql("CREATE TABLE parents (id BIGINT PRIMARY KEY)")
	b.sql("CREATE TABLE own (parent BIGINT REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)")
	b.work = func(ctx context.Context, o Order) error {
		if err := o.Exec("INSERT INTO own VALUES (1)"); err != nil { // shows at COMMIT
			return err
		}
		return credit(ctx, o)
	}
	text := b.body("evt_72", "o-72", 1)
	b.want(text, 503)
	b.rows(0, 0, 0)
	b.outcome(whrt.Failed, 1)
	b.sql("INSERT INTO parents VALUES (1)")
	b.want(text, 200)
	b.rows(1, 1, 1)
}

// acknowledgedAndKilled: what was acknowledged is there after a kill.
func acknowledgedAndKilled(b *bench) {
	p := b.start(life{NoRelay: true})
	text := b.body("evt_73", "o-73", 1)
	b.wantAt(p.url, text, 200)
	p.kill()
	b.rows(1, 1, 1)
	b.want(text, 200)
	b.rows(1, 1, 1)
	b.outcome(whrt.Duplicate, 1)
}

// databaseAway: nobody gets through to the server, for a while.
func databaseAway(b *bench) {
	proxy := newWire(b.T, b.dsn)
	url := b.serve(b.receiverOn(b.connectTo(proxy.dsn)))
	text := b.body("evt_70", "o-70", 1)
	proxy.sever()
	b.wantAt(url, text, 503)
	b.wantAt(url, text, 503)
	b.rows(0, 0, 0)
	proxy.heal()
	b.until("an answer when the server is back", func() bool { return do(signed(b.Context(), url, text)).status == 200 })
	b.rows(1, 1, 1)
}

// Restart runs one case more on a backend: a server that is really stopped and
// started again by restart, which calls while in between.
func Restart(t *testing.T, backend Backend, dsn string, restart func(while func()) error) {
	b := newBench(t, backend, caseOf{quiet: true}, "paid", dsn)
	text := b.body("evt_70", "o-70", 1)
	b.must(restart(func() {
		b.want(text, 503)
		b.want(text, 503)
	}))
	b.until("an answer after the restart", func() bool { return b.deliver(text).status == 200 })
	b.rows(1, 1, 1)
}

// fileLocked: somebody keeps SQLite's file locked.
func fileLocked(b *bench) {
	pool := b.connect()
	conn, err := pool.DB().Conn(b.Context())
	b.must(err)
	defer func() { _ = conn.Close() }()
	_, err = conn.ExecContext(b.Context(), "BEGIN IMMEDIATE")
	b.must(err)
	text := b.body("evt_70", "o-70", 1)
	began := time.Now()
	b.want(text, 503)
	b.want(text, 503)
	if took := time.Since(began); took > 7*time.Second {
		b.Errorf("two answers took %s", took)
	}
	_, err = conn.ExecContext(b.Context(), "ROLLBACK")
	b.must(err)
	b.until("an answer after the lock", func() bool { return b.deliver(text).status == 200 })
	b.rows(1, 1, 1)
}
