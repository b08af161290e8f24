package orders_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

const (
	secret  = "kill-test-secret-of-the-shop-0001"
	clients = 8
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// TestKill kills a receiver again and again while events come in: whatever was
// acknowledged must be there once, and everything for the outside must reach it.
// WHGEN_KILL_SECONDS is how long each engine is tried (4); where it is set,
// leases of killed processes are waited for too.
func TestKill(t *testing.T) {
	lasts, patient := 4*time.Second, false
	if text := os.Getenv("WHGEN_KILL_SECONDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("WHGEN_KILL_SECONDS is %q, want a number of seconds", text)
		}
		lasts, patient = time.Duration(n)*time.Second, true
	}
	t.Run("sqlite", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "shop.db")
		kill(t, newTrial(t, "sqlite", file, "sqlite", "file:"+file+"?_pragma=busy_timeout(5000)"), lasts, patient)
	})
	t.Run("postgres", func(t *testing.T) {
		dsn := pgtest.DSN(t)
		kill(t, newTrial(t, "postgres", dsn, "pgx", dsn), lasts, patient)
	})
}

func kill(t *testing.T, tr *trial, lasts time.Duration, patient bool) {
	var made atomic.Int64
	var sending sync.WaitGroup
	defer sending.Wait() // also where the test fails half-way
	ctx, quit := context.WithCancel(t.Context())
	defer quit()
	over, stop := context.WithTimeout(ctx, lasts)
	defer stop()
	tr.start().awaitReady()
	for range clients {
		sending.Go(func() {
			for over.Err() == nil {
				tr.deliver(ctx, int(made.Add(1)), tr.address)
			}
		})
	}
	kills := tr.keepKilling(over)
	if !patient {
		tr.endLeases()
	}
	tr.start().awaitReady()
	sending.Wait() // each ends with its last event acknowledged
	events := int(made.Load())
	tr.check(events, false) // first: delivering again would bring back what was lost
	tr.each(events, func(n int) { tr.deliver(ctx, n, tr.address) })
	tr.awaitSent()
	tr.check(events, true)
	tr.crm.check(tr, events)
	t.Logf("%d kills, %d events, %d deliveries without an answer, %d answers other than 200, %d calls of the CRM for %d keys",
		kills, events, tr.cut.Load(), tr.refused.Load(), tr.crm.calls, len(tr.crm.requests))
	if kills == 0 || tr.cut.Load() == 0 {
		t.Errorf("%d kills, %d deliveries without an answer: nothing was tried", kills, tr.cut.Load())
	}
}

// keepKilling kills the running receiver at a random moment and starts the
// next, until over ends; every fourth is killed while it is still starting.
// None runs when it returns.
func (tr *trial) keepKilling(over context.Context) (kills int) {
	for p := tr.current.Load(); ; p = tr.start() {
		wait := time.Duration(rand.Int64N(int64(700 * time.Millisecond)))
		if kills%4 == 3 {
			wait /= 7
		} else {
			p.awaitReady()
		}
		select {
		case <-over.Done():
		case <-time.After(wait):
		case <-p.ended:
			tr.Fatalf("the receiver ended by itself: %s", p.tail())
		}
		p.kill()
		kills++
		if over.Err() != nil {
			return kills
		}
	}
}

// TestTwoReceivers delivers every event to two processes at once.
func TestTwoReceivers(t *testing.T) {
	const events = 300
	dsn := pgtest.DSN(t)
	tr := newTrial(t, "postgres", dsn, "pgx", dsn)
	a, b := tr.start(), tr.start()
	a.awaitReady()
	b.awaitReady()
	tr.each(events, func(n int) {
		var both sync.WaitGroup
		for _, p := range []*process{a, b} {
			both.Go(func() { tr.deliver(t.Context(), n, func() string { return p.addr }) })
		}
		both.Wait()
	})
	tr.awaitSent()
	tr.check(events, true)
	tr.crm.check(tr, events)
	if cut := tr.cut.Load(); cut != 0 {
		t.Errorf("%d deliveries had no answer, want 0", cut)
	}
	if got := tr.crm.calls; got != events {
		t.Errorf("the CRM was called %d times, want once for each of %d events", got, events)
	}
}

// trial is one database, its receivers and their outside.
type trial struct {
	testing.TB
	program string
	env     []string
	db      *sql.DB
	crm     *crm
	client  http.Client
	current atomic.Pointer[process]
	cut     atomic.Int64 // deliveries that got no answer
	refused atomic.Int64 // answers other than 200
}

// newTrial builds the engine's receiver; the test reads its database through
// driver and dsn.
func newTrial(t *testing.T, engine, database, driver, dsn string) *trial {
	t.Helper()
	tr := &trial{TB: t, program: filepath.Join(t.TempDir(), "shop-receiver"), client: http.Client{Timeout: 15 * time.Second}}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", tr.program, "./"+engine+"/cmd/shop-receiver")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the receiver: %v: %s", err, said)
	}
	tr.crm = &crm{requests: map[string]string{}}
	outside := httptest.NewServer(tr.crm)
	t.Cleanup(outside.Close)
	tr.env = append(os.Environ(), "DATABASE_URL="+database, "SHOP_WEBHOOK_SECRET="+secret, "CRM_URL="+outside.URL, "CRM_TOKEN=token")
	var err error
	if tr.db, err = sql.Open(driver, dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.db.Close() })
	tr.client.Transport = &http.Transport{MaxIdleConnsPerHost: 2 * clients}
	t.Cleanup(tr.client.CloseIdleConnections)
	return tr
}

func (tr *trial) address() string { return tr.current.Load().addr }

// each calls f for 1..n, from as many goroutines as there are clients.
func (tr *trial) each(n int, f func(int)) {
	var next atomic.Int64
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				f(i)
			}
		})
	}
	running.Wait()
}

func eventKey(n int) string { return fmt.Sprintf("evt_%06d", n) }
func orderID(n int) string  { return fmt.Sprintf("o-%06d", n) }

// deliver delivers an event until it is acknowledged, as its sender would.
func (tr *trial) deliver(ctx context.Context, n int, address func() string) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for attempt := 1; ; attempt++ {
		status, err := tr.attempt(ctx, n, attempt, address())
		switch {
		case err == nil && status == http.StatusOK:
			return
		case err != nil:
			tr.cut.Add(1)
		default:
			tr.refused.Add(1)
		}
		select {
		case <-ctx.Done():
			tr.Errorf("event %d is not acknowledged after %d attempts, the last: status %d, error %v", n, attempt, status, err)
			return
		case <-time.After(20 * time.Millisecond): // the sender's own patience
		}
	}
}

// attempt signs by hand: the test does not trust the signatures it tests.
func (tr *trial) attempt(ctx context.Context, n, attempt int, addr string) (int, error) {
	body := fmt.Sprintf(`{"event_id":%q,"type":"order.created","attempt":%d,"created_at":"2026-11-30T09:15:00Z",`+
		`"order":{"id":%q,"total":{"amount":%d,"currency":"EUR"},"customer":{"email":"ada@example.com"}}}`,
		eventKey(n), attempt, orderID(n), 100+n)
	now := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(now + "." + body))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/webhooks/shop", bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Shop-Signature", "t="+now+",v1="+hex.EncodeToString(mac.Sum(nil)))
	answer, err := tr.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// endLeases makes due at once what dead processes had leased: no receiver runs,
// so nobody holds a lease that a wait would protect.
func (tr *trial) endLeases() {
	due := "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
	if tr.postgres() {
		due = "now()"
	}
	if _, err := tr.db.ExecContext(tr.Context(), "UPDATE shop_outbox_messages SET due_at = "+due+" WHERE status = 'pending'"); err != nil {
		tr.Fatal(err)
	}
}

func (tr *trial) postgres() bool { return fmt.Sprintf("%T", tr.db.Driver()) == "*stdlib.Driver" }

// awaitSent waits until nothing is pending: at most a lease, a retry and the
// sending itself.
func (tr *trial) awaitSent() {
	tr.Helper()
	pending := -1
	tr.until(3*time.Minute, func() bool {
		err := tr.db.QueryRowContext(tr.Context(), "SELECT count(*) FROM shop_outbox_messages WHERE status = 'pending'").Scan(&pending)
		return err == nil && pending == 0
	}, func() string { return fmt.Sprintf("%d messages are pending still", pending) })
}

// until polls a condition.
func (tr *trial) until(limit time.Duration, met func() bool, otherwise func() string) {
	tr.Helper()
	ctx, cancel := context.WithTimeout(tr.Context(), limit)
	defer cancel()
	for !met() {
		select {
		case <-ctx.Done():
			tr.Fatalf("after %s: %s", limit, otherwise())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// check compares the tables with what was acknowledged: the events 1..n. Unless
// all is sent, the state of messages does not count.
func (tr *trial) check(n int, sent bool) {
	tr.Helper()
	column, state := "'kept'", "kept"
	if sent {
		column, state = "status", "sent"
	}
	want := map[string]bool{}
	for i := 1; i <= n; i++ {
		key, order := eventKey(i), orderID(i)
		want["inbox "+key+" done"] = true
		want["order "+key+" "+order] = true
		want["outbox "+key+" confirmation "+state] = true
		want["outbox "+key+" crmDeal "+state] = true
	}
	got := map[string]int{}
	tr.rows(got, "SELECT 'inbox ' || event_key || ' ' || status FROM shop_inbox_events")
	tr.rows(got, "SELECT 'order ' || event_key || ' ' || external_order_id FROM local_orders")
	tr.rows(got, "SELECT 'outbox ' || event_key || ' ' || effect || ' ' || "+column+" FROM shop_outbox_messages")
	tr.rows(got, "SELECT 'conflict ' || event_key FROM shop_inbox_conflicts")
	wrong := 0
	for row := range want {
		if got[row] != 1 {
			wrong++
			tr.first(wrong, "%q is there %d times, want once", row, got[row])
		}
	}
	for row := range got {
		if !want[row] {
			wrong++
			tr.first(wrong, "%q is there, and was never acknowledged", row)
		}
	}
}

// first reports only the beginning of a long row of errors.
func (tr *trial) first(nth int, format string, args ...any) {
	tr.Helper()
	if nth <= 10 {
		tr.Errorf(format, args...)
	}
}

// rows counts how often a query gives each text.
func (tr *trial) rows(into map[string]int, query string) {
	tr.Helper()
	rows, err := tr.db.QueryContext(tr.Context(), query)
	if err != nil {
		tr.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			tr.Fatal(err)
		}
		into[text]++
	}
	if err := rows.Err(); err != nil {
		tr.Fatal(err)
	}
}
