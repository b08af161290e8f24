package adyen_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/examples/adyen/adyen"
	whrt "github.com/whgen/whgen/runtime"
)

// key is as Adyen shows it: in hex.
const key = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"

// quiet takes messages for the outside and sends nothing.
type quiet struct{}

func (quiet) SendConfirm(context.Context, adyen.ConfirmMessage) error { return nil }

// till is a receiver on a database of its own.
type till struct {
	*testing.T
	db       *sql.DB
	counters *whrt.Counters
	url      string
}

func newTill(t *testing.T) *till {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "till.db")+
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	c := &till{T: t, db: db, counters: &whrt.Counters{}}
	c.must(err)
	t.Cleanup(func() { _ = db.Close() })
	c.must(adyen.Migrate(t.Context(), db))
	rcv, err := adyen.New(t.Context(), adyen.Config{
		DB: db, Handler: adyen.NewHandler(), Confirm: quiet{}, NoRelay: true,
		Observer: c.counters, Secrets: whrt.SecretsMap{"ADYEN_HMAC_KEY": key},
	})
	c.must(err)
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/adyen")
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c.url = server.URL + "/webhooks/adyen"
	return c
}

func (c *till) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// item is a notification. What it has no value for is not in it.
type item struct {
	psp, original, code, success, reason, date string
	cents                                      int
}

// signature is over eight members, joined by colons; an absent one is empty.
func (n item) signature() string {
	secret, err := hex.DecodeString(key)
	if err != nil {
		panic(err)
	}
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s:%s:TeaShopECOM:o-1001:%d:EUR:%s:%s", n.psp, n.original, n.cents, n.code, n.success)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func (n item) String() string {
	original := ""
	if n.original != "" {
		original = fmt.Sprintf(`"originalReference":%q,`, n.original)
	}
	return fmt.Sprintf(`{"NotificationRequestItem":{"additionalData":{"expiryDate":"03/2030","hmacSignature":%q},"amount":{"currency":"EUR","value":%d},
		"eventCode":%q,"eventDate":%q,"merchantAccountCode":"TeaShopECOM","merchantReference":"o-1001",%s"paymentMethod":"visa",
		"pspReference":%q,"reason":%q,"success":%q}}`, n.signature(), n.cents, n.code, n.date, original, n.psp, n.reason, n.success)
}

func batch(items ...item) string {
	texts := make([]string, 0, len(items))
	for _, n := range items {
		texts = append(texts, n.String())
	}
	return `{"live":"false","notificationItems":[` + strings.Join(texts, ",") + `]}`
}

// deliver wants a status, and with 200 what Adyen waits for.
func (c *till) deliver(body string, want int) {
	c.Helper()
	answer, err := http.Post(c.url, "application/json", strings.NewReader(body))
	c.must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	c.must(err)
	if answer.StatusCode != want || want == 200 && string(text) != "[accepted]" {
		c.Errorf("answered %d %q, want %d", answer.StatusCode, text, want)
	}
}

// outcomes checks how often each has been so far.
func (c *till) outcomes(processed, duplicate, conflict int64) {
	c.Helper()
	for o, want := range map[whrt.Outcome]int64{whrt.Processed: processed, whrt.Duplicate: duplicate, whrt.Conflict: conflict} {
		if got := c.counters.Outcome(o); got != want {
			c.Errorf("%s: %d times, want %d", o, got, want)
		}
	}
}

// row checks the one value of a query, as text.
func (c *till) row(query, want string) {
	c.Helper()
	var got string
	c.must(c.db.QueryRowContext(c.Context(), query).Scan(&got))
	if got != want {
		c.Errorf("%s: %s, want %s", query, got, want)
	}
}

var (
	authorised = item{psp: "QFQTPCQ8HXSKGK82", code: "AUTHORISATION", success: "true", reason: "null", date: "2026-11-30T09:15:00+01:00", cents: 4990}
	captured   = item{psp: "VK9DRSLLRCQ2WN82", original: "QFQTPCQ8HXSKGK82", code: "CAPTURE", success: "true", date: "2026-11-30T10:00:00+01:00", cents: 1990}
	theRest    = item{psp: "XB7XNCQ8HXSKGK82", original: "QFQTPCQ8HXSKGK82", code: "CAPTURE", success: "true", date: "2026-12-01T10:00:00+01:00", cents: 3000}
	disputed   = item{psp: "HMS2K8TFXW9XZ582", original: "QFQTPCQ8HXSKGK82", code: "CHARGEBACK", success: "true", date: "2026-12-20T10:00:00+01:00", cents: 4990}
)

const nothing = `SELECT (SELECT count(*) FROM adyen_inbox_events) + (SELECT count(*) FROM authorisations) + (SELECT count(*) FROM adyen_outbox_messages)`

func TestAPaymentAndItsRepeats(t *testing.T) {
	c := newTill(t)
	c.deliver(batch(authorised), 200)
	again := authorised // unsigned members may differ
	again.date, again.reason = "2026-11-30T09:20:00+01:00", "080123:1111:03/2030"
	c.deliver(batch(again), 200)
	c.outcomes(1, 1, 0)
	other := authorised
	other.cents = 1
	c.deliver(batch(other), 200)
	c.outcomes(1, 1, 1)
	c.row("SELECT event_key FROM adyen_inbox_events", "QFQTPCQ8HXSKGK82|AUTHORISATION|true")
	c.row("SELECT order_ref || ' ' || minor_units || ' ' || currency || ' ' || success FROM authorisations", "o-1001 4990 EUR true")
	c.row("SELECT count(*) FROM adyen_outbox_messages WHERE effect = 'confirm'", "1")
}

func TestAFailureAndALaterSuccessAreTwoEvents(t *testing.T) {
	c := newTill(t)
	refused := authorised
	refused.success, refused.reason = "false", "Not enough balance"
	c.deliver(batch(refused), 200)
	c.row("SELECT count(*) FROM adyen_outbox_messages", "0")
	c.deliver(batch(authorised), 200)
	c.outcomes(2, 0, 0)
	c.row("SELECT group_concat(success) FROM (SELECT success FROM authorisations ORDER BY success)", "false,true")
	c.row("SELECT count(*) FROM adyen_outbox_messages", "1")
}

func TestABatchIsEventsOfTheirOwn(t *testing.T) {
	c := newTill(t)
	report := item{psp: "settlement_2026_11.csv", code: "REPORT_AVAILABLE", success: "true", date: "2026-12-01T01:00:00+01:00"}
	c.deliver(batch(authorised, captured, report), 200)
	c.outcomes(2, 0, 0)
	c.deliver(batch(captured, theRest, disputed), 200) // batched anew
	c.outcomes(4, 1, 0)
	c.row("SELECT payment || ' ' || minor_units FROM captured", "QFQTPCQ8HXSKGK82 4990")
	c.row("SELECT payment FROM disputes", "QFQTPCQ8HXSKGK82")
	c.row("SELECT count(*) FROM adyen_inbox_events WHERE status = 'done'", "4")
	c.row("SELECT event_type FROM adyen_inbox_events WHERE status = 'ignored'", "REPORT_AVAILABLE")
}

func TestCapturesThatTakeNothing(t *testing.T) {
	c := newTill(t)
	lost := captured
	lost.original = ""
	c.deliver(batch(lost), 200)
	c.row("SELECT status FROM adyen_inbox_events", "rejected")
	failed := captured
	failed.psp, failed.success = "AAA", "false"
	c.deliver(batch(failed), 200)
	c.outcomes(1, 0, 0)
	c.row("SELECT count(*) FROM captured", "0")
}

func TestOneForgedItemForgesTheBatch(t *testing.T) {
	c := newTill(t)
	body := batch(authorised, captured)
	for what, forged := range map[string]string{
		"another amount": strings.Replace(body, `"value":4990`, `"value":1`, 1),
		"another key":    strings.Replace(body, captured.signature(), authorised.signature(), 1),
		"no signature":   strings.Replace(body, `,"hmacSignature":"`+captured.signature()+`"`, "", 1),
		"a second pair":  strings.Replace(body, `"pspReference":"VK9`, `"pspReference":"AAA","pspReference":"VK9`, 1),
	} {
		c.Log(what)
		c.deliver(forged, 401)
	}
	c.row(nothing, "0")
}
