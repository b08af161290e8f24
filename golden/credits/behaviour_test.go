package credits_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

// GC-001: many deliveries, two of them to a receiver that was built anew.
func TestRepeatsDoNothing(t *testing.T) {
	each(t, func(b *bench) {
		for i := range 46 {
			if i == 10 || i == 30 {
				b.url = b.serve(b.receiver())
			}
			b.want(body("evt_1", "o-1", 100), 200)
		}
		b.rows(1, 1, 1)
		b.outcome(whrt.Processed, 1)
		b.outcome(whrt.Duplicate, 45)
	})
}

// GC-002: the same event at once, at two receivers on one database.
func TestSimultaneousDeliveriesHappenOnce(t *testing.T) {
	each(t, func(b *bench) {
		urls := []string{b.url, b.serve(b.receiver())}
		for round := range 5 {
			text := body(fmt.Sprintf("evt_2_%d", round), "o-2", 100)
			var again atomic.Int64
			var all sync.WaitGroup
			start := make(chan struct{})
			for i := range 50 {
				all.Go(func() {
					<-start
					switch got := do(signed(b.Context(), urls[i%2], text)); got.status {
					case 200:
					case 503:
						again.Add(1)
					default:
						b.Errorf("status %d, want 200 or 503", got.status)
					}
				})
			}
			close(start)
			all.Wait()
			for range again.Load() {
				b.want(text, 200)
			}
			b.rows(round+1, round+1, round+1)
		}
		b.outcome(whrt.Processed, 5)
		b.outcome(whrt.Failed, 0)
	})
}

// GC-003: an attempt that failed is no repeat.
func TestFailedAttemptsAreTriedAgain(t *testing.T) {
	each(t, func(b *bench) {
		calls := 0
		b.work = func(ctx context.Context, o order) error {
			err := credit(ctx, o)
			if calls++; calls <= 2 {
				return errors.New("not yet")
			}
			return err
		}
		for i, status := range []int{503, 503, 200} {
			b.want(body("evt_4", "o-4", 7), status)
			b.rows(i/2, i/2, i/2)
		}
		if calls != 3 {
			b.Errorf("%d calls, want 3", calls)
		}
		b.outcome(whrt.Failed, 2)
		b.outcome(whrt.Processed, 1)
	})
}

// GC-005: whoever has lost the first answer gets the same again.
func TestDuplicatesGetTheFirstAnswer(t *testing.T) {
	each(t, func(b *bench) {
		text := body("evt_7", "o-7", 1)
		first := b.want(text, 200)
		if first.body != `{"ok":true}` {
			b.Errorf("answered %q", first.body)
		}
		for range 20 {
			if got := b.deliver(text); got != first {
				b.Errorf("got %v, want %v", got, first)
			}
		}
		b.rows(1, 1, 1)
		b.outcome(whrt.Duplicate, 20)
		b.outcome(whrt.Failed, 0)
	})
}

// GC-010: a counter of attempts is not content.
func TestVolatileMemberIsNoConflict(t *testing.T) {
	each(t, func(b *bench) {
		b.work = func(ctx context.Context, o order) error { return errors.New("not yet") }
		text := `{"id":"evt_16","type":"order.paid","data":{"order_id":"o-16","amount":1},"attempt":%d}`
		b.want(fmt.Sprintf(text, 1), 503)
		b.work = credit
		b.want(fmt.Sprintf(text, 2), 200)
		b.want(fmt.Sprintf(text, 3), 200)
		b.rows(1, 1, 1)
		b.outcome(whrt.Duplicate, 1)
		b.outcome(whrt.Conflict, 0)
	})
}

// GC-011: a key that comes with other content.
func TestConflictLeavesTheFirstAlone(t *testing.T) {
	each(t, func(b *bench) {
		first := body("evt_18", "o-18", 100)
		b.want(first, 200)
		for range 3 {
			b.want(body("evt_18", "o-99", 999), 200)
		}
		b.want(first, 200)
		b.rows(1, 1, 1)
		b.outcome(whrt.Conflict, 3)
		b.outcome(whrt.Duplicate, 1)
		if n := b.number("SELECT count(*) FROM credits WHERE order_id = 'o-18' AND amount = 100"); n != 1 {
			b.Errorf("%d credits of the first content, want 1", n)
		}
		if n := b.number(`SELECT c.deliveries FROM credits_inbox_conflicts c JOIN credits_inbox_events e
			ON e.event_key = c.event_key AND e.payload_sha256 <> c.payload_sha256`); n != 3 {
			b.Errorf("%d conflicting deliveries stored, want 3", n)
		}
	})
}

// GC-012: an event that keeps failing holds up no other.
func TestFailingEventDoesNotHoldUpOthers(t *testing.T) {
	each(t, func(b *bench) {
		b.work = func(ctx context.Context, o order) error {
			if o.id == "o-20" {
				return errors.New("never")
			}
			return credit(ctx, o)
		}
		for i := range 20 {
			if i%5 == 0 {
				b.want(body("evt_20", "o-20", 1), 503)
			}
			b.want(body(fmt.Sprintf("evt_20_%d", i), "o", 1), 200)
		}
		b.rows(20, 20, 20)
		b.outcome(whrt.Failed, 4)
		if n := b.number("SELECT attempts FROM credits_inbox_failures WHERE event_key = 'evt_20'"); n != 4 {
			b.Errorf("%d failed attempts in the one row, want 4", n)
		}
	})
}

// GC-013: a constraint of the application's own table says nothing about the event's key.
func TestOwnConstraintIsNoDuplicate(t *testing.T) {
	violations := map[string][]string{
		"unique":      {"INSERT INTO own (id, parent) VALUES (1, 1)"},
		"foreign key": {"INSERT INTO own (id, parent) VALUES (2, 99)"},
		"not null":    {"INSERT INTO own (id, parent) VALUES (3, NULL)"},
		"like ours":   {"INSERT INTO credits_inbox_events_own (event_key) VALUES ('taken')"},
	}
	each(t, func(b *bench) {
		b.sql("CREATE TABLE parents (id BIGINT PRIMARY KEY)")
		b.sql("CREATE TABLE own (id BIGINT PRIMARY KEY, parent BIGINT NOT NULL REFERENCES parents (id))")
		b.sql("CREATE TABLE credits_inbox_events_own (event_key TEXT PRIMARY KEY)")
		b.sql("INSERT INTO parents VALUES (1)")
		b.sql("INSERT INTO own VALUES (1, 1)")
		b.sql("INSERT INTO credits_inbox_events_own VALUES ('taken')")
		violate := func(ctx context.Context, o order) error {
			for _, s := range violations[o.id] {
				if err := o.exec(s); err != nil {
					return err
				}
			}
			return credit(ctx, o)
		}
		done := 0
		for name := range violations {
			b.work = violate
			b.want(body("evt "+name, name, 1), 503)
			b.want(body("evt "+name, name, 1), 503)
			b.rows(done, done, done)
			b.work = credit
			b.want(body("evt "+name, name, 1), 200)
			done++
			b.rows(done, done, done)
		}
		b.outcome(whrt.Duplicate, 0)
		b.outcome(whrt.Rejected, 0)
		b.outcome(whrt.Failed, 8)
	})
}

// GC-042: the work is slower than the answer may be.
func TestSlowWorkGoesOn(t *testing.T) {
	each(t, func(b *bench) {
		release := make(chan struct{})
		var calls atomic.Int64
		b.work = func(ctx context.Context, o order) error {
			calls.Add(1)
			<-release
			return credit(ctx, o)
		}
		text := body("evt_65", "o-65", 1)
		b.want(text, 503)
		b.want(text, 503)
		b.rows(0, 0, 0)
		close(release)
		b.until("the end of the work", func() bool { return b.counters.Late(whrt.Processed) == 1 })
		b.want(text, 200)
		b.rows(1, 1, 1)
		b.outcome(whrt.InProgress, 2)
		b.outcome(whrt.Duplicate, 1)
		if calls.Load() != 1 {
			b.Errorf("%d calls, want 1", calls.Load())
		}
	})
}

// GC-043: the sender hangs up while its event is worked on.
func TestHangUpDoesNotEndTheWork(t *testing.T) {
	each(t, func(b *bench) {
		started, release := make(chan struct{}), make(chan struct{})
		var calls atomic.Int64
		b.work = func(ctx context.Context, o order) error {
			if calls.Add(1) == 1 {
				close(started)
			}
			<-release
			return credit(ctx, o)
		}
		text := body("evt_66", "o-66", 1)
		ctx, hangUp := context.WithCancel(b.Context())
		gone := make(chan answer)
		go func() { gone <- do(signed(ctx, b.url, text)) }()
		<-started
		hangUp()
		if got := <-gone; got.status != 0 {
			b.Fatalf("status %d before the work was done", got.status)
		}
		close(release)
		b.until("the commit", func() bool { return b.number("SELECT count(*) FROM credits") == 1 })
		b.want(text, 200)
		b.rows(1, 1, 1)
		b.outcome(whrt.Duplicate, 1)
		if calls.Load() != 1 {
			b.Errorf("%d calls, want 1", calls.Load())
		}
	})
}

// GC-045, first half: PostgreSQL goes away and comes back.
func TestStoppedServerIsARetry(t *testing.T) {
	server := pgtest.Own(t)
	dsn, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, "postgres", dsn)
	text := body("evt_70", "o-70", 1)
	b.must(server.Restart(false, func() {
		b.want(text, 503)
		b.want(text, 503)
	}))
	b.until("an answer after the restart", func() bool { return b.deliver(text).status == 200 })
	b.rows(1, 1, 1)
}

// GC-045, first half: somebody keeps SQLite's file locked.
func TestLockedFileIsARetry(t *testing.T) {
	b := newBench(t, "sqlite", "")
	lock, err := b.db.BeginTx(t.Context(), nil) // _txlock=immediate
	b.must(err)
	text := body("evt_70", "o-70", 1)
	b.want(text, 503)
	b.want(text, 503)
	b.must(lock.Rollback())
	b.until("an answer after the lock", func() bool { return b.deliver(text).status == 200 })
	b.rows(1, 1, 1)
}

// GC-045, second half: what can never succeed is recorded once and not tried again.
func TestRejectedEventIsFinal(t *testing.T) {
	each(t, func(b *bench) {
		calls := 0
		b.work = func(ctx context.Context, o order) error {
			calls++
			if err := credit(ctx, o); err != nil {
				return err
			}
			return whrt.Reject("no such customer")
		}
		b.want(body("evt_71", "o-71", 1), 200)
		b.want(body("evt_71", "o-71", 1), 200)
		b.rows(1, 0, 0)
		b.outcome(whrt.Rejected, 1)
		if calls != 1 {
			b.Errorf("%d calls, want 1", calls)
		}
		if n := b.number("SELECT count(*) FROM credits_inbox_events WHERE status = 'rejected' AND reason = 'no such customer'"); n != 1 {
			b.Errorf("%d rejected rows, want 1", n)
		}
	})
}

// GC-046: nothing is acknowledged before the commit.
func TestFailedCommitIsARetry(t *testing.T) {
	each(t, func(b *bench) {
		b.sql("CREATE TABLE parents (id BIGINT PRIMARY KEY)")
		b.sql("CREATE TABLE own (parent BIGINT REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)")
		b.work = func(ctx context.Context, o order) error {
			if err := o.exec("INSERT INTO own VALUES (1)"); err != nil { // shows at COMMIT
				return err
			}
			return credit(ctx, o)
		}
		text := body("evt_72", "o-72", 1)
		b.want(text, 503)
		b.rows(0, 0, 0)
		b.outcome(whrt.Failed, 1)
		b.sql("INSERT INTO parents VALUES (1)")
		b.want(text, 200)
		b.rows(1, 1, 1)
	})
}
