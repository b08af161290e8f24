// Package replays_test delivers captured requests under new keys to the
// generated receivers of this folder, on each engine.
package replays_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	standard "github.com/whgen/whgen/golden/replays/pgsql/builds"
	native "github.com/whgen/whgen/golden/replays/pgx/builds"
	embedded "github.com/whgen/whgen/golden/replays/sqlite/builds"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
	"github.com/whgen/whgen/runtime/signature"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const secret = "the-secret-of-this-test-0123456789"

var scheme = signature.Scheme{Type: "hmac", Secrets: []signature.Secret{{Name: "BUILDS_WEBHOOK_SECRET"}}, Encoding: "hex", Hash: "sha256",
	Decode: signature.Decoding{Encoding: "utf8"}, Content: []signature.Part{{Placeholder: "body"}},
	From: []signature.Source{{In: "header", Name: "X-Build-Signature"}}}

type builder struct {
	*testing.T
	db       *sql.DB
	rcv      http.Handler
	counters *whrt.Counters
}

type nothing struct{}

func (nothing) SendNotify(context.Context, native.NotifyMessage) error { return nil }

type nothingStandard struct{}

func (nothingStandard) SendNotify(context.Context, standard.NotifyMessage) error { return nil }

type nothingEmbedded struct{}

func (nothingEmbedded) SendNotify(context.Context, embedded.NotifyMessage) error { return nil }

type removesNative struct{ native.UnimplementedHandler }

func (removesNative) Removed(context.Context, native.Tx, whrt.Incoming[native.Removed]) error {
	return nil
}

type removesStandard struct{ standard.UnimplementedHandler }

func (removesStandard) Removed(context.Context, standard.Tx, whrt.Incoming[standard.Removed]) error {
	return nil
}

type removesEmbedded struct{ embedded.UnimplementedHandler }

func (removesEmbedded) Removed(context.Context, embedded.Tx, whrt.Incoming[embedded.Removed]) error {
	return nil
}

// each runs a test on every engine.
func each(t *testing.T, test func(b *builder)) {
	secrets := whrt.SecretsMap{"BUILDS_WEBHOOK_SECRET": secret}
	t.Run("sqlite", func(t *testing.T) {
		b := &builder{T: t, counters: &whrt.Counters{}}
		b.open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
		b.must(embedded.Migrate(t.Context(), b.db))
		rcv, err := embedded.New(t.Context(), embedded.Config{DB: b.db, Handler: removesEmbedded{}, Notify: nothingEmbedded{}, Secrets: secrets, Observer: b.counters, NoRelay: true})
		b.must(err)
		b.rcv = rcv
		test(b)
	})
	t.Run("pgx", func(t *testing.T) {
		b := &builder{T: t, counters: &whrt.Counters{}}
		dsn := pgtest.DSN(t)
		b.open("pgx", dsn)
		pool, err := pgxpool.New(t.Context(), dsn)
		b.must(err)
		t.Cleanup(pool.Close)
		b.must(native.Migrate(t.Context(), pool))
		rcv, err := native.New(t.Context(), native.Config{DB: pool, Handler: removesNative{}, Notify: nothing{}, Secrets: secrets, Observer: b.counters, NoRelay: true})
		b.must(err)
		b.rcv = rcv
		test(b)
	})
	t.Run("pgsql", func(t *testing.T) {
		b := &builder{T: t, counters: &whrt.Counters{}}
		b.open("pgx", pgtest.DSN(t))
		b.must(standard.Migrate(t.Context(), b.db))
		rcv, err := standard.New(t.Context(), standard.Config{DB: b.db, Handler: removesStandard{}, Notify: nothingStandard{}, Secrets: secrets, Observer: b.counters, NoRelay: true})
		b.must(err)
		b.rcv = rcv
		test(b)
	})
}

func (b *builder) open(driver, dsn string) {
	b.Helper()
	var err error
	b.db, err = sql.Open(driver, dsn)
	b.must(err)
	b.Cleanup(func() { b.db.Close() })
}

func (b *builder) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *builder) send(event, key, text string) (int, string) {
	r := httptest.NewRequest("POST", "/", strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Build-Event", event)
	r.Header.Set("X-Build-Delivery", key)
	if err := signature.Sign(scheme, secret, &signature.Request{Method: "POST", Header: r.Header, Body: []byte(text)}, time.Now()); err != nil {
		b.Error(err)
	}
	w := httptest.NewRecorder()
	b.rcv.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func (b *builder) want(event, key, text string, status int, body string) {
	b.Helper()
	if code, got := b.send(event, key, text); code != status || got != body {
		b.Errorf("%s %s: answer %d %q, want %d %q", event, key, code, got, status, body)
	}
}

func (b *builder) rows(inbox, builds, outbox, conflicts int) {
	b.Helper()
	for table, want := range map[string]int{"builds_inbox_events": inbox, "builds": builds, "builds_outbox_messages": outbox, "builds_inbox_conflicts": conflicts} {
		var got int
		if err := b.db.QueryRow("SELECT count(*) FROM " + table).Scan(&got); err != nil || got != want {
			b.Errorf("%s has %d rows, %v; want %d", table, got, err, want)
		}
	}
}

func build(n int) string { return fmt.Sprintf(`{"number":%d,"result":"green"}`, n) }

const firstAnswer = `{"delivery":"d1"}`

// A captured request under another key is answered as the first one was, and
// does nothing; what is known of the key itself comes first.
func TestKnownBodyUnderANewKey(t *testing.T) {
	each(t, func(b *builder) {
		b.want("finished", "d1", build(1), 202, firstAnswer)
		b.want("finished", "d2", build(1), 202, firstAnswer)
		b.want("finished", "d2", build(1), 202, firstAnswer)
		b.rows(1, 1, 1, 0)
		if got := b.counters.Replayed(); got != 2 {
			b.Errorf("%d replayed bodies were counted, want 2", got)
		}
		b.want("finished", "d3", build(3), 202, `{"delivery":"d3"}`)
		b.want("finished", "d1", build(3), 409, "") // the key is known: a conflict, whatever its body is known from
		b.rows(2, 2, 2, 1)
		if p, d := b.counters.Outcome(whrt.Processed), b.counters.Outcome(whrt.Duplicate); p != 2 || d != 2 {
			b.Errorf("processed %d, duplicate %d; want 2, 2", p, d)
		}
	})
}

// A handler is not called for one either.
func TestKnownBodyOfAHandler(t *testing.T) {
	each(t, func(b *builder) {
		b.want("removed", "d1", `{"number":1}`, 202, firstAnswer)
		b.want("removed", "d2", `{"number":1}`, 202, firstAnswer)
		b.rows(1, 0, 0, 0)
		if got := b.counters.Replayed(); got != 1 {
			b.Errorf("%d replayed bodies were counted, want 1", got)
		}
	})
}

// Thirty keys with one body at once: one of them is processed.
func TestOneBodyUnderManyKeysAtOnce(t *testing.T) {
	each(t, func(b *builder) {
		for _, event := range []string{"finished", "removed"} {
			var all sync.WaitGroup
			for i := range 30 {
				all.Go(func() {
					if code, _ := b.send(event, fmt.Sprint(event, i), build(len(event))); code != 202 && code != 503 {
						b.Errorf("status %d, want 202 or 503", code)
					}
				})
			}
			all.Wait()
		}
		b.rows(2, 1, 1, 0)
		if p, f := b.counters.Outcome(whrt.Processed), b.counters.Outcome(whrt.Failed); p != 2 || f != 0 {
			b.Errorf("processed %d, failed %d; want 2, 0", p, f)
		}
	})
}
