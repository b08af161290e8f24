package schemes

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/signature"
	_ "modernc.org/sqlite"
)

type handler struct{ UnimplementedHandler }

func (handler) Thing(context.Context, Tx, whrt.Incoming[Thing]) error { return nil }

// own is the verifier in Go that the contract asks for.
type own struct{}

func (own) Verify(r *signature.Request, _ time.Time) (signature.Result, error) {
	if r.Header.Get("X-Own") != "yes" {
		return signature.Result{}, &signature.Error{Kind: signature.Mismatch, Reason: "no"}
	}
	return signature.Result{Secret: -1}, nil
}

// keys makes one for each name: what the receiver has, and what the sender has.
func keys(t *testing.T) (receiver whrt.SecretsMap, sender map[string]string) {
	t.Helper()
	receiver, sender = whrt.SecretsMap{"SCHEMES_SECRET": "5ec2e700c0ffee"}, map[string]string{"SCHEMES_SECRET": "5ec2e700c0ffee"}
	var add func(signature.Scheme)
	add = func(s signature.Scheme) {
		for _, k := range s.Secrets {
			if receiver[k.Name] != "" {
				continue
			}
			public, private, err := signature.NewKeys(s)
			if err != nil {
				t.Fatal(err)
			}
			receiver[k.Name], sender[k.Name] = public, private
		}
		for _, m := range slices.Concat(s.Any, s.All) {
			add(m)
		}
	}
	for _, e := range definition.Endpoints {
		add(e.Scheme)
	}
	return receiver, sender
}

const public = "https://shop.example/hooks"

func serve(t *testing.T, secrets whrt.Secrets) *httptest.Server {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "schemes.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	rcv, err := New(t.Context(), Config{
		DB: db, Handler: handler{}, Secrets: secrets, NoRelay: true,
		Settings:       whrt.SettingsMap{"SCHEMES_PUBLIC_URL": public, "SCHEMES_APP_KEY": "app-1"},
		Verifiers:      map[string]signature.Verifier{"own": own{}},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/schemes")
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// deliver signs a request as the sender of an endpoint does, lets change alter
// it, and sends it.
func deliver(t *testing.T, server *httptest.Server, e whrt.Endpoint, sender map[string]string, change func(*signature.Request)) int {
	t.Helper()
	r := &signature.Request{
		Method: "POST", URL: public + e.Path, Path: "/hooks" + e.Path, Host: "shop.example", Header: http.Header{"Content-Type": {"application/json"}},
		Body:  []byte(`{"id":"` + e.Name + `","list":[{"a":1,"b":"x"},{"a":2}]}`),
		Param: func(name string) (string, bool) { return "app-1", name == "SCHEMES_APP_KEY" },
	}
	s := e.Scheme
	for i := range s.Require {
		s.Require = slices.Clone(s.Require)
		s.Require[i].Equals = strings.ReplaceAll(s.Require[i].Equals, "{param:SCHEMES_APP_KEY}", "app-1")
	}
	switch s.Type {
	case "plugin":
		r.Header.Set("X-Own", "yes")
	default:
		if err := signature.SignAll(s, sender, r, time.Now()); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
	}
	if change != nil {
		change(r)
	}
	target := server.URL + "/webhooks/schemes" + e.Path
	if r.RawQuery != "" {
		target += "?" + r.RawQuery
	}
	req, err := http.NewRequestWithContext(t.Context(), r.Method, target, strings.NewReader(string(r.Body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header, req.Host = r.Header, r.Host
	if r.Remote.IsValid() {
		req.Header.Set("X-Forwarded-For", r.Remote.String())
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

// TestEveryScheme: what the sender signs is taken, a change is not.
func TestEveryScheme(t *testing.T) {
	secrets, sender := keys(t)
	server := serve(t, secrets)
	for _, e := range definition.Endpoints {
		if got := deliver(t, server, e, sender, nil); got != 200 {
			t.Errorf("%s: the answer is %d, want 200", e.Name, got)
		}
		unsigned := func(r *signature.Request) {
			r.Header, r.RawQuery, r.Remote = http.Header{"Content-Type": {"application/json"}}, "", netip.Addr{}
			r.Body = []byte(strings.ReplaceAll(string(r.Body), "sign", "none"))
		}
		if got := deliver(t, server, e, sender, unsigned); got != 401 {
			t.Errorf("%s: without a signature the answer is %d, want 401", e.Name, got)
		}
		if e.Name == "address" || e.Name == "own" {
			continue // bind nothing, which lint says
		}
		changed := func(r *signature.Request) { r.Body = []byte(strings.Replace(string(r.Body), `"a":1`, `"a":3`, 1)) }
		if got := deliver(t, server, e, sender, changed); got != 401 {
			t.Errorf("%s: with another body the answer is %d, want 401", e.Name, got)
		}
	}
}
