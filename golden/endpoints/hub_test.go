package endpoints_test

import (
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/golden/endpoints/hub"
	whrt "github.com/whgen/whgen/runtime"
)

const mount = "/webhooks/hub"

var secrets = whrt.SecretsMap{
	"ORDERS_SECRET": "orders-secret-0123456789", "ORDERS_OLD_SECRET": "orders-old-secret-0123456789", "MIRROR_SECRET": "mirror-secret-0123456789",
	"PAGES_SECRET": "pages-secret-0123456789", "CRC_SECRET": "crc-secret-0123456789", "GRAPH_CLIENT_STATE": "graph-state-0123456789",
	"CLOUD_TOKEN": "cloud-token-0123456789", "REGION_SECRET": "region-secret-0123456789",
}

// bench is a receiver on a database of its own, behind a server.
type bench struct {
	*testing.T
	db       *sql.DB
	url      string
	counters *whrt.Counters
	clock    *whrt.OffsetClock
	outside  *outside
}

func newBench(t *testing.T) *bench {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "hub.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := hub.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, db: db, counters: &whrt.Counters{}, clock: &whrt.OffsetClock{}, outside: newOutside(t)}
	rcv, err := hub.New(t.Context(), hub.Config{
		DB: db, Secrets: secrets, Observer: b.counters, Clock: b.clock, KeyClient: &http.Client{Transport: b.outside},
		Settings: whrt.SettingsMap{"HUB_PUBLIC_URL": "https://hub.example/hooks", "HUB_VERIFY_TOKEN": "meatyhamhock"},
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	rcv.Handle(mux, mount)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b.url = server.URL + mount
	return b
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (b *bench) do(method, path, body string, headers ...string) answer {
	b.Helper()
	r, err := http.NewRequest(method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(text)}
}

// want checks status, and how often an outcome has been so far.
func (b *bench) want(got answer, status int, o whrt.Outcome, times int64) {
	b.Helper()
	if n := b.counters.Outcome(o); got.status != status || n != times {
		b.Errorf("answered %d %q, want %d; %s was %d times, want %d", got.status, got.body, status, o, n, times)
	}
}

// keys are the event keys in the inbox.
func (b *bench) keys() []string {
	b.Helper()
	rows, err := b.db.Query("SELECT event_key FROM hub_inbox_events ORDER BY event_key")
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			b.Fatal(err)
		}
		all = append(all, key)
	}
	return all
}

const note = `{"id":"n1","type":"note","text":"hello"}`

func TestEveryEndpointTakesItsOwnDeliveries(t *testing.T) {
	b := newBench(t)
	state := strings.Replace(note, "{", `{"clientState":"`+secrets["GRAPH_CLIENT_STATE"]+`",`, 1)
	deliveries := []struct {
		path, body string
		headers    []string
	}{
		{"/orders", note, []string{"X-Signature", hexMAC("ORDERS_SECRET", note)}},
		{"/mirror", note, []string{"X-Signature", hexMAC("MIRROR_SECRET", note)}},
		{"/meta/pages", note, []string{"X-Signature", hexMAC("PAGES_SECRET", note)}},
		{"/crc", note, []string{"X-Signature", "sha256=" + base64MAC("CRC_SECRET", note)}},
		{"/graph", state, nil},
		{"/cloud", note, []string{"Authorization", "Bearer " + secrets["CLOUD_TOKEN"]}},
		{"/north/in?a=1", note, []string{"X-Signature", hexMAC("REGION_SECRET", "https://hub.example/hooks/north/in?a=1\n"+note)}},
		{"/idp", note, []string{"X-Signature", b.outside.ed25519(note)}},
		{"/cert", note, []string{"X-Signature", b.outside.ecdsa(note), "X-Cert-Url", "https://keys.eu.hub.example/a.pem"}},
	}
	refused := int64(0)
	for i, d := range deliveries {
		b.want(b.do("POST", d.path, d.body, d.headers...), 200, whrt.Processed, int64(i+1))
		b.want(b.do("POST", d.path, d.body, d.headers...), 200, whrt.Duplicate, int64(i+1))
		if len(d.headers) > 0 { // at another endpoint it is worth nothing
			other := deliveries[(i+1)%4].path
			if i >= 3 {
				other = "/orders"
			}
			refused++
			b.want(b.do("POST", other, d.body, d.headers...), 401, whrt.Unauthenticated, refused)
		}
	}
	want := []string{"cert|n1", "cloud|n1", "crc|n1", "graph|n1", "idp|n1", "n1", "orders|n1", "pages|n1", "region|n1"}
	if got := b.keys(); !slices.Equal(got, want) {
		t.Errorf("the keys are %q, want %q", got, want)
	}
	for _, path := range []string{"", "/", "/other", "/orders/", "/meta", "/pages"} {
		if got := b.do("POST", path, note); got.status != 404 {
			t.Errorf("%q is answered %d, want 404", path, got.status)
		}
	}
	for name, want := range map[string]int64{"ORDERS_SECRET": 2, "ORDERS_OLD_SECRET": 0, "https://keys.hub.example/jwks.json": 2, "header:X-Cert-Url": 2} {
		if got := b.counters.Secret(name); got != want {
			t.Errorf("%s has verified %d deliveries, want %d", name, got, want)
		}
	}
}

func TestOldSecretUntilItsEnd(t *testing.T) {
	b := newBench(t)
	old := []string{"X-Signature", hexMAC("ORDERS_OLD_SECRET", note)}
	b.want(b.do("POST", "/orders", note, old...), 200, whrt.Processed, 1)
	b.clock.Set(time.Date(2100, 1, 1, 0, 0, 1, 0, time.UTC))
	b.want(b.do("POST", "/orders", note, old...), 401, whrt.Unauthenticated, 1)
}

func TestSignedChallenges(t *testing.T) {
	b := newBench(t)
	slack := `{"type":"url_verification","challenge":"3eZbrw1a"}`
	got := b.do("POST", "/orders", slack, "X-Signature", hexMAC("ORDERS_SECRET", slack))
	b.want(got, 200, whrt.Challenged, 1)
	if got.body != "3eZbrw1a" || got.header.Get("Content-Type") != "text/plain" || got.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the answer is %+v", got)
	}
	b.want(b.do("POST", "/orders", slack, "X-Signature", hexMAC("PAGES_SECRET", slack)), 403, whrt.Unauthenticated, 1)
	b.want(b.do("POST", "/orders", note, "X-Signature", hexMAC("PAGES_SECRET", note)), 401, whrt.Unauthenticated, 2)

	zoom := `{"type":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"}}`
	for _, secret := range []string{"ORDERS_SECRET", "ORDERS_OLD_SECRET"} { // the answer is made with the one that verified
		got = b.do("POST", "/orders", zoom, "X-Signature", hexMAC(secret, zoom))
		want := `{"plainToken":"qgg8vlvZRS6UYooatFL8Aw","encryptedToken":"` + hexMAC(secret, "qgg8vlvZRS6UYooatFL8Aw") + `","count":1}`
		if got.status != 200 || got.body != want || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("the answer is %+v, want %s", got, want)
		}
	}
	empty := `{"type":"endpoint.url_validation"}`
	b.want(b.do("POST", "/orders", empty, "X-Signature", hexMAC("ORDERS_SECRET", empty)), 400, whrt.Malformed, 1)
	b.want(b.do("GET", "/orders", ""), 405, whrt.MethodNotAllowed, 1)
	if len(b.keys()) != 0 {
		t.Errorf("challenges have left %q", b.keys())
	}
}

func TestChallengeWithASharedText(t *testing.T) {
	b := newBench(t)
	query := "/meta/pages?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token="
	got := b.do("GET", query+"meatyhamhock", "")
	b.want(got, 200, whrt.Challenged, 1)
	if got.body != "1158201444" {
		t.Errorf("the answer is %q", got.body)
	}
	b.want(b.do("GET", query+"other", ""), 403, whrt.Unauthenticated, 1)
	b.want(b.do("GET", query, ""), 403, whrt.Unauthenticated, 2)
	b.want(b.do("GET", query+"meatyhamhock&hub.verify_token=meatyhamhock", ""), 403, whrt.Unauthenticated, 3)
	got = b.do("GET", "/meta/pages?hub.mode=unsubscribe", "")
	b.want(got, 405, whrt.MethodNotAllowed, 1)
	if allow := got.header.Get("Allow"); allow != "POST, GET" {
		t.Errorf("Allow is %q", allow)
	}
}

func TestChallengeAnsweredWithTheSecret(t *testing.T) {
	b := newBench(t)
	got := b.do("GET", "/crc?crc_token=dG9rZW4tMQ%3D%3D", "")
	b.want(got, 200, whrt.Challenged, 1)
	if want := `{"response_token":"sha256=` + base64MAC("CRC_SECRET", "dG9rZW4tMQ==") + `"}`; got.body != want {
		t.Errorf("the answer is %s, want %s", got.body, want)
	}
	// Whoever asks must not get a signature of a body from us.
	for i, forged := range []string{note, "[1]", `"a"`, "a=b", "a b", ""} {
		got := b.do("GET", "/crc?crc_token="+url.QueryEscape(forged), "")
		b.want(got, 400, whrt.Malformed, int64(i+1))
		if strings.Contains(got.body, base64MAC("CRC_SECRET", forged)) {
			t.Errorf("%q was signed", forged)
		}
	}
}

func TestChallengeThatIsNeitherGetNorJSON(t *testing.T) {
	b := newBench(t)
	got := b.do("POST", "/graph?validationToken=Validation%3A+a+%3Cb%3E", "", "Content-Type", "text/plain; charset=utf-8")
	b.want(got, 200, whrt.Challenged, 1)
	if got.body != "Validation: a <b>" || got.header.Get("Content-Type") != "text/plain" {
		t.Errorf("the answer is %+v", got)
	}
	b.want(b.do("POST", "/graph", "x", "Content-Type", "text/plain"), 415, whrt.UnsupportedMedia, 1)

	got = b.do("OPTIONS", "/cloud", "", "WebHook-Request-Origin", "events.example")
	b.want(got, 200, whrt.Challenged, 2)
	if got.header.Get("WebHook-Allowed-Origin") != "events.example" || got.header.Get("WebHook-Allowed-Rate") != "*" || got.body != "" {
		t.Errorf("the answer is %+v", got)
	}
	got = b.do("OPTIONS", "/cloud", "")
	b.want(got, 405, whrt.MethodNotAllowed, 1)
	if allow := got.header.Get("Allow"); allow != "POST, OPTIONS" {
		t.Errorf("Allow is %q", allow)
	}
}

func TestPublishedKeys(t *testing.T) {
	b := newBench(t)
	b.want(b.do("POST", "/idp", note, "X-Signature", b.outside.ed25519(note)), 200, whrt.Processed, 1)
	b.outside.rotate()
	b.clock.Advance(2 * time.Minute)
	b.want(b.do("POST", "/idp", note, "X-Signature", b.outside.ed25519(note)), 200, whrt.Duplicate, 1)
	calls := b.outside.calls.Load()
	for i := range 20 {
		b.want(b.do("POST", "/idp", note, "X-Signature", b.outside.ed25519("forged")), 401, whrt.Unauthenticated, int64(i+1))
	}
	if n := b.outside.calls.Load(); n != calls {
		t.Errorf("forged deliveries made %d calls to the publisher", n-calls)
	}
	signed := b.outside.ecdsa(note)
	for i, place := range []string{"https://evil.example/a.pem", "http://keys.eu.hub.example/a.pem", "https://keys.hub.example/a.pem"} {
		b.want(b.do("POST", "/cert", note, "X-Signature", signed, "X-Cert-Url", place), 401, whrt.Unauthenticated, int64(21+i))
	}
	b.outside.down.Store(true)
	b.want(b.do("POST", "/cert", note, "X-Signature", signed, "X-Cert-Url", "https://keys.eu.hub.example/b.pem"), 500, whrt.Failed, 1)
	b.outside.down.Store(false)
	b.want(b.do("POST", "/cert", note, "X-Signature", signed, "X-Cert-Url", "https://keys.eu.hub.example/c.pem"), 200, whrt.Processed, 2)
}

// GC-052: what is echoed is the text itself, however long, and no HTML.
func TestChallengesAreEchoedExactly(t *testing.T) {
	b := newBench(t)
	for _, text := range []string{"abc<b>", strings.Repeat("x", 10<<10)} {
		body := `{"type":"url_verification","challenge":"` + text + `"}`
		got := b.do("POST", "/orders", body, "X-Signature", hexMAC("ORDERS_SECRET", body))
		if got.status != 200 || got.body != text || got.header.Get("Content-Type") != "text/plain" {
			t.Errorf("%d bytes are answered %d with %d bytes of %s", len(text), got.status, len(got.body), got.header.Get("Content-Type"))
		}
		got = b.do("GET", "/meta/pages?hub.mode=subscribe&hub.verify_token=meatyhamhock&hub.challenge="+url.QueryEscape(text), "")
		if got.status != 200 || got.body != text {
			t.Errorf("%d bytes are answered %d with %d bytes", len(text), got.status, len(got.body))
		}
	}
	if got := b.do("GET", "/meta/pages?hub.mode=subscribe&hub.verify_token=meatyhamhock", ""); got.status != 405 {
		t.Errorf("without a challenge it is answered %d", got.status)
	}
	if got := b.do("GET", "/mirror", ""); got.status != 405 || got.header.Get("Allow") != "POST" {
		t.Errorf("without a rule GET is answered %d, Allow %q", got.status, got.header.Get("Allow"))
	}
	if len(b.keys()) != 0 {
		t.Errorf("challenges have left %q", b.keys())
	}
}

// GC-007: one id at two endpoints is two events, whatever their content.
func TestOneIDAtTwoEndpoints(t *testing.T) {
	b := newBench(t)
	for range 2 {
		for _, d := range [][3]string{{"/orders", "ORDERS_SECRET", note}, {"/meta/pages", "PAGES_SECRET", strings.Replace(note, "hello", "bye", 1)}} {
			if got := b.do("POST", d[0], d[2], "X-Signature", hexMAC(d[1], d[2])); got.status != 200 {
				t.Errorf("%s is answered %d", d[0], got.status)
			}
		}
	}
	var notes int
	if err := b.db.QueryRow("SELECT count(*) FROM notes").Scan(&notes); err != nil || notes != 2 {
		t.Errorf("there are %d notes, %v", notes, err)
	}
	if b.counters.Outcome(whrt.Conflict) != 0 || b.counters.Outcome(whrt.Duplicate) != 2 {
		t.Errorf("the outcomes are %v", b.counters.Outcomes())
	}
}
