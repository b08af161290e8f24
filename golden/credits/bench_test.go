package credits_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	pgcredits "github.com/whgen/whgen/golden/credits/postgres/credits"
	litecredits "github.com/whgen/whgen/golden/credits/sqlite/credits"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

const secret = "whg_test_secret_0123456789abcdef"

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// order is what a handler sees of an event, whatever the engine.
type order struct {
	key, id, status string
	amount          int64
	body            []byte
	exec            func(query string, args ...any) error // in the event's transaction
}

type work func(ctx context.Context, o order) error

// credit is the normal work: a row without a unique constraint, so that twice is seen.
func credit(_ context.Context, o order) error {
	return o.exec("INSERT INTO credits (order_id, amount) VALUES (?1, ?2)", o.id, o.amount)
}

// bench is one database with receivers on it.
type bench struct {
	*testing.T
	engine   string
	db       *sql.DB // the test's own view of the database
	pool     *pgxpool.Pool
	counters *whrt.Counters
	observer whrt.Observer
	work     work
	url      string
}

// each runs a case on both engines.
func each(t *testing.T, run func(b *bench)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			dsn := ""
			if engine == "postgres" {
				dsn = pgtest.DSN(t)
			}
			run(newBench(t, engine, dsn))
		})
	}
}

func newBench(t *testing.T, engine, dsn string) *bench {
	b := &bench{T: t, engine: engine, counters: &whrt.Counters{}, work: credit}
	b.observer = b.counters
	ctx := t.Context()
	var err error
	if engine == "sqlite" {
		b.db, err = sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "credits.db")+
			"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)")
		b.must(err)
		t.Cleanup(func() { _ = b.db.Close() })
		b.must(litecredits.Migrate(ctx, b.db))
	} else {
		b.pool, err = pgxpool.New(ctx, dsn)
		b.must(err)
		t.Cleanup(b.pool.Close)
		b.db = stdlib.OpenDBFromPool(b.pool)
		t.Cleanup(func() { _ = b.db.Close() })
		b.must(pgcredits.Migrate(ctx, b.pool))
	}
	b.sql("CREATE TABLE credits (order_id TEXT NOT NULL, amount BIGINT NOT NULL)")
	b.url = b.serve(b.receiver())
	return b
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
	_, err := b.db.ExecContext(b.Context(), b.dialect(query), args...)
	b.must(err)
}

// dialect turns SQLite's numbered parameters into PostgreSQL's.
func (b *bench) dialect(query string) string {
	if b.engine == "postgres" {
		return strings.ReplaceAll(query, "?", "$")
	}
	return query
}

type liteHandler struct{ b *bench }

func (h liteHandler) OrderPaid(ctx context.Context, tx litecredits.Tx, e whrt.Incoming[litecredits.OrderPaid]) error {
	amount, err := e.Payload.Data.Amount.Int64()
	if err != nil {
		return err
	}
	o := order{key: e.Meta.Key, id: e.Payload.Data.OrderID, amount: amount, body: e.Meta.Body}
	if s := e.Payload.Data.Status; s != nil {
		o.status = string(*s)
	}
	o.exec = func(query string, args ...any) error {
		_, err := tx.DB.ExecContext(ctx, query, args...)
		return err
	}
	return h.b.work(ctx, o)
}

type pgHandler struct{ b *bench }

func (h pgHandler) OrderPaid(ctx context.Context, tx pgcredits.Tx, e whrt.Incoming[pgcredits.OrderPaid]) error {
	amount, err := e.Payload.Data.Amount.Int64()
	if err != nil {
		return err
	}
	o := order{key: e.Meta.Key, id: e.Payload.Data.OrderID, amount: amount, body: e.Meta.Body}
	if s := e.Payload.Data.Status; s != nil {
		o.status = string(*s)
	}
	o.exec = func(query string, args ...any) error {
		_, err := tx.DB.Exec(ctx, h.b.dialect(query), args...)
		return err
	}
	return h.b.work(ctx, o)
}

// receiver builds a receiver as a new process would.
func (b *bench) receiver() *whrt.Receiver {
	b.Helper()
	secrets := whrt.SecretsMap{"CREDITS_SECRET": secret}
	settings := whrt.SettingsMap{"WAREHOUSE_URL": "http://127.0.0.1:9"}
	var r *whrt.Receiver
	var err error
	if b.engine == "sqlite" {
		r, err = litecredits.New(b.Context(), litecredits.Config{DB: b.db, Handler: liteHandler{b}, Secrets: secrets, Settings: settings, Observer: b.observer, NoRelay: true})
	} else {
		r, err = pgcredits.New(b.Context(), pgcredits.Config{DB: b.pool, Handler: pgHandler{b}, Secrets: secrets, Settings: settings, Observer: b.observer, NoRelay: true})
	}
	b.must(err)
	return r
}

func (b *bench) serve(h http.Handler) string {
	s := httptest.NewServer(h)
	b.Cleanup(s.Close)
	return s.URL
}

// body is the message of an event, without blanks.
func body(id, order string, amount int) string {
	return fmt.Sprintf(`{"id":%q,"type":"order.paid","data":{"order_id":%q,"amount":%d}}`, id, order, amount)
}

func sign(body string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(body))
	return hex.EncodeToString(m.Sum(nil))
}

// answer is what the sender sees.
type answer struct {
	status int
	body   string
}

// signed is a request with the right signature.
func signed(ctx context.Context, url, body string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		panic(err) // a mistake of the test
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Sig", sign(body))
	return r
}

// do sends a request; status 0 is one that got no answer.
func do(r *http.Request) answer {
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}
	}
	return answer{resp.StatusCode, string(text)}
}

func (b *bench) deliver(body string) answer { return do(signed(b.Context(), b.url, body)) }

// want delivers and compares the status.
func (b *bench) want(body string, status int) answer {
	b.Helper()
	got := b.deliver(body)
	if got.status != status {
		if len(body) > 100 {
			body = body[:100] + "..."
		}
		b.Errorf("%s: status %d, want %d", body, got.status, status)
	}
	return got
}

func (b *bench) number(query string, args ...any) (n int) {
	b.Helper()
	b.must(b.db.QueryRowContext(b.Context(), b.dialect(query), args...).Scan(&n))
	return n
}

// rows compares the numbers of inbox rows, credits and messages.
func (b *bench) rows(inbox, effect, messages int) {
	b.Helper()
	for _, c := range []struct {
		table string
		want  int
	}{{"credits_inbox_events", inbox}, {"credits", effect}, {"credits_outbox_messages", messages}} {
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
			b.Fatalf("waited in vain for %s", what)
		}
	}
}
