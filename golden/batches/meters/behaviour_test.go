package meters

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/signature"
)

const secret = "the-secret-of-this-test-0123456789"

// gateway is a receiver of batches with what it counts.
type gateway struct {
	*testing.T
	db       *sql.DB
	rcv      http.Handler
	counters whrt.Counters
	replaced []string
	fail     error
}

type works struct{ *gateway }

func (w works) Replaced(_ context.Context, _ Tx, e whrt.Incoming[Replaced]) error {
	if w.fail != nil {
		return w.fail
	}
	w.replaced = append(w.replaced, e.Payload.By+" "+string(e.Meta.Body))
	return nil
}

func newGateway(t *testing.T) *gateway {
	g := &gateway{T: t}
	var err error
	if g.db, err = sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.db.Close() })
	if err := Migrate(t.Context(), g.db); err != nil {
		t.Fatal(err)
	}
	g.rcv, err = New(t.Context(), Config{DB: g.db, Handler: works{g}, Observer: &g.counters, NoRelay: true,
		Secrets: whrt.SecretsMap{"METERS_WEBHOOK_SECRET": secret}, Settings: whrt.SettingsMap{"BILLING_URL": "https://billing.example"}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *gateway) send(readings ...string) *httptest.ResponseRecorder {
	g.Helper()
	text := `{"gateway":"g1","readings":[` + strings.Join(readings, ",") + `]}`
	r := httptest.NewRequest("POST", "/", strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	err := signature.Sign(definition.Endpoints[0].Scheme, secret, &signature.Request{Method: "POST", Header: r.Header, Body: []byte(text)}, time.Now())
	if err != nil {
		g.Fatal(err)
	}
	w := httptest.NewRecorder()
	g.rcv.ServeHTTP(w, r)
	return w
}

func (g *gateway) want(w *httptest.ResponseRecorder, status int) {
	g.Helper()
	if w.Code != status || status == 200 && w.Body.String() != "[accepted]" {
		g.Errorf("answer %d %q, want %d", w.Code, w.Body, status)
	}
}

// count is the one value of a query.
func (g *gateway) count(query string, want int) {
	g.Helper()
	var got int
	if err := g.db.QueryRow(query).Scan(&got); err != nil || got != want {
		g.Errorf("%s: %d, %v; want %d", query, got, err, want)
	}
}

func (g *gateway) outcome(o whrt.Outcome, want int64) {
	g.Helper()
	if got := g.counters.Outcome(o); got != want {
		g.Errorf("%s: %d, want %d", o, got, want)
	}
}

func taken(id int, meter string, value int) string {
	return fmt.Sprintf(`{"reading":{"id":"r%d","kind":"taken","meter":%q,"value":%d}}`, id, meter, value)
}

const (
	disputed = `{"reading":{"id":"d1","kind":"disputed","meter":"m1"}}`
	replaced = `{"reading":{"id":"x1","kind":"replaced","meter":"m1","by":"m2"}}`
)

func TestABatchOfSeveralKinds(t *testing.T) {
	g := newGateway(t)
	g.want(g.send(taken(1, "m1", 10), disputed, replaced, taken(2, "m1", 11), taken(1, "m1", 10), taken(2, "m1", 12)), 200)
	g.outcome(whrt.Processed, 4)
	g.outcome(whrt.Duplicate, 1)
	g.outcome(whrt.Conflict, 1)
	g.count("SELECT count(*) FROM meters_inbox_events", 4)
	g.count("SELECT count(*) FROM meters_inbox_events WHERE event_key = 'g1|r1'", 1)
	g.count("SELECT value FROM readings WHERE meter = 'm1' AND gateway = 'g1'", 11) // the last of its meter
	g.count("SELECT count(*) FROM meters_outbox_messages", 1)
	g.count("SELECT count(*) FROM meters_inbox_conflicts", 1)
	if len(g.replaced) != 1 || g.replaced[0] != "m2 "+strings.TrimSuffix(strings.TrimPrefix(replaced, `{"reading":`), "}") {
		t.Errorf("the handler got %q", g.replaced)
	}
	var message string
	if err := g.db.QueryRow("SELECT payload FROM meters_outbox_messages").Scan(&message); err != nil || message != `{"meter":"m1","text":"meter m1 at g1"}` {
		t.Errorf("message %s, %v", message, err)
	}
}

func TestAFailingElementIsRetriedWithTheBatch(t *testing.T) {
	g := newGateway(t)
	g.fail = errors.New("not now")
	g.want(g.send(taken(1, "m1", 10), replaced, taken(2, "m2", 20)), 500)
	g.count("SELECT count(*) FROM readings", 2)
	g.count("SELECT count(*) FROM meters_inbox_failures", 1)
	g.fail = nil
	g.want(g.send(replaced, taken(2, "m2", 20), taken(3, "m3", 30)), 200) // batched anew
	g.outcome(whrt.Processed, 4)
	g.outcome(whrt.Duplicate, 1)
	g.count("SELECT count(*) FROM readings", 3)
}

func TestWhatHasNoKeyIsKeptAsRejected(t *testing.T) {
	g := newGateway(t)
	g.want(g.send(`{"reading":{"kind":"taken","meter":"m1","value":1}}`, `{"nothing":1}`, taken(1, "m1", 10)), 200)
	g.count("SELECT count(*) FROM meters_inbox_events WHERE status = 'rejected'", 2)
	g.count("SELECT count(*) FROM meters_inbox_payloads", 2)
	g.count("SELECT count(*) FROM readings", 1)
}

func TestEmptyAndBrokenBatches(t *testing.T) {
	g := newGateway(t)
	g.want(g.send(), 200)
	g.count("SELECT count(*) FROM meters_inbox_events", 0)
	g.outcome(whrt.Ignored, 1)
}

func Test250ReadingsInOneRequest(t *testing.T) {
	g := newGateway(t)
	var all []string
	for i := range 250 {
		all = append(all, taken(i, fmt.Sprint("m", i%50), i))
	}
	g.want(g.send(all...), 200)
	g.count("SELECT count(*) FROM meters_inbox_events", 250)
	g.count("SELECT count(*) FROM readings", 50)
	g.count("SELECT min(value) FROM readings", 200) // each meter's last
	g.want(g.send(all...), 200)
	g.outcome(whrt.Processed, 250)
	g.outcome(whrt.Duplicate, 250)
}
