package runtime

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

// tenants is a shop whose accounts have secrets of their own.
func tenants(d *Definition) {
	d.Tenant = &Selector{Kind: Path, Name: "tenant"}
	d.Endpoints[0].Path = "/{tenant}"
	d.Endpoints[0].Scheme.Secrets = []signature.Secret{{Name: "SHOP_{tenant}_SECRET"}}
}

const (
	acmeSecret   = "acme-secret-0123456789"
	globexSecret = "globex-secret-0123456789"
)

func newTenants(t *testing.T, o Options) *harness {
	t.Helper()
	h := &harness{t: t, store: newMemory(), counters: &Counters{}, clock: &OffsetClock{}, def: definition()}
	tenants(&h.def)
	if o.Secrets == nil {
		o.Secrets = SecretsMap{"SHOP_ACME_SECRET": acmeSecret, "SHOP_GLOBEX_EU_SECRET": globexSecret}
	}
	h.rcv = h.start(o)
	return h
}

func TestTenantsHaveTheirOwnSecretsAndKeys(t *testing.T) {
	h := newTenants(t, Options{})
	text := paid("e1", "o1", 1)
	steps := []struct {
		tenant, secret string
		status, rows   int
	}{
		{"acme", acmeSecret, 200, 1},
		{"globex-eu", globexSecret, 200, 2},
		{"globex-eu", acmeSecret, 401, 2},
		{"initech", acmeSecret, 401, 2},
		{"acme", acmeSecret, 200, 2},
		{"ACME", acmeSecret, 200, 3},        // one secret by its name, but another tenant
		{"globex_eu", globexSecret, 200, 4}, // likewise
		{"acme.", acmeSecret, 401, 4},
		{strings.Repeat("a", 65), acmeSecret, 401, 4},
	}
	for _, s := range steps {
		if got := h.mounted(h.at("/webhooks/shop/"+s.tenant, s.secret, text)); got != s.status || h.store.size() != s.rows {
			t.Errorf("%s: answered %d with %d rows, want %d with %d", s.tenant, got, h.store.size(), s.status, s.rows)
		}
	}
	for _, key := range []string{"acme|e1", "globex-eu|e1", "ACME|e1", "globex_eu|e1"} {
		if h.store.row(key) == nil {
			t.Errorf("no row has the key %q", key)
		}
	}
	if n := h.counters.Secret("SHOP_GLOBEX_EU_SECRET"); n != 2 {
		t.Errorf("globex's secret has verified %d requests, want 2", n)
	}
}

func TestTenantInHeaderOrQuery(t *testing.T) {
	for kind, with := range map[Kind]func(*http.Request, string){
		Header: func(r *http.Request, tenant string) { r.Header.Add("X-Account", tenant) },
		Query:  func(r *http.Request, tenant string) { r.URL.RawQuery += "&X-Account=" + tenant },
	} {
		h := &harness{t: t, store: newMemory(), counters: &Counters{}, clock: &OffsetClock{}, def: definition()}
		tenants(&h.def)
		h.def.Tenant, h.def.Endpoints[0].Path = &Selector{Kind: kind, Name: "X-Account"}, ""
		h.rcv = h.start(Options{Secrets: SecretsMap{"SHOP_ACME_SECRET": acmeSecret}})
		for _, told := range [][]string{{"acme"}, {}, {"acme", "acme"}, {"other"}} {
			r := h.at("/", acmeSecret, paid("e1", "o1", 1))
			for _, tenant := range told {
				with(r, tenant)
			}
			want := 401
			if len(told) == 1 && told[0] == "acme" {
				want = 200
			}
			if got := h.do(r); got.status != want {
				t.Errorf("%v: answered %d, want %d", told, got.status, want)
			}
		}
	}
}

// counting is a verifier's time in calls: an unknown tenant costs a verification.
func TestUnknownTenantIsVerifiedAllTheSame(t *testing.T) {
	h := newTenants(t, Options{})
	a := h.rcv.endpoints[0].auth
	calls := 0
	v := signature.Verifier(verifierFunc(func(r *signature.Request, now time.Time) (signature.Result, error) {
		calls++
		return signature.Result{}, nil // even a decoy that accepts does not count
	}))
	a.decoy.Store(&v)
	for i, tenant := range []string{"initech", "initech", "not.one"} {
		if got := h.mounted(h.at("/webhooks/shop/"+tenant, acmeSecret, paid("e1", "o1", 1))); got != 401 || calls != i+1 {
			t.Errorf("%s: answered %d after %d verifications, want 401 after %d", tenant, got, calls, i+1)
		}
	}
	h.wantRows(0)
}

type verifierFunc func(*signature.Request, time.Time) (signature.Result, error)

func (f verifierFunc) Verify(r *signature.Request, now time.Time) (signature.Result, error) {
	return f(r, now)
}

func TestDecoyForEachForm(t *testing.T) {
	for _, s := range []signature.Scheme{
		{Type: "hmac", Encoding: "hex", Decode: signature.Decoding{Encoding: "base64", StripPrefix: "whsec_"}, From: []signature.Source{{In: "header", Name: "X-Sig"}}},
		{Type: "hmac", Encoding: "hex", Decode: signature.Decoding{Encoding: "hex"}, From: []signature.Source{{In: "header", Name: "X-Sig"}}},
		{Type: "token", From: []signature.Source{{In: "header", Name: "X-Sig"}}},
		{Type: "basic"},
		{Type: "bearer"},
	} {
		s.Secrets = []signature.Secret{{Name: "A_{tenant}"}, {Name: "B_{tenant}"}}
		a := &authenticator{scheme: s, keys: s.Secrets}
		a.makeDecoy()
		if a.decoy.Load() == nil {
			t.Errorf("%s with %q has no decoy", s.Type, s.Decode.Encoding)
		}
	}
}

// accounts is a provider of one's own.
type accounts struct {
	SecretsMap
	asked []string
	err   error
}

func (a *accounts) TenantSecret(_ context.Context, tenant, name string) (string, error) {
	a.asked = append(a.asked, tenant+" "+name)
	switch {
	case a.err != nil:
		return "", a.err
	case tenant == "Acme":
		return acmeSecret, nil
	}
	return "", ErrUnknownTenant
}

func TestTenantProvider(t *testing.T) {
	p := &accounts{}
	h := newTenants(t, Options{Secrets: p})
	ask := func(tenant string, status int) {
		t.Helper()
		if got := h.mounted(h.at("/webhooks/shop/"+tenant, acmeSecret, paid("e1", "o1", 1))); got != status {
			t.Errorf("%s: answered %d, want %d", tenant, got, status)
		}
	}
	ask("Acme", 200)
	ask("Acme", 200)
	ask("acme", 401)
	ask("acme", 401)
	if len(p.asked) != 2 || p.asked[0] != "Acme SHOP_{tenant}_SECRET" {
		t.Errorf("the provider was asked for %q", p.asked)
	}
	if h.store.row("Acme|e1") == nil {
		t.Error("the key does not have the tenant as it came")
	}
	p.err = errors.New("the database is down")
	ask("other", 500)
	if h.counters.Class("secrets") != 1 {
		t.Errorf("outcomes are %v", h.counters.Outcomes())
	}
	ask("Acme", 200) // held
	p.err = nil
	h.clock.Advance(tenantAge)
	ask("acme", 401)
	ask("Acme", 200)
	if len(p.asked) != 5 {
		t.Errorf("after a while the provider was asked %q", p.asked)
	}
}

func TestTenantsAreCheckedAtStart(t *testing.T) {
	def := definition()
	tenants(&def)
	_, err := NewReceiver(t.Context(), def, newMemory(), Options{Secrets: SecretsMap{"SHOP_ACME_SECRET": "ABCDEF\n", "OTHER": "x"}})
	if err == nil || !strings.Contains(err.Error(), "SHOP_ACME_SECRET") || !strings.Contains(err.Error(), "outer white space") || strings.Contains(err.Error(), "ABCDEF") {
		t.Errorf("error is %v", err)
	}
	counters := &Counters{}
	if _, err := NewReceiver(t.Context(), def, newMemory(), Options{Secrets: SecretsMap{}, Observer: counters}); err != nil || len(counters.Warnings()) != 1 {
		t.Errorf("without a tenant: %v, %v", err, counters.Warnings())
	}
	def.Endpoints[0].Path = ""
	if _, err := NewReceiver(t.Context(), def, newMemory(), Options{Secrets: SecretsMap{}}); err == nil || !strings.Contains(err.Error(), "{tenant}") {
		t.Errorf("without {tenant} in the path: %v", err)
	}
	def.Tenant = nil
	if _, err := NewReceiver(t.Context(), def, newMemory(), Options{Secrets: SecretsMap{}}); err == nil || !strings.Contains(err.Error(), "SHOP_{tenant}_SECRET") {
		t.Errorf("without a tenant: %v", err)
	}
}

func TestTenantOfName(t *testing.T) {
	for _, c := range []struct{ name, found, want string }{
		{"SHOP_{tenant}_SECRET", "SHOP_ACME_SECRET", "acme"},
		{"SHOP_{tenant}_SECRET", "SHOP_ACME_EU_SECRET", "acme-eu"},
		{"SHOP_{tenant}_SECRET", "SHOP_SECRET", ""},
		{"SHOP_{tenant}_SECRET", "SHOP__SECRET", ""},
		{"SHOP_SECRET", "SHOP_SECRET", ""},
		{"{tenant}", "PATH", ""},
	} {
		got, ok := tenantOf(c.name, c.found)
		if ok != (c.want != "") || ok && (got != c.want || SecretName(c.name, got) != c.found) {
			t.Errorf("%s in %s: got %q, %v, want %q", c.found, c.name, got, ok, c.want)
		}
	}
}

// hesitant is a provider that notices when its caller gives up.
type hesitant struct {
	SecretsMap
	ctx context.Context
}

func (p *hesitant) TenantSecret(ctx context.Context, _, _ string) (string, error) {
	p.ctx = ctx
	return acmeSecret, ctx.Err()
}

// A sender that hangs up must not make its tenant's secret unreadable for others.
func TestHangingUpDoesNotSpoilATenant(t *testing.T) {
	p := &hesitant{}
	h := newTenants(t, Options{Secrets: p})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	h.do(h.at("/acme", acmeSecret, paid("e1", "o1", 1)).WithContext(gone))
	if _, limited := p.ctx.Deadline(); !limited {
		t.Error("the provider may take for ever")
	}
	h.want(h.do(h.at("/acme", acmeSecret, paid("e2", "o1", 1))), Processed, 200)
	if h.counters.Class("secrets") != 0 || len(h.counters.Warnings()) != 0 {
		t.Errorf("outcomes are %v, warnings %v", h.counters.Outcomes(), h.counters.Warnings())
	}
}
