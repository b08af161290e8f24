package send_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/examples/orders/sqlite/shop"
	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/generator/send"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/spec"
)

const secret = "send-test-secret-0123456789abcdef"

// receiver is the generated receiver of the orders example, over HTTP.
type receiver struct {
	*testing.T
	db  *sql.DB
	url string
}

type sender struct{}

func (sender) SendConfirmation(context.Context, shop.ConfirmationMessage) error { return nil }

func start(t *testing.T) *receiver {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "shop.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := shop.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	rcv, err := shop.New(t.Context(), shop.Config{
		DB: db, Confirmation: sender{}, Secrets: whrt.SecretsMap{"SHOP_WEBHOOK_SECRET": secret}, NoRelay: true,
		Settings: whrt.SettingsMap{"CRM_URL": "http://127.0.0.1:1", "CRM_TOKEN": "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/shop")
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return &receiver{T: t, db: db, url: server.URL + "/webhooks/shop"}
}

func (r *receiver) count(table string) int {
	r.Helper()
	var n int
	if err := r.db.QueryRowContext(r.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		r.Fatal(err)
	}
	return n
}

func plan(t *testing.T, file string) *generator.Plan {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return planOf(t, string(text))
}

func planOf(t *testing.T, text string) *generator.Plan {
	t.Helper()
	c, found := spec.LoadFile("c.yaml", func(string) ([]byte, error) { return []byte(text), nil })
	if c == nil {
		t.Fatalf("the contract does not load: %v", found)
	}
	p, found := generator.NewPlan(c, generator.PlanOptions{Import: "example.com/c"})
	if p == nil {
		t.Fatalf("no plan: %v", found)
	}
	return p
}

const ordersFile = "../../examples/orders/contracts/orders.openapi.yaml"

func target(url string) send.Target {
	return send.Target{URL: url, Timeout: 20 * time.Second, Secret: func(name string) (string, bool) { return secret, name == "SHOP_WEBHOOK_SECRET" }}
}

// TestCounts delivers to a real receiver in each way, and counts what it has stored.
func TestCounts(t *testing.T) {
	p := plan(t, ordersFile)
	type counts struct{ inbox, orders, cancellations, outbox, conflicts int }
	body := []byte(`{"event_id":"own","type":"order.cancelled","created_at":"2026-11-30T09:15:00Z","order":{"id":"o"}}`)
	created := []string{"orderCreated"}
	for name, c := range map[string]struct {
		o          send.Options
		want       counts
		deliveries int
	}{
		"once":             {send.Options{}, counts{2, 1, 1, 2, 0}, 2},
		"count":            {send.Options{Events: created, Count: 5}, counts{5, 5, 0, 10, 0}, 5},
		"repeat":           {send.Options{Repeat: 4}, counts{2, 1, 1, 2, 0}, 8},
		"concurrent":       {send.Options{Events: created, Concurrent: 16}, counts{1, 1, 0, 2, 0}, 16},
		"concurrent twice": {send.Options{Events: created, Concurrent: 4, Repeat: 2}, counts{1, 1, 0, 2, 0}, 8},
		"alter":            {send.Options{Events: created, Alter: true}, counts{1, 1, 0, 2, 1}, 2},
		"stale":            {send.Options{Stale: true}, counts{}, 2},
		"wrong secret":     {send.Options{WrongSecret: true, Repeat: 3}, counts{}, 6},
		"tamper":           {send.Options{Tamper: true}, counts{}, 2},
		"all wrong":        {send.Options{Tamper: true, Stale: true, WrongSecret: true, Alter: true, Events: created}, counts{}, 2},
		"body":             {send.Options{Events: []string{"orderCancelled"}, Body: body, Repeat: 2}, counts{1, 0, 1, 0, 0}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			got, err := send.Run(t.Context(), p, target(r.url), c.o)
			if err != nil {
				t.Fatal(err)
			}
			stored := counts{r.count("shop_inbox_events"), r.count("local_orders"), r.count("local_cancellations"), r.count("shop_outbox_messages"), r.count("shop_inbox_conflicts")}
			if stored != c.want {
				t.Errorf("stored %+v, want %+v", stored, c.want)
			}
			if got.Deliveries != c.deliveries || got.Unexpected != 0 || got.NoAnswer != 0 {
				t.Errorf("%d delivered, %d unexpected, %d without an answer; want %d, none, none", got.Deliveries, got.Unexpected, got.NoAnswer, c.deliveries)
			}
			for _, g := range got.Groups {
				if g.Latency.Max <= 0 || g.Latency.P50 > g.Latency.Max || len(g.Answers) == 0 {
					t.Errorf("group %+v, want answers with latencies", g)
				}
			}
		})
	}
}

// TestNewEvents: two runs are different events, unless the number is given.
func TestNewEvents(t *testing.T) {
	p, r := plan(t, ordersFile), start(t)
	run := func(number int64) {
		t.Helper()
		if _, err := send.Run(t.Context(), p, target(r.url), send.Options{Events: []string{"orderCreated"}, Number: number}); err != nil {
			t.Fatal(err)
		}
	}
	run(0)
	run(7)
	run(7)
	if got := r.count("shop_inbox_events"); got != 2 {
		t.Errorf("%d events, want 2: one from the clock, and number 7 once", got)
	}
}

// TestUnexpected: a receiver that takes everything is found out.
func TestUnexpected(t *testing.T) {
	p := plan(t, ordersFile)
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 2 {
			panic(http.ErrAbortHandler) // no answer
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	r, err := send.Run(t.Context(), p, target(server.URL), send.Options{Events: []string{"orderCreated"}, Repeat: 3, WrongSecret: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Unexpected != 2 || r.NoAnswer != 1 || len(r.Groups) != 1 || len(r.Groups[0].Errors) != 1 || r.Groups[0].Answers[0].Status != 418 || len(r.Groups[0].Answers[0].Outcomes) != 0 {
		t.Errorf("result %+v %+v, want two unexpected answers and one missing", r, r.Groups[0])
	}
}

func TestNothingSecretIsTold(t *testing.T) {
	p := plan(t, ordersFile)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }))
	defer server.Close()
	r, err := send.Run(t.Context(), p, target(server.URL), send.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), secret) || strings.Contains(string(text), "v1=") {
		t.Errorf("the result tells secret or signature: %s (%v)", text, err)
	}
}

// contract is one of our own, with the scheme and event given.
func contract(root, event string) string {
	return "openapi: 3.1.0\ninfo: {title: T, version: \"1\"}\nx-whgen:\n  version: 1\n  source: t\n  secrets: [SHOP_WEBHOOK_SECRET]\n" + root +
		"  outcomes: {processed: 200, duplicate: 208, conflict: 409, inProgress: 503, failed: 500}\nwebhooks:\n  e:\n    post:\n      x-whgen: " + event +
		"\n      requestBody: {content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: string}, at: {type: string}}}}}}\n"
}

func TestRefuses(t *testing.T) {
	hmac := "  signature: {type: hmac, from: header:X-Sig, encoding: hex}\n"
	none := "  signature: {type: none, reason: inside the cluster}\n"
	token := "  signature: {type: token, from: header:X-Token}\n"
	keyed, derived := "{event: {key: /id}}", "{event: {derived: {exclude: [/at]}}}"
	for name, c := range map[string]struct {
		text string
		o    send.Options
		want string
	}{
		"stale without a time":    {contract(hmac, keyed), send.Options{Stale: true}, "no time that is judged"},
		"wrong where none":        {contract(none, keyed), send.Options{WrongSecret: true}, "nothing is verified there"},
		"tampered under a token":  {contract(token, keyed), send.Options{Tamper: true}, "does not cover the whole body"},
		"altered and derived":     {contract(hmac, derived), send.Options{Alter: true}, "derived from the content"},
		"batch without items":     {contract(hmac, keyed), send.Options{Batch: 2}, "declares no event.items"},
		"an event that is not":    {contract(hmac, keyed), send.Options{Events: []string{"f"}}, `no event "f"; it has e`},
		"altered body of its own": {contract(hmac, keyed), send.Options{Alter: true, Body: []byte("{}")}, "cannot be altered"},
	} {
		_, err := send.Run(t.Context(), planOf(t, c.text), target("http://127.0.0.1:1"), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
	p := plan(t, ordersFile)
	if _, err := send.Run(t.Context(), p, target("http://127.0.0.1:1"), send.Options{Body: []byte("{}")}); err == nil || !strings.Contains(err.Error(), "--event") {
		t.Errorf("a body for two events: %v", err)
	}
	unset := target("http://127.0.0.1:1")
	unset.Secret = func(string) (string, bool) { return "", false }
	if _, err := send.Run(t.Context(), p, unset, send.Options{}); err == nil || !strings.Contains(err.Error(), "SHOP_WEBHOOK_SECRET") {
		t.Errorf("without a secret: %v, want one that names it", err)
	}
}

// TestSchemes signs with each scheme, and shows what a request looks like.
func TestSchemes(t *testing.T) {
	for name, c := range map[string]struct {
		root, event string
		header      string
		want        string // prefix of the header's value
	}{
		"standard webhooks": {"  preset: standard-webhooks\n", "{}", "Webhook-Signature", "v1,"},
		"signed id":         {"  preset: standard-webhooks\n", "{}", "Webhook-Id", "event-"},
		"bearer":            {"  signature: {type: bearer}\n", "{event: {key: /id}}", "Authorization", "Bearer "},
		"basic":             {"  signature: {type: basic}\n", "{event: {key: /id}}", "Authorization", "Basic "},
		"type in a header":  {"  signature: {type: token, from: header:X-T, prefix: t-}\n  event: {type: header:X-Kind}\n", "{event: {is: made, key: header:X-Event}}", "X-Kind", "made"},
		"key in a header":   {"  signature: {type: token, from: header:X-T, prefix: t-}\n  event: {type: header:X-Kind}\n", "{event: {is: made, key: header:X-Event}}", "X-Event", "event-"},
		"type in the query": {"  signature: {type: token, from: header:X-T, prefix: t-}\n  event: {type: query:kind}\n", "{event: {is: made, key: /id}}", "X-Query", "given=1&kind=made"},
	} {
		t.Run(name, func(t *testing.T) {
			var got http.Header
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = r.Header.Clone()
				got.Set("X-Query", r.URL.RawQuery)
			}))
			defer server.Close()
			to := target(server.URL + "?given=1")
			to.Secret = func(string) (string, bool) {
				switch name {
				case "basic":
					return "user:password", true
				case "standard webhooks", "signed id":
					return "whsec_c2VuZC10ZXN0LXNlY3JldC0wMTIzNDU2Nzg5", true
				}
				return secret, true
			}
			r, err := send.Run(t.Context(), planOf(t, contract(c.root, c.event)), to, send.Options{})
			if err != nil || r.Unexpected > 0 {
				t.Fatalf("run: %v, %+v", err, r)
			}
			if !strings.HasPrefix(got.Get(c.header), c.want) {
				t.Errorf("header %s is %q, want it to begin with %q", c.header, got.Get(c.header), c.want)
			}
		})
	}
}

// TestTenants delivers for one tenant: in the path, and with that tenant's secret.
func TestTenants(t *testing.T) {
	for name, c := range map[string]struct{ root, place, want string }{
		"path":   {"  tenant: path:tenant\n  path: /{tenant}\n", "path", "/hooks/acme-2"},
		"header": {"  tenant: header:X-Account\n", "X-Account", "acme-2"},
		"query":  {"  tenant: query:account\n", "query", "account=acme-2"},
	} {
		t.Run(name, func(t *testing.T) {
			var got http.Header
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = r.Header.Clone()
				got.Set("path", r.URL.Path)
				got.Set("query", r.URL.RawQuery)
			}))
			defer server.Close()
			text := strings.Replace(contract(c.root+"  signature: {type: bearer}\n", "{event: {key: /id}}"), "[SHOP_WEBHOOK_SECRET]", `["SHOP_{tenant}_SECRET"]`, 1)
			p, to := planOf(t, text), target(server.URL+"/hooks")
			to.Secret = func(name string) (string, bool) { return "of-acme-0123456789", name == "SHOP_ACME_2_SECRET" }
			if _, err := send.Run(t.Context(), p, to, send.Options{Tenant: "acme-2"}); err != nil {
				t.Fatal(err)
			}
			if got.Get(c.place) != c.want || got.Get("Authorization") != "Bearer of-acme-0123456789" {
				t.Errorf("%s is %q, authorized as %q; want %q and the tenant's secret", c.place, got.Get(c.place), got.Get("Authorization"), c.want)
			}
			for _, tenant := range []string{"", "a/b"} {
				if _, err := send.Run(t.Context(), p, to, send.Options{Tenant: tenant}); err == nil || !strings.Contains(err.Error(), "--tenant") {
					t.Errorf("tenant %q: error %v, want one that names the flag", tenant, err)
				}
			}
		})
	}
	if _, err := send.Run(t.Context(), plan(t, ordersFile), target("http://127.0.0.1:1"), send.Options{Tenant: "acme"}); err == nil || !strings.Contains(err.Error(), "no tenants") {
		t.Errorf("a tenant for a contract without: %v", err)
	}
}

// TestForms: a body of the kind that the contract takes, numbered too.
func TestForms(t *testing.T) {
	var form url.Values
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		form = r.PostForm
	}))
	defer server.Close()
	text := strings.Replace(contract("  signature: {type: hmac, from: header:X-Sig, encoding: hex}\n", "{event: {key: form:id}}"), "application/json", "application/x-www-form-urlencoded", 1)
	if _, err := send.Run(t.Context(), planOf(t, text), target(server.URL), send.Options{Number: 42}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(form.Get("id"), "42") {
		t.Errorf("form %v, want the field id with the event's number", form)
	}
}
