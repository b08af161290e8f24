package tenants_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/golden/tenants/shops"
	whrt "github.com/whgen/whgen/runtime"
)

// handler notes for which tenant it was called.
type handler struct{ seen []string }

func (h *handler) Order(_ context.Context, _ shops.Tx, e whrt.Incoming[shops.Order]) error {
	h.seen = append(h.seen, e.Meta.Tenant+" "+e.Payload.ID)
	return nil
}

// accounts is the user's own provider: tenants in a table of his.
type accounts map[string]string

func (a accounts) Secret(context.Context, string) (string, error) { return "", whrt.ErrNoSecret }

func (a accounts) TenantSecret(_ context.Context, tenant, _ string) (string, error) {
	if secret, ok := a[tenant]; ok {
		return secret, nil
	}
	return "", whrt.ErrUnknownTenant
}

func TestTenants(t *testing.T) {
	for name, secrets := range map[string]whrt.Secrets{
		"names":    whrt.SecretsMap{"SHOPS_ACME_SECRET": "acme-secret-0123456789", "SHOPS_GLOBEX_EU_SECRET": "globex-secret-0123456789", "SHOPS_T1_SECRET": "t1-secret-0123456789"},
		"provider": accounts{"acme": "acme-secret-0123456789", "globex-eu": "globex-secret-0123456789", "T1": "t1-secret-0123456789", "t1": "t1-secret-0123456789"},
	} {
		t.Run(name, func(t *testing.T) { run(t, secrets) })
	}
}

func run(t *testing.T, secrets whrt.Secrets) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "shops.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := shops.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	h, counters := &handler{}, &whrt.Counters{}
	rcv, err := shops.New(t.Context(), shops.Config{DB: db, Handler: h, Secrets: secrets, Observer: counters})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/shops")
	deliver := func(path, secret string) int {
		body := `{"id":"o1","type":"order"}`
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(body))
		r := httptest.NewRequest("POST", path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w.Code
	}
	for _, d := range []struct {
		path, secret string
		status       int
	}{
		{"/webhooks/shops/acme", "acme-secret-0123456789", 200},
		{"/webhooks/shops/globex-eu", "globex-secret-0123456789", 200},
		{"/webhooks/shops/acme", "acme-secret-0123456789", 200},
		{"/webhooks/shops/T1", "t1-secret-0123456789", 200},
		{"/webhooks/shops/t1", "t1-secret-0123456789", 200},
		{"/webhooks/shops/acme", "globex-secret-0123456789", 401},
		{"/webhooks/shops/initech", "acme-secret-0123456789", 401},
		{"/webhooks/shops/ac%20me", "acme-secret-0123456789", 401},
		{"/webhooks/shops", "acme-secret-0123456789", 404},
		{"/webhooks/shops/acme/x", "acme-secret-0123456789", 404},
	} {
		if got := deliver(d.path, d.secret); got != d.status {
			t.Errorf("%s with %s: answered %d, want %d", d.path, d.secret, got, d.status)
		}
	}
	rows, err := db.Query("SELECT i.event_key || ' ' || o.shop FROM orders o JOIN shops_inbox_events i ON i.event_key = o.event_key ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if want := []string{"T1|o1 T1", "acme|o1 acme", "globex-eu|o1 globex-eu", "t1|o1 t1"}; !slices.Equal(all, want) {
		t.Errorf("the rows are %q, want %q", all, want)
	}
	if want := []string{"acme o1", "globex-eu o1", "T1 o1", "t1 o1"}; !slices.Equal(h.seen, want) {
		t.Errorf("the handler saw %q, want %q", h.seen, want)
	}
	if counters.Outcome(whrt.Duplicate) != 1 || counters.Outcome(whrt.Unauthenticated) != 3 {
		t.Errorf("the outcomes are %v", counters.Outcomes())
	}
}
