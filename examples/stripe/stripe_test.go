package stripe_test

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
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/examples/stripe/stripe"
	whrt "github.com/whgen/whgen/runtime"
)

// The secrets are keys as they are, whsec_ included.
var secrets = whrt.SecretsMap{
	"STRIPE_ACCOUNT_SECRET": "whsec_account0123456789abcdef0123",
	"STRIPE_CONNECT_SECRET": "whsec_connect0123456789abcdef0123",
}

// quiet takes receipts and sends nothing.
type quiet struct{}

func (quiet) SendReceipt(context.Context, stripe.ReceiptMessage) error { return nil }

// market is a receiver on a database of its own.
type market struct {
	*testing.T
	db       *sql.DB
	counters *whrt.Counters
	url      string
}

func newMarket(t *testing.T) *market {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "market.db")+
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	m := &market{T: t, db: db, counters: &whrt.Counters{}}
	m.must(err)
	t.Cleanup(func() { _ = db.Close() })
	m.must(stripe.Migrate(t.Context(), db))
	rcv, err := stripe.New(t.Context(), stripe.Config{
		DB: db, Handler: stripe.NewHandler(), Receipt: quiet{}, NoRelay: true, Observer: m.counters, Secrets: secrets,
	})
	m.must(err)
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/stripe")
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	m.url = server.URL + "/webhooks/stripe"
	return m
}

func (m *market) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// deliver sends a body to an endpoint, signed with a secret as Stripe signs, some
// time ago.
func (m *market) deliver(endpoint, secret, body string, ago time.Duration) (int, string) {
	m.Helper()
	at := time.Now().Add(-ago).Unix()
	mac := hmac.New(sha256.New, []byte(secrets[secret]))
	fmt.Fprintf(mac, "%d.%s", at, body)
	r, err := http.NewRequestWithContext(m.Context(), "POST", m.url+endpoint, strings.NewReader(body))
	m.must(err)
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("Stripe-Signature", fmt.Sprintf("t=%d,v1=%s,v0=%064d", at, hex.EncodeToString(mac.Sum(nil)), 0))
	answer, err := http.DefaultClient.Do(r)
	m.must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	m.must(err)
	return answer.StatusCode, string(text)
}

func (m *market) account(body string) (int, string) {
	m.Helper()
	return m.deliver("/account", "STRIPE_ACCOUNT_SECRET", body, 0)
}

func (m *market) connect(body string) (int, string) {
	m.Helper()
	return m.deliver("/connect", "STRIPE_CONNECT_SECRET", body, 0)
}

// want checks an answer, and how often its outcome has been so far.
func (m *market) want(status int, o whrt.Outcome, times int64) func(int, string) {
	return func(got int, body string) {
		m.Helper()
		if n := m.counters.Outcome(o); got != status || n != times {
			m.Errorf("answered %d %q, want %d; %s was %d times, want %d", got, body, status, o, n, times)
		}
	}
}

// row checks the one value of a query, as text.
func (m *market) row(query, want string) {
	m.Helper()
	var got string
	m.must(m.db.QueryRowContext(m.Context(), query).Scan(&got))
	if got != want {
		m.Errorf("%s: %s, want %s", query, got, want)
	}
}

// paid is a payment as Stripe prints it. extra stands at the root.
func paid(event, intent, extra string, pending int) string {
	return fmt.Sprintf(`{
  "id": %q,
  "object": "event",
  "api_version": "2025-04-30.basil",
  "created": 1764494100,
  "data": {
    "object": {
      "id": %q,
      "object": "payment_intent",
      "amount": 4990,
      "currency": "eur",
      "metadata": {"order": "o-1001"},
      "receipt_email": "ada@example.com"
    }
  },%s
  "livemode": false,
  "pending_webhooks": %d,
  "request": {
    "id": null,
    "idempotency_key": null
  },
  "type": "payment_intent.succeeded"
}`, event, intent, extra, pending)
}

const seller = `
  "account": "acct_1SZaT0",`

func TestARepeatWithAnotherCounterIsNoConflict(t *testing.T) {
	m := newMarket(t)
	m.want(200, whrt.Processed, 1)(m.account(paid("evt_1", "pi_1", "", 2)))
	m.want(200, whrt.Duplicate, 1)(m.account(paid("evt_1", "pi_1", "", 1)))
	m.want(200, whrt.Duplicate, 2)(m.account(paid("evt_1", "pi_1", "", 0)))
	m.want(200, whrt.Conflict, 1)(m.account(strings.Replace(paid("evt_1", "pi_1", "", 0), "4990", "1", 1)))
	m.row("SELECT count(*) FROM stripe_inbox_events", "1")
	m.row("SELECT count(*) FROM stripe_inbox_conflicts", "1")
	m.row("SELECT intent || ' ' || order_ref || ' ' || minor_units || ' ' || currency || ' ' || paid_at FROM payments", "pi_1 o-1001 4990 eur 2025-11-30T09:15:00.000000Z")
	m.row("SELECT count(*) FROM payments WHERE seller IS NULL", "1")
	m.row("SELECT payload FROM stripe_outbox_messages", `{"to":"ada@example.com","minorUnits":4990,"currency":"eur"}`)
}

func TestEachEndpointHasItsOwnSecret(t *testing.T) {
	m := newMarket(t)
	m.want(200, whrt.Processed, 1)(m.account(paid("evt_1", "pi_1", "", 1)))
	m.want(200, whrt.Processed, 2)(m.connect(paid("evt_2", "pi_2", seller, 1)))
	m.row("SELECT seller FROM payments WHERE intent = 'pi_2'", "acct_1SZaT0")
	// What was captured at one endpoint is worth nothing at the other.
	m.want(401, whrt.Unauthenticated, 1)(m.deliver("/connect", "STRIPE_ACCOUNT_SECRET", paid("evt_1", "pi_1", "", 1), 0))
	m.want(401, whrt.Unauthenticated, 2)(m.deliver("/account", "STRIPE_CONNECT_SECRET", paid("evt_2", "pi_2", seller, 1), 0))
	m.want(401, whrt.Unauthenticated, 3)(m.deliver("/account", "STRIPE_ACCOUNT_SECRET", paid("evt_3", "pi_3", "", 1), 10*time.Minute))
	m.row("SELECT group_concat(event_key) FROM (SELECT event_key FROM stripe_inbox_events ORDER BY event_key)", "account|evt_1,connect|evt_2")
	m.row("SELECT count(*) FROM payments", "2")
}

func TestOnePaymentThatComesAsTwoEvents(t *testing.T) {
	m := newMarket(t)
	m.want(200, whrt.Processed, 1)(m.account(paid("evt_1", "pi_1", "", 1)))
	m.want(200, whrt.Rejected, 1)(m.account(paid("evt_9", "pi_1", "", 1)))
	m.row("SELECT count(*) FROM payments", "1")
	m.row("SELECT count(*) FROM stripe_outbox_messages", "1")
	m.row("SELECT status FROM stripe_inbox_events WHERE event_key = 'account|evt_9'", "rejected")
}

func TestRefundsInTheWrongOrder(t *testing.T) {
	m := newMarket(t)
	refund := func(event string, sum int) string {
		return fmt.Sprintf(`{"id":%q,"object":"event","created":1764494400,"livemode":false,"pending_webhooks":1,"type":"charge.refunded",
			"data":{"object":{"id":"ch_1","object":"charge","payment_intent":"pi_1","amount":4990,"amount_refunded":%d,"currency":"eur"}}}`, event, sum)
	}
	m.want(200, whrt.Processed, 1)(m.account(refund("evt_2", 4990)))
	m.want(200, whrt.Processed, 2)(m.account(refund("evt_1", 1990)))
	m.row("SELECT count(*) FROM refunds", "2")
	m.row("SELECT max(refunded_so_far) FROM refunds WHERE charge = 'ch_1'", "4990")
}

func TestASellerLeaves(t *testing.T) {
	m := newMarket(t)
	left := `{"id":"evt_4","object":"event","account":"acct_1SZaT0","created":1764494700,"livemode":false,"pending_webhooks":1,
		"type":"account.application.deauthorized","data":{"object":{"id":"ca_1","object":"application"}}}`
	m.want(200, whrt.Processed, 1)(m.connect(left))
	m.want(200, whrt.Duplicate, 1)(m.connect(left))
	m.row("SELECT seller || ' ' || locked_at FROM seller_locks", "acct_1SZaT0 2025-11-30T09:25:00Z")
	m.want(200, whrt.Ignored, 1)(m.account(left)) // the type belongs to the other endpoint
	m.row("SELECT count(*) FROM seller_locks", "1")
}
