package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	whrt "github.com/whgen/whgen/runtime"
)

const ddl = `CREATE TABLE events (event_key TEXT PRIMARY KEY, t TEXT, sha BLOB, status TEXT, reason TEXT, rs INTEGER, rct TEXT, rb BLOB) STRICT;
CREATE TABLE conflicts (event_key TEXT, sha BLOB) STRICT; CREATE TABLE failures (event_key TEXT, t TEXT, sha BLOB, e TEXT) STRICT;
CREATE TABLE facts (v TEXT UNIQUE) STRICT;`

var minimal = Statements{
	Lookup:         "SELECT event_key, 'stored', sha, status, rs, rct, rb FROM events WHERE event_key = ?",
	Register:       "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING event_key",
	RecordConflict: "INSERT INTO conflicts VALUES (?, ?)",
	RecordFailure:  "INSERT INTO failures VALUES (?, ?, ?, ?)",
}

func open(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// twoStores are two stores of one process on one file, each with its own pool.
func twoStores(t *testing.T, s Schema) (*DB, *DB) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "inbox.db")
	first := open(t, file)
	if _, err := first.Exec(ddl); err != nil {
		t.Fatal(err)
	}
	s.Statements = minimal
	a, b := New(first, s), New(open(t, file), s)
	for _, store := range []*DB{a, b} {
		if err := store.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

func count(t *testing.T, b *DB, table string) (n int) {
	t.Helper()
	if err := b.pool.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func delivery(key string) *whrt.Delivery {
	return &whrt.Delivery{Key: key, Status: whrt.StatusDone, Fingerprint: []byte{1}, Response: whrt.StoredResponse{Status: 200}}
}

func TestStoresOfOneProcessTakeTurns(t *testing.T) {
	a, b := twoStores(t, Schema{})
	ends := make(chan error)
	for i := range 32 {
		go func() {
			_, err := []*DB{a, b}[i%2].Deliver(context.Background(), []*whrt.Delivery{delivery(string(rune('a' + i)))})
			ends <- err
		}()
	}
	for range 32 {
		if err := <-ends; err != nil {
			t.Error(err)
		}
	}
	if got := count(t, a, "events"); got != 32 {
		t.Errorf("got %d events, want 32", got)
	}
}

func TestDeliverKnowsRepeatsAndConflicts(t *testing.T) {
	a, b := twoStores(t, Schema{})
	other := delivery("k")
	other.Fingerprint = []byte{2}
	res, err := a.Deliver(t.Context(), []*whrt.Delivery{delivery("k"), delivery("k")})
	if err != nil || res[0].Found != whrt.New || res[1].Found != whrt.Lost {
		t.Fatalf("got %v, %v", res, err)
	}
	res, err = b.Deliver(t.Context(), []*whrt.Delivery{delivery("k"), delivery("new"), other})
	if err != nil || res[0].Found != whrt.Stored || res[0].Response.Status != 200 || res[1].Found != whrt.New {
		t.Fatalf("got %v, %v", res, err)
	}
	if res, err = b.Deliver(t.Context(), []*whrt.Delivery{other}); err != nil || res[0].Found != whrt.Stored {
		t.Fatalf("got %v, %v", res, err)
	}
	if got := count(t, a, "conflicts"); got != 1 {
		t.Errorf("got %d conflicts, want 1", got)
	}
}

func TestViolationNamesTheColumnsAndKeepsNothing(t *testing.T) {
	a, _ := twoStores(t, Schema{Claims: []Claim{{Records: func(d *whrt.Delivery) []Record {
		return []Record{{SQL: "INSERT INTO facts VALUES (?) RETURNING v", Args: []any{"same"}}}
	}}}})
	if _, err := a.Deliver(t.Context(), []*whrt.Delivery{delivery("one")}); err != nil {
		t.Fatal(err)
	}
	_, err := a.Deliver(t.Context(), []*whrt.Delivery{delivery("two"), delivery("three")})
	var e *whrt.StoreError
	if !errors.As(err, &e) || e.Class != whrt.ClassViolation || e.Constraint != "facts.v" {
		t.Fatalf("got %#v", err)
	}
	if got := count(t, a, "events"); got != 1 {
		t.Errorf("got %d events, want 1", got)
	}
}

func TestHandlerErrorsRollBack(t *testing.T) {
	insert := func(ctx context.Context, tx *Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO facts VALUES ('x')")
		return err
	}
	for name, c := range map[string]struct {
		work     func(ctx context.Context, tx *Tx) error
		failures int
		events   int
		handler  bool
	}{
		"error":  {func(ctx context.Context, tx *Tx) error { return errors.Join(insert(ctx, tx), errors.New("no")) }, 1, 0, true},
		"panic":  {func(ctx context.Context, tx *Tx) error { panic(insert(ctx, tx)) }, 1, 0, true},
		"reject": {func(ctx context.Context, tx *Tx) error { return errors.Join(insert(ctx, tx), whrt.Reject("never")) }, 0, 0, true},
		"swallowed": {func(ctx context.Context, tx *Tx) error {
			_, _ = tx.ExecContext(ctx, "nonsense")
			return insert(ctx, tx)
		}, 0, 0, false},
		"savepoint": {func(ctx context.Context, tx *Tx) error {
			_ = tx.Savepoint(ctx, func(tx *Tx) error { return errors.Join(insert(ctx, tx), insert(ctx, tx)) })
			return nil
		}, 0, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := twoStores(t, Schema{Work: func(ctx context.Context, tx *Tx, d *whrt.Delivery) ([]whrt.MessageRow, error) {
				return nil, c.work(ctx, tx)
			}})
			_, err := a.Handle(t.Context(), delivery("k"))
			var h *whrt.HandlerError
			if got := errors.As(err, &h); got != c.handler {
				t.Errorf("handler error %v, want %v: %v", got, c.handler, err)
			}
			var e *whrt.StoreError
			if name == "swallowed" && (!errors.As(err, &e) || e.Class != whrt.ClassNotCommitted) {
				t.Errorf("got %v, want a refusal to commit", err)
			}
			if got := count(t, b, "events"); got != c.events {
				t.Errorf("got %d events, want %d", got, c.events)
			}
			if got := count(t, b, "facts"); got != 0 {
				t.Errorf("got %d facts, want 0", got)
			}
			if got := count(t, b, "failures"); got != c.failures {
				t.Errorf("got %d failures, want %d", got, c.failures)
			}
		})
	}
}

func TestAnotherProcessHoldsTheLock(t *testing.T) {
	a, b := twoStores(t, Schema{})
	conn, err := b.pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	_, err = a.Deliver(t.Context(), []*whrt.Delivery{delivery("k")})
	var e *whrt.StoreError
	if !errors.As(err, &e) || e.Class != whrt.ClassRetry {
		t.Errorf("got %v, want contention", err)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Deliver(t.Context(), []*whrt.Delivery{delivery("k")}); err != nil {
		t.Errorf("the store did not recover: %v", err)
	}
}

func TestVerifyMissesUnique(t *testing.T) {
	a, _ := twoStores(t, Schema{})
	a.schema.Tables = []Table{{Name: "facts", Columns: []string{"v"}, Unique: [][]string{{"v"}}}}
	if err := a.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.schema.Tables = []Table{{Name: "failures", Columns: []string{"event_key"}, Unique: [][]string{{"event_key"}}}}
	if err := a.Verify(t.Context()); err == nil {
		t.Error("a table without its UNIQUE is accepted")
	}
}

func TestErrorTextsOfDrivers(t *testing.T) {
	for text, want := range map[string]struct {
		class      whrt.StoreErrorClass
		constraint string
	}{
		"database is locked":                                                  {whrt.ClassRetry, ""},
		"sqlite3: database is locked":                                         {whrt.ClassRetry, ""},
		"UNIQUE constraint failed: t.a, t.b":                                  {whrt.ClassViolation, "t.a, t.b"},
		"constraint failed: UNIQUE constraint failed: t.a (2067)":             {whrt.ClassViolation, "t.a"},
		"sqlite3: constraint failed: CHECK constraint failed: paid IN (0, 1)": {whrt.ClassViolation, ""},
		"database or disk is full":                                            {whrt.ClassUnavailable, ""},
		"no such table: shop_inbox_events":                                    {whrt.ClassOther, ""},
	} {
		var e *whrt.StoreError
		if !errors.As(classify(errors.New(text)), &e) || e.Class != want.class || e.Constraint != want.constraint {
			t.Errorf("%s: got %v %q, want %v %q", text, e.Class, e.Constraint, want.class, want.constraint)
		}
	}
}

// A handler that overruns its deadline, or goes on after a statement that was
// not run because its context was over, leaves nothing.
func TestNothingIsKeptBehindTheDeadline(t *testing.T) {
	over := func(ctx context.Context) context.Context {
		done, cancel := context.WithCancel(ctx)
		cancel()
		return done
	}
	for name, work := range map[string]func(ctx context.Context, tx *Tx) error{
		"overrun": func(ctx context.Context, tx *Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO facts VALUES ('a')")
			<-ctx.Done()
			return err
		},
		"ignored": func(ctx context.Context, tx *Tx) error {
			_, _ = tx.ExecContext(over(ctx), "INSERT INTO facts VALUES ('a')")
			return nil
		},
		"ignored query": func(ctx context.Context, tx *Tx) error {
			var n int
			_ = tx.QueryRowContext(over(ctx), "SELECT count(*) FROM facts").Scan(&n)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := twoStores(t, Schema{Work: func(ctx context.Context, tx *Tx, _ *whrt.Delivery) ([]whrt.MessageRow, error) {
				return nil, work(ctx, tx)
			}})
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if res, err := a.Handle(ctx, delivery("k")); err == nil {
				t.Errorf("result %+v, want an error", res)
			}
			if events, facts := count(t, a, "events"), count(t, a, "facts"); events != 0 || facts != 0 {
				t.Errorf("%d events and %d facts are kept, want none", events, facts)
			}
		})
	}
}
