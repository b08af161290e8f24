package runtime

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/whgen/whgen/runtime/signature"
)

// twoEndpoints is a shop with two URLs of their own secrets, and one that shares
// its keys with the source.
func twoEndpoints(d *Definition) {
	inbound, receipt, shared := d.Endpoints[0], d.Endpoints[0], d.Endpoints[0]
	inbound.Name, inbound.Path = "inbound", "/inbound"
	receipt.Name, receipt.Path = "receipt", "/receipt"
	receipt.Scheme.Secrets = []signature.Secret{{Name: "OLD"}}
	shared.Name, shared.Path, shared.Shared = "again", "/inbound/again", true
	d.Endpoints = []Endpoint{inbound, receipt, shared}
}

// at is a request for a path, signed with a secret.
func (h *harness) at(path, secret, text string) *http.Request {
	h.t.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	s := &signature.Request{Method: r.Method, Header: r.Header, Body: []byte(text)}
	if err := signature.Sign(h.def.Endpoints[0].Scheme, secret, s, h.clock.Now()); err != nil {
		h.t.Fatal(err)
	}
	return r
}

// mounted answers through a mux, as the scaffolded program does.
func (h *harness) mounted(r *http.Request) int {
	mux := http.NewServeMux()
	h.rcv.Handle(mux, "/webhooks/shop")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w.Code
}

func TestEndpointsHaveTheirOwnSecretsAndKeys(t *testing.T) {
	h := newHarness(t, twoEndpoints)
	text := paid("e1", "o1", 1)
	steps := []struct {
		path, secret string
		status, rows int
	}{
		{"/webhooks/shop/inbound", testSecret, 200, 1},
		{"/webhooks/shop/receipt", testSecret, 401, 1},
		{"/webhooks/shop/receipt", oldSecret, 200, 2},
		{"/webhooks/shop/inbound/again", testSecret, 200, 3},
		{"/webhooks/shop/inbound", testSecret, 200, 3},
		{"/webhooks/shop", testSecret, 404, 3},
		{"/webhooks/shop/other", testSecret, 404, 3},
		{"/webhooks/shop/inbound/", testSecret, 404, 3},
		{"/webhooks/other/inbound", testSecret, 404, 3},
	}
	for _, s := range steps {
		if got := h.mounted(h.at(s.path, s.secret, text)); got != s.status || h.store.size() != s.rows {
			t.Errorf("%s: answered %d with %d rows, want %d with %d", s.path, got, h.store.size(), s.status, s.rows)
		}
	}
	for _, key := range []string{"inbound|e1", "receipt|e1", "e1"} {
		if h.store.row(key) == nil {
			t.Errorf("no row has the key %q", key)
		}
	}
	if n := h.counters.Secret("OLD"); n != 1 {
		t.Errorf("OLD has verified %d requests, want 1", n)
	}
}

func TestExactPathsComeBeforeParameters(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		account, inbound := d.Endpoints[0], d.Endpoints[0]
		account.Name, account.Path = "account", "/{account}"
		inbound.Name, inbound.Path = "inbound", "/inbound"
		d.Endpoints = []Endpoint{account, inbound}
		d.Events[0].Records[0].Columns[0] = Column{Name: "order_id", From: Selector{Kind: Path, Name: "account", Default: `"none"`}}
	})
	for path, want := range map[string]string{"/webhooks/shop/inbound": "inbound|e", "/webhooks/shop/north": "account|e"} {
		if got := h.mounted(h.at(path, testSecret, paid("e", "o", 1))); got != 200 {
			t.Errorf("%s: answered %d", path, got)
		}
		if h.store.row(want) == nil {
			t.Errorf("%s: no row has the key %s", path, want)
		}
	}
	if got := h.store.row("account|e").Records[0].Columns[0].Text; got != "north" {
		t.Errorf("the path's parameter is %q", got)
	}
	if got := h.do(h.at("/north", testSecret, paid("x", "o", 1))); got.status != 200 { // behind http.StripPrefix
		t.Errorf("without the mount point: answered %d", got.status)
	}
}

func TestPublicURLFollowsTheRequest(t *testing.T) {
	sign := signature.Scheme{
		Type: "hmac", Secrets: []signature.Secret{{Name: "SHOP_SECRET"}}, Encoding: "hex",
		From: []signature.Source{{In: "header", Name: "X-Sig"}}, Content: []signature.Part{{Placeholder: "url"}, {Placeholder: "body"}},
	}
	h := newHarness(t, nil)
	h.def.Endpoints[0].Path, h.def.Endpoints[0].Scheme = "/{region}/in", sign
	h.def.PublicURL, h.def.Settings = "SHOP_URL", []Setting{{Name: "SHOP_URL"}}
	h.rcv = h.start(Options{Settings: SettingsMap{"SHOP_URL": "https://shop.example/hooks/"}})
	text := paid("e1", "o1", 1)
	for target, status := range map[string]int{
		"https://shop.example/hooks/north/in?a=%20b&c": 200,
		"https://shop.example/hooks/south/in?a=%20b&c": 401,
		"https://shop.example/hooks/north/in":          401,
		"http://shop.example/hooks/north/in?a=%20b&c":  401,
	} {
		r := httptest.NewRequest("POST", "/webhooks/shop/north/in?a=%20b&c", strings.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		s := &signature.Request{Header: r.Header, Body: []byte(text), URL: target}
		if err := signature.Sign(sign, testSecret, s, h.clock.Now()); err != nil {
			t.Fatal(err)
		}
		if got := h.mounted(r); got != status {
			t.Errorf("signed over %s: answered %d, want %d", target, got, status)
		}
	}
	for _, address := range []string{"shop.example", "https://shop.example/?a", "ftp://shop.example"} {
		if _, err := NewReceiver(t.Context(), h.def, h.store, Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret}, Settings: SettingsMap{"SHOP_URL": address}}); err == nil || !strings.Contains(err.Error(), "SHOP_URL") {
			t.Errorf("%s: the error is %v", address, err)
		}
	}
}
