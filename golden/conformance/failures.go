package conformance

import (
	"context"
	"errors"
	"fmt"

	whrt "github.com/whgen/whgen/runtime"
)

// failures are attempts that do not succeed.
var failures = []caseOf{
	{name: "a failed attempt is tried again", run: failedAttempts},
	{name: "a constraint of the application is no duplicate", run: ownConstraints},
	{name: "a swallowed error is not committed", run: swallowedError},
	{name: "a swallowed error that only reading shows", run: swallowedByReading, only: postgres},
	{name: "a handler that ends the transaction itself", run: ownControl},
	{name: "a transaction is of no use behind its handler", run: lateUse},
	{name: "a failed savepoint is undone", run: failedSavepoint},
	{name: "a rejected event is final", run: rejected},
	{name: "a panic", run: panics},
	{name: "deviations from the document are told", run: deviations},
}

// failedAttempts: an attempt that failed is no repeat.
func failedAttempts(b *bench) {
	calls := 0
	b.work = func(ctx context.Context, o Order) error {
		err := credit(ctx, o)
		if calls++; calls <= 2 {
			return errors.New("not yet")
		}
		return err
	}
	for i, status := range []int{503, 503, 200} {
		b.want(b.body("evt_4", "o-4", 7), status)
		b.rows(i/2, i/2, i/2)
	}
	if calls != 3 {
		b.Errorf("%d calls, want 3", calls)
	}
	b.outcome(whrt.Failed, 2)
	b.outcome(whrt.Processed, 1)
	if n := b.number("SELECT count(*) FROM credits_inbox_events WHERE status = 'done'"); n != 1 {
		b.Errorf("%d rows are done, want 1", n)
	}
}

// ownConstraints: a constraint of the application's own table says
// nothing about the event's key. The handler returns the driver's error as it is.
func ownConstraints(b *bench) {
	violations := map[string]string{
		"unique":      "INSERT INTO own (id, parent) VALUES (1, 1)",
		"foreign key": "INSERT INTO own (id, parent) VALUES (2, 99)",
		"not null":    "INSERT INTO own (id, parent) VALUES (3, NULL)",
		"like ours":   "INSERT INTO credits_inbox_events_own (event_key) VALUES ('taken')",
	}
	b.sql("CREATE TABLE parents (id BIGINT PRIMARY KEY)")
	b.sql("CREATE TABLE own (id BIGINT PRIMARY KEY, parent BIGINT NOT NULL REFERENCES parents (id))")
	b.sql("CREATE TABLE credits_inbox_events_own (event_key TEXT PRIMARY KEY)")
	b.sql("INSERT INTO parents VALUES (1)")
	b.sql("INSERT INTO own VALUES (1, 1)")
	b.sql("INSERT INTO credits_inbox_events_own VALUES ('taken')")
	violate := func(ctx context.Context, o Order) error {
		if err := o.Exec(violations[o.ID]); err != nil {
			return err
		}
		return credit(ctx, o)
	}
	done := 0
	for name := range violations {
		text := b.body("evt "+name, name, 1)
		b.work = violate
		b.want(text, 503)
		b.want(text, 503)
		b.rows(done, done, done)
		b.work = credit
		b.want(text, 200)
		done++
		b.rows(done, done, done)
	}
	b.outcome(whrt.Duplicate, 0)
	b.outcome(whrt.Rejected, 0)
	b.outcome(whrt.Failed, 8)
}

// swallowedError: a transaction with a failed statement in it is not committed,
// whatever the handler says. PostgreSQL would answer the COMMIT with ROLLBACK,
// SQLite would commit the rest.
func swallowedError(b *bench) {
	b.swallowed(func(o Order) { _ = o.Exec("INSERT INTO nowhere VALUES (1)") })
}

// swallowedByReading: PostgreSQL begins to answer, and fails then.
func swallowedByReading(b *bench) {
	b.swallowed(func(o Order) { _, _ = o.Count("SELECT (10 / length(?1))::int", "") })
}

func (b *bench) swallowed(fail func(o Order)) {
	b.Helper()
	b.work = func(ctx context.Context, o Order) error {
		if err := credit(ctx, o); err != nil {
			return err
		}
		fail(o)
		return nil
	}
	text := b.body("evt_98", "o-98", 1)
	b.want(text, 503)
	b.rows(0, 0, 0)
	if n := b.counters.Class(whrt.ClassNotCommitted.String()); n != 1 {
		b.Errorf("%d failures are told as not committed, want 1", n)
	}
	b.work = credit
	b.want(text, 200)
	b.rows(1, 1, 1)
}

// ownControl: whoever ends the transaction in which an event is claimed would
// have it acknowledged and forgotten, or kept although the handler failed.
func ownControl(b *bench) {
	for i, statements := range [][]string{
		{"ROLLBACK"}, {"ROLLBACK", "BEGIN"}, {"COMMIT"}, {"commit -- and on", "begin"}, {"/* now */ END"},
	} {
		for _, fails := range []bool{false, true} {
			b.work = func(ctx context.Context, o Order) error {
				if err := credit(ctx, o); err != nil {
					return err
				}
				for _, s := range statements {
					if o.Exec(s) == nil {
						b.Errorf("%s was run", s)
					}
				}
				if fails {
					return errors.New("not now")
				}
				return nil
			}
			text := b.body(fmt.Sprintf("evt_control_%d_%v", i, fails), "o-control", 1)
			before := 2 * i
			if fails {
				before++
			}
			b.want(text, 503)
			b.rows(before, before, before)
			b.work = credit
			b.want(text, 200)
			b.rows(before+1, before+1, before+1)
		}
	}
}

// lateUse: what a handler has kept of its transaction would run in another event's.
func lateUse(b *bench) {
	var kept Order
	b.work = func(ctx context.Context, o Order) error {
		kept = o
		return credit(ctx, o)
	}
	b.want(b.body("evt_late", "o-late", 1), 200)
	if err := kept.Exec("INSERT INTO credits (order_id, amount) VALUES ('late', 1)"); err == nil {
		b.Errorf("a statement was run behind the handler")
	}
	if err := kept.Nested(func(Order) error { return nil }); err == nil {
		b.Errorf("a savepoint was made behind the handler")
	}
	b.rows(1, 1, 1)
}

// failedSavepoint: what failed inside is undone, whatever way it failed, and the
// rest is committed: savepoints of savepoints included.
func failedSavepoint(b *bench) {
	fails := map[string]func(o Order) error{
		"its function":   func(Order) error { return errors.New("no") },
		"a statement":    func(o Order) error { return o.Exec("INSERT INTO nowhere VALUES (1)") },
		"a hidden error": func(o Order) error { _ = o.Exec("INSERT INTO nowhere VALUES (1)"); return nil },
		"a panic":        func(Order) error { panic("no") },
	}
	done := 0
	for name, fail := range fails {
		b.work = func(ctx context.Context, o Order) error {
			err := o.Nested(func(outer Order) error {
				failed := nested(outer, func(inner Order) error {
					if err := credit(ctx, inner); err != nil {
						return err
					}
					return fail(inner)
				})
				if failed == nil {
					return errors.New("the savepoint did not fail")
				}
				return credit(ctx, outer)
			})
			if err != nil {
				return err
			}
			return o.Exec("UPDATE credits SET amount = amount + 1 WHERE order_id = ?1", o.ID)
		}
		b.want(b.body("evt "+name, name, 1), 200)
		done++
		b.rows(done, done, done)
		if n := b.number("SELECT amount FROM credits WHERE order_id = ?1", name); n != 2 {
			b.Errorf("%s: amount %d, want 2", name, n)
		}
	}
}

// nested is Nested that a panic does not get past.
func nested(o Order, f func(Order) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return o.Nested(f)
}

// rejected: what can never succeed is recorded once and not tried again.
func rejected(b *bench) {
	calls := 0
	b.work = func(ctx context.Context, o Order) error {
		calls++
		if err := credit(ctx, o); err != nil {
			return err
		}
		return whrt.Reject("no such customer")
	}
	b.want(b.body("evt_71", "o-71", 1), 200)
	b.want(b.body("evt_71", "o-71", 1), 200)
	b.rows(1, 0, 0)
	b.outcome(whrt.Rejected, 1)
	if calls != 1 {
		b.Errorf("%d calls, want 1", calls)
	}
	if n := b.number("SELECT count(*) FROM credits_inbox_events WHERE status = 'rejected' AND reason = 'no such customer'"); n != 1 {
		b.Errorf("%d rejected rows, want 1", n)
	}
}

// panics leave nothing open: many of them, then an event that works.
func panics(b *bench) {
	b.work = func(ctx context.Context, o Order) error {
		if err := credit(ctx, o); err != nil {
			return err
		}
		panic("a bug")
	}
	for range 2 * MaxConns {
		b.want(b.body("evt_76", "o-76", 1), 503)
	}
	b.rows(0, 0, 0)
	b.work = credit
	b.want(b.body("evt_76", "o-76", 1), 200)
	b.rows(1, 1, 1)
	b.until("all connections to be free", func() bool { return b.db.Stats().InUse == 0 })
}

// deviations: members of another type and missing ones are kept, and told.
func deviations(b *bench) {
	b.work = func(context.Context, Order) error { return nil }
	b.want(`{"id":"evt_59","type":"order.paid","data":{"amount":1,"ref":"seven"},"attempt":"first"}`, 400) // the message needs the order
	b.want(`{"id":"evt_59","type":"order.paid","data":{"order_id":"o","amount":1,"ref":"seven","status":"disputed"},"attempt":[1]}`, 200)
	for _, pointer := range []string{"/data/ref", "/data/status", "/attempt"} {
		if n := b.counters.Deviations(pointer); n != 1 {
			b.Errorf("%s: %d deviations told, want 1", pointer, n)
		}
	}
	if n := b.counters.Deviations("/data/amount") + b.counters.Deviations("/id"); n != 0 {
		b.Errorf("%d deviations told of members that do not deviate", n)
	}
}
