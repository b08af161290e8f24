package conformance

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	whrt "github.com/whgen/whgen/runtime"
)

// bench is one database with receivers on it.
type bench struct {
	*testing.T
	backend   Backend
	of        caseOf
	kind      string // paid: a handler's work; settled: what the contract declares
	dsn       string
	pool      Pool
	db        *sql.DB // the test's own view, which is pool's
	counters  *whrt.Counters
	observer  whrt.Observer
	log       *safeLog // of every receiver of the bench, at debug level
	clock     *whrt.OffsetClock
	work      Work
	warehouse *warehouse
	receivers []*whrt.Receiver // whose relays run
	url       string           // of a receiver of Credits
}

// newBench makes tables in an empty database and starts a receiver on it.
func newBench(t *testing.T, backend Backend, c caseOf, kind, dsn string) *bench {
	b := &bench{T: t, backend: backend, of: c, kind: kind, dsn: dsn, counters: &whrt.Counters{}, log: &safeLog{}, clock: &whrt.OffsetClock{}, work: credit}
	b.observer = whrt.Observers(b.counters, whrt.Slog(slog.New(slog.NewJSONHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	b.warehouse = newWarehouse(t)
	b.pool = b.connect()
	b.db = b.pool.DB()
	b.must(b.pool.Migrate(t.Context(), c.habits))
	b.sql("CREATE TABLE credits (order_id TEXT NOT NULL, amount BIGINT NOT NULL)")
	b.url = b.serve(b.receiver())
	return b
}

// connect opens another pool, as another process would.
func (b *bench) connect() Pool { return b.connectTo(b.dsn) }

func (b *bench) connectTo(dsn string) Pool {
	b.Helper()
	pool, err := b.backend.Open(b.Context(), dsn, nil)
	b.must(err)
	b.Cleanup(pool.Close)
	return pool
}

const secret = "whg_test_secret_0123456789abcdef"

// options are those of every receiver in this process.
func (b *bench) options() Options {
	return Options{
		Secrets: whrt.SecretsMap{"CREDITS_SECRET": secret}, Settings: whrt.SettingsMap{"WAREHOUSE_URL": b.warehouse.url},
		Observer: b.observer, Clock: b.clock, NoRelay: b.of.quiet,
		Work: func(ctx context.Context, o Order) error { return b.work(ctx, o) },
	}
}

// receiver builds a receiver on the bench's pool; its relay runs.
func (b *bench) receiver() *whrt.Receiver { return b.receiverOn(b.pool) }

func (b *bench) receiverOn(pool Pool) *whrt.Receiver {
	b.Helper()
	r, err := pool.Credits(b.Context(), b.options())
	b.must(err)
	b.run(r)
	return r
}

// run drives a receiver's relay until the test is over.
func (b *bench) run(r *whrt.Receiver) {
	b.receivers = append(b.receivers, r)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Errorf("run the relay: %v", err)
		}
		if err := r.Drain(context.Background()); err != nil {
			b.Error(err)
		}
	})
}

func (b *bench) serve(h http.Handler) string {
	s := httptest.NewServer(h)
	b.Cleanup(s.Close)
	return s.URL
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// sql runs a statement of the test.
func (b *bench) sql(query string, args ...any) {
	b.Helper()
	b.until("the statement to get through", func() bool { // SQLite's file may be written by somebody else
		_, err := b.db.ExecContext(b.Context(), b.dialect(query), args...)
		if err != nil && strings.Contains(err.Error(), "locked") {
			return false
		}
		b.must(err)
		return true
	})
}

// dialect turns SQLite's numbered parameters into PostgreSQL's.
func (b *bench) dialect(query string) string { return Dialect(b.backend.Postgres, query) }

// Dialect turns the parameters of a query, ?1 and so on, into those of an engine.
func Dialect(postgres bool, query string) string {
	if postgres {
		return strings.ReplaceAll(query, "?", "$")
	}
	return query
}

func (b *bench) number(query string, args ...any) (n int) {
	b.Helper()
	b.must(b.db.QueryRowContext(b.Context(), b.dialect(query), args...).Scan(&n))
	return n
}

// effects is the table of the kind's local effect.
func (b *bench) effects() string {
	if b.kind == "settled" {
		return "settlements"
	}
	return "credits"
}

// rows compares the numbers of inbox rows, local effects and messages.
func (b *bench) rows(inbox, effect, messages int) {
	b.Helper()
	for _, c := range []struct {
		table string
		want  int
	}{{"credits_inbox_events", inbox}, {b.effects(), effect}, {"credits_outbox_messages", messages}} {
		if got := b.number("SELECT count(*) FROM " + c.table); got != c.want {
			b.Errorf("%s: %d rows, want %d", c.table, got, c.want)
		}
	}
}

// outcome compares a counter.
func (b *bench) outcome(o whrt.Outcome, want int64) {
	b.Helper()
	if got := b.counters.Outcome(o); got != want {
		b.Errorf("%s counted %d times, want %d", o, got, want)
	}
}

// until awaits a condition.
func (b *bench) until(what string, ok func() bool) {
	b.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); !ok(); <-tick.C {
		if time.Now().After(end) {
			b.Fatalf("waited in vain for %s; the end of the log:\n%s", what, b.log.tail())
		}
	}
}

// settle awaits the relay: every message has reached the warehouse, once.
func (b *bench) settle() {
	b.Helper()
	outbox := "SELECT (SELECT count(*) FROM credits_outbox_messages %[1]s)"
	if b.of.habits {
		outbox += " + (SELECT count(*) FROM habits_outbox_messages %[1]s)"
	}
	b.until("the outbox to be sent", func() bool {
		for _, r := range b.receivers {
			r.Wake() // what other processes have enqueued it would only find by its next look
		}
		return b.number(fmt.Sprintf(outbox, "WHERE status <> 'sent'")) == 0
	})
	want := b.number(fmt.Sprintf(outbox, ""))
	if calls, keys := b.warehouse.calls(); calls != want || keys != want {
		b.Errorf("the warehouse had %d calls with %d keys, want %d", calls, keys, want)
	}
}

// safeLog is a log that may be written and read at once.
type safeLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *safeLog) tail() string {
	text := l.String()
	return text[max(0, len(text)-3000):]
}
