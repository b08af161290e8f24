package runtime

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

func TestStartRefusesSecrets(t *testing.T) {
	base64ed := signature.Decoding{Encoding: "base64", StripPrefix: "whsec_"}
	cases := []struct {
		name, value string
		decode      signature.Decoding
		want        string
	}{
		{"empty", "", signature.Decoding{}, "is empty"},
		{"line end", "ABCDEF\n", signature.Decoding{}, "outer white space"},
		{"carriage return", "ABCDEF\r\n", signature.Decoding{}, "outer white space"},
		{"leading blank", " ABCDEF", signature.Decoding{}, "outer white space"},
		{"byte order mark", "\ufeffABCDEF", signature.Decoding{}, "byte order mark"},
		{"prefix only", "whsec_", base64ed, "nothing but the prefix"},
		{"another prefix", "v1,whsec_QUJDREVG", base64ed, "not base64"},
		{"not hex", "XYZ", signature.Decoding{Encoding: "hex"}, "not hex"},
	}
	for _, c := range cases {
		def := definition()
		def.Endpoints[0].Scheme.Decode = c.decode
		_, err := NewReceiver(context.Background(), def, newMemory(), Options{Secrets: SecretsMap{"SHOP_SECRET": c.value}})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "SHOP_SECRET") {
			t.Errorf("%s: error is %v", c.name, err)
		}
		if err != nil && c.value != "" && strings.Contains(err.Error(), "ABCDEF") {
			t.Errorf("%s: the error shows the value: %v", c.name, err)
		}
	}
}

func TestStartWarnsOfDoubtfulSecrets(t *testing.T) {
	for value, want := range map[string]string{`"quoted"`: "quotes", "two words": "white space"} {
		counters := &Counters{}
		if _, err := NewReceiver(context.Background(), definition(), newMemory(), Options{Secrets: SecretsMap{"SHOP_SECRET": value}, Observer: counters}); err != nil {
			t.Fatal(err)
		}
		w := counters.Warnings()
		if len(w) != 1 || w[0].Setting != "SHOP_SECRET" || !strings.Contains(w[0].Text, want) || strings.Contains(w[0].Text, "quoted") && want != "quotes" {
			t.Errorf("warnings are %+v", w)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	cases := map[string]func(*Definition, *memory){
		"setting":       func(d *Definition, _ *memory) { d.Settings = []Setting{{Name: "CRM_URL"}} },
		"database":      func(_ *Definition, m *memory) { m.verify = errors.New("no such table: run migrations") },
		"answer":        func(d *Definition, _ *memory) { d.Events[0].Responses[Conflict] = Response{} },
		"status":        func(d *Definition, _ *memory) { d.Events[0].Responses[Conflict].Status = 100 },
		"pointer":       func(d *Definition, _ *memory) { d.Events[0].Key = []Selector{body("id")} },
		"key":           func(d *Definition, _ *memory) { d.Events[0].Key = nil },
		"route":         func(d *Definition, _ *memory) { d.Endpoints[0].Routes = []Route{{"x", 7}} },
		"limit":         func(d *Definition, _ *memory) { d.Endpoints[0].MaxBody = 0 },
		"media":         func(d *Definition, _ *memory) { d.Endpoints[0].Media = nil },
		"timing":        func(d *Definition, _ *memory) { d.Events[0].Timing.Deadline = 0 },
		"scheme":        func(d *Definition, _ *memory) { d.Endpoints[0].Scheme.Type = "rot13" },
		"encoding":      func(d *Definition, _ *memory) { d.Endpoints[0].Scheme.Encoding = "rot13" },
		"url":           func(d *Definition, _ *memory) { d.Endpoints[0].Scheme.Content = []signature.Part{{Placeholder: "url"}} },
		"path":          func(d *Definition, _ *memory) { d.Endpoints[0].Path = "/a/" },
		"effect":        func(d *Definition, _ *memory) { d.Events[0].Messages = []Message{{Effect: 3}} },
		"secret name":   func(d *Definition, _ *memory) { d.Endpoints[0].Scheme.Secrets[0].Name = "OTHER" },
		"without types": func(d *Definition, _ *memory) { d.Endpoints[0].Type, d.Endpoints[0].Routes = nil, nil },
	}
	for name, change := range cases {
		def, store := definition(), newMemory()
		change(&def, store)
		_, err := NewReceiver(context.Background(), def, store, Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret}, Settings: SettingsMap{}})
		if err == nil || !strings.HasPrefix(err.Error(), "receiver shop: ") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestEverySettingThatIsMissingIsNamed(t *testing.T) {
	_, err := readSettings(context.Background(), []Setting{{Name: "A"}, {Name: "B"}, {Name: "C"}}, SettingsMap{"B": "x", "C": " y"})
	if err == nil || !strings.Contains(err.Error(), "A") || !strings.Contains(err.Error(), "C has outer") || strings.Contains(err.Error(), "y") && strings.Contains(err.Error(), `"`) {
		t.Errorf("error is %v", err)
	}
}

// changing is a provider of secrets that tests can break.
type changing struct {
	value string
	err   error
	panic bool
}

func (changing) Dynamic() {}

func (c *changing) Secret(context.Context, string) (string, error) {
	if c.panic {
		panic("provider")
	}
	return c.value, c.err
}

func TestSecretsThatChange(t *testing.T) {
	h := newHarness(t, nil)
	p := &changing{err: errors.New("vault is sealed")}
	h.rcv = h.start(Options{Secrets: p}) // not there yet: nothing is accepted
	if h.send(paid("e1", "o1", 1)).status != 500 || h.counters.Class("secrets") != 1 {
		t.Errorf("outcomes are %v", h.counters.Outcomes())
	}
	p.err, p.value = nil, testSecret
	h.want(h.send(paid("e1", "o1", 1)), Processed, 200)
	p.panic = true
	h.want(h.send(paid("e2", "o1", 1)), Failed, 500)
	p.panic, p.value = false, "rotated-0123456789"
	h.want(h.send(paid("e2", "o1", 1)), Unauthenticated, 401)
	p.value = "not trimmed\n"
	h.want(h.send(paid("e2", "o1", 1)), Failed, 500)
	h.wantRows(1)
}

func TestFileSecrets(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"PLAIN": "abc", "LF": "abc\n", "CRLF": "abc\r\n", "TWO": "abc\n\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := FileSecrets(dir)
	for name, want := range map[string]string{"PLAIN": "abc", "LF": "abc", "CRLF": "abc", "TWO": "abc\n"} {
		if got, err := s.Secret(context.Background(), name); got != want || err != nil {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"NONE", "../PLAIN", "", ".."} {
		if _, err := s.Secret(context.Background(), name); err == nil {
			t.Errorf("%q was read", name)
		}
	}
}

func TestServeDrains(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	g := &gate{open: make(chan error)}
	h.store.handler = g.handler
	mux := http.NewServeMux()
	h.rcv.Handle(mux, "/webhooks/shop")
	Health(mux, h.rcv)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- ServeListener(ctx, l, mux, h.rcv) }()
	base := "http://" + l.Addr().String()
	for _, path := range []string{"/healthz", "/readyz"} {
		res, err := http.Get(base + path)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("%s: %v, %v", path, res, err)
		}
		res.Body.Close()
	}
	text := paid("e1", "o1", 1)
	r, _ := http.NewRequest("POST", base+"/webhooks/shop", strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	h.sign(r, text)
	answer := make(chan int, 1)
	go func() {
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			answer <- 0
			return
		}
		res.Body.Close()
		answer <- res.StatusCode
	}()
	eventually(t, "the delivery", func() bool { return g.inside() == 1 })
	stop()
	eventually(t, "draining", func() bool { return h.rcv.draining.Load() })
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
	if w.Code != 503 {
		t.Errorf("while it drains it is ready: %d", w.Code)
	}
	g.open <- nil
	if got := <-answer; got != 200 {
		t.Errorf("the delivery in flight is answered %d", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve ended with %v", err)
	}
}

func TestServeFailsOnATakenAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := Serve(context.Background(), l.Addr().String(), http.NewServeMux()); err == nil {
		t.Error("Serve did not fail")
	}
	if got := longestAnswer([]*Receiver{newHarness(t, nil).rcv}); got != 20*time.Second {
		t.Errorf("the longest answer is %s", got)
	}
}

func TestDecodeNamesThePlace(t *testing.T) {
	var p struct {
		A struct{ B int } `json:"a"`
	}
	err := Decode([]byte(`{"a":{"B":"VALUE"}}`), &p)
	r, ok := IsReject(err)
	if !ok || !strings.Contains(r.Reason, "/a/B") || strings.Contains(r.Reason, "VALUE") {
		t.Errorf("error is %v", err)
	}
	if err := Decode([]byte(`{"a":{"B":7},"more":1}`), &p); err != nil || p.A.B != 7 {
		t.Errorf("got %+v, %v", p, err)
	}
	var raw Raw
	if err := Decode([]byte(`{"x":1}`), &raw); err != nil || string(raw) != `{"x":1}` {
		t.Errorf("got %s, %v", raw, err)
	}
}
