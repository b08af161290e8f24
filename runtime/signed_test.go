package runtime

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

// seen remembers what a scheme was shown.
type seen struct {
	r     signature.Request
	err   error
	panic bool
}

func (s *seen) Verify(r *signature.Request, _ time.Time) (signature.Result, error) {
	s.r = *r
	if s.panic {
		panic("boom")
	}
	return signature.Result{Secret: 3}, s.err
}

func plugin(d *Definition) { d.Endpoints[0].Scheme = signature.Scheme{Type: "plugin", Plugin: "own"} }

// withPlugin is a receiver whose requests a verifier in Go looks at.
func withPlugin(t *testing.T, change func(*Definition), o Options) (*harness, *seen) {
	t.Helper()
	s := &seen{}
	o.Verifiers = map[string]signature.Verifier{"own": s}
	h := &harness{t: t, store: newMemory(), counters: &Counters{}, clock: &OffsetClock{}, def: definition()}
	plugin(&h.def)
	if change != nil {
		change(&h.def)
	}
	h.rcv = h.start(o)
	return h, s
}

func TestSignedURL(t *testing.T) {
	for _, c := range []struct{ public, path, target, url, signedPath string }{
		{"https://shop.example/hooks", "", "/webhooks/shop", "https://shop.example/hooks", "/hooks"},
		{"https://shop.example/", "", "/webhooks/shop?a=%2F&b='x'", "https://shop.example/?a=%2F&b='x'", "/"},
		{"https://shop.example/h/", "/in", "/webhooks/shop/in?", "https://shop.example/h/in?", "/h/in"},
		{"https://u:p@shop.example", "/in", "/webhooks/shop/in?a=b;c", "https://u:p@shop.example/in?a=b;c", "/in"},
		{"", "", "/webhooks/a%20b/shop?x", "", "/webhooks/a%20b/shop"},
	} {
		h, s := withPlugin(t, func(d *Definition) { d.Endpoints[0].Path = c.path }, Options{PublicURL: c.public})
		r := httptest.NewRequest("POST", c.target, strings.NewReader(paid("e1", "o1", 1)))
		r.Header.Set("Content-Type", "application/json")
		h.want(h.do(r), Processed, 200)
		if s.r.URL != c.url || s.r.Path != c.signedPath || s.r.Host != "example.com" {
			t.Errorf("%s: got URL %q, path %q, host %q; want %q, %q", c.target, s.r.URL, s.r.Path, s.r.Host, c.url, c.signedPath)
		}
	}
}

func TestPublicURLIsASetting(t *testing.T) {
	change := func(d *Definition) {
		d.PublicURL, d.Settings = "SHOP_URL", append(d.Settings, Setting{Name: "SHOP_URL"})
	}
	h, s := withPlugin(t, change, Options{Settings: SettingsMap{"SHOP_URL": "https://shop.example/x"}})
	h.do(request2(paid("e1", "o1", 1)))
	if s.r.URL != "https://shop.example/x" {
		t.Errorf("got %q", s.r.URL)
	}
	for _, bad := range []string{"other.test", "https:///", "ftp://other.test", "https://other.test/?a=1", "https://other.test/#x"} {
		def := definition()
		change(&def)
		_, err := NewReceiver(context.Background(), def, newMemory(), Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret, "OLD": oldSecret}, Settings: SettingsMap{"SHOP_URL": bad}})
		if err == nil || !strings.Contains(err.Error(), "SHOP_URL") || strings.Contains(err.Error(), bad) {
			t.Errorf("%s: the error is %v", bad, err)
		}
	}
}

func request2(text string) *http.Request {
	r := httptest.NewRequest("POST", "/webhooks/shop", strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func TestRemoteAddr(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"203.0.113.9:1", []string{"192.0.2.1"}, "203.0.113.9"}, // nobody of ours said so
		{"10.0.0.1:1", nil, "10.0.0.1"},
		{"10.0.0.1:1", []string{"192.0.2.1"}, "192.0.2.1"},
		{"10.0.0.1:1", []string{"192.0.2.1, 203.0.113.9"}, "203.0.113.9"},
		{"10.0.0.1:1", []string{"192.0.2.1", "203.0.113.9, 10.1.1.1"}, "203.0.113.9"},
		{"10.0.0.1:1", []string{"192.0.2.1, x"}, "10.0.0.1"},
		{"[::ffff:10.0.0.1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
	} {
		r := &http.Request{RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-For": c.forwarded}}
		if got := remoteAddr(r, proxies); got != netip.MustParseAddr(c.want) {
			t.Errorf("%s %v: got %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

func TestVerifierInGo(t *testing.T) {
	if _, err := NewReceiver(context.Background(), func() Definition { d := definition(); plugin(&d); return d }(), newMemory(), Options{}); err == nil || !strings.Contains(err.Error(), `"own"`) {
		t.Errorf("without the verifier the start says %v", err)
	}
	h, s := withPlugin(t, nil, Options{})
	s.err = &signature.Error{Kind: signature.Mismatch, Reason: "no"}
	h.want(h.do(request2(paid("e1", "o1", 1))), Unauthenticated, 401)
	s.err = errors.New("of another type")
	h.want(h.do(request2(paid("e1", "o1", 1))), Unauthenticated, 401)
	s.panic = true
	h.want(h.do(request2(paid("e1", "o1", 1))), Failed, 500)
	h.wantRows(0)
}

// TestSignedBodyParts: what schemes read from the body before it is trusted.
func TestSignedBodyParts(t *testing.T) {
	_, _ = withPlugin(t, func(d *Definition) {
		d.Endpoints[0].Scheme = signature.Scheme{Any: []signature.Scheme{{Type: "plugin", Plugin: "own"},
			{Type: "token", From: []signature.Source{{In: "json", Name: "/data/order_id"}}, Secrets: []signature.Secret{{Name: "SHOP_SECRET"}}}}}
	}, Options{})
	h, s := withPlugin(t, nil, Options{})
	h.do(request2(`{"id":"e1","type":"order.paid","n":1.50,"t":true,"no":null,"x\u0061":"\u00e4","data":{"order_id":"o","amount":1,"list":[{"a":"1"},{"a":{"b":2}},{}]}}`))
	items, ok := s.r.Items("/data/list/*")
	if !ok || len(items) != 3 {
		t.Fatalf("got %d items, %v", len(items), ok)
	}
	for i, want := range []string{"1", "", ""} {
		if got, ok := items[i]("/a"); ok != (want != "") || ok && got != want {
			t.Errorf("item %d: got %q, %v, want %q", i, got, ok, want)
		}
	}
	if got, ok := items[1]("/a/b"); got != "2" || !ok {
		t.Errorf("got %q, %v", got, ok)
	}
	for _, bad := range []string{"/data/none/*", "/data/amount/*", "/data/*"} {
		if _, ok := s.r.Items(bad); ok {
			t.Errorf("%s leads somewhere", bad)
		}
	}
	members, ok := s.r.Members()
	got := map[string]string{}
	for _, m := range members {
		got[m.Name] = m.Value
	}
	if !ok || len(got) != 5 || got["n"] != "1.50" || got["t"] != "true" || got["xa"] != "ä" || got["id"] != "e1" {
		t.Errorf("got %v, %v", got, ok)
	}
}
