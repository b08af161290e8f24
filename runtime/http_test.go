package runtime

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

func TestMiddlewareBeforeTheReceiver(t *testing.T) {
	h := newHarness(t, nil)
	var log bytes.Buffer
	h.rcv = h.start(Options{Observer: Observers(h.counters, Slog(slog.New(slog.NewTextHandler(&log, nil))))})
	text := `{"type":"order.paid", "id":"e1", "data":{"order_id":"o1","amount":1}}`

	restored := h.signed(text)
	b, _ := io.ReadAll(restored.Body)
	restored.Body = io.NopCloser(bytes.NewReader(b))
	h.want(h.do(restored), Processed, 200)

	taken := h.signed(strings.Replace(text, "e1", "e2", 1))
	io.ReadAll(taken.Body)
	h.want(h.do(taken), Failed, 500)
	if !strings.Contains(log.String(), "already read") || h.counters.Class("body") != 1 {
		t.Errorf("the log does not say that the body was read: %s", log.String())
	}

	encoded := h.signed(strings.Replace(text, "e1", "e3", 1))
	encoded.Body = io.NopCloser(strings.NewReader(paid("e3", "o1", 1)))
	h.want(h.do(encoded), Unauthenticated, 401)
	if !strings.Contains(log.String(), "a middleware") {
		t.Errorf("the log does not hint at the middleware: %s", log.String())
	}
	h.wantRows(1)
}

func TestSignatureIsOverTheBytes(t *testing.T) {
	h := newHarness(t, nil)
	texts := []string{
		paid("a", "o", 1),
		"{ \"id\" : \"b\", \"type\":\"order.paid\",\n \"data\": {\"order_id\":\"o\",\"amount\":1} }\n",
		`{"data":{"amount":1,"order_id":"o"},"type":"order.paid","id":"c"}`,
		`{"id":"d","type":"order.paid","data":{"order_id":"\/\u00e9","amount":1,"n":1.10}}`,
	}
	for i, text := range texts {
		other := httptest.NewRequest("POST", "/", strings.NewReader(text))
		other.Header.Set("Content-Type", "application/json")
		h.sign(other, texts[(i+1)%len(texts)])
		if got := h.do(other); got.status != 401 {
			t.Errorf("%d: another body's signature is answered %d", i, got.status)
		}
		if got := h.send(text); got.status != 200 {
			t.Errorf("%d: answered %d", i, got.status)
		}
	}
	h.wantRows(4)
	if got := h.store.row("d").Records[0].Columns[0].Text; got != "/é" {
		t.Errorf("escapes are read as %q", got)
	}
}

func TestRefusedSignaturesLookAlike(t *testing.T) {
	h := newHarness(t, nil)
	text := paid("e1", "o1", 1)
	good := h.signed(text).Header.Get("X-Sig")
	change := map[string]func(*http.Request){
		"none":         func(r *http.Request) { r.Header.Del("X-Sig") },
		"empty":        func(r *http.Request) { r.Header.Set("X-Sig", "") },
		"zero":         func(r *http.Request) { r.Header.Set("X-Sig", "0") },
		"short":        func(r *http.Request) { r.Header.Set("X-Sig", good[:63]) },
		"letters":      func(r *http.Request) { r.Header.Set("X-Sig", strings.Repeat("z", 64)) },
		"upper case":   func(r *http.Request) { r.Header.Set("X-Sig", strings.ToUpper(good)) },
		"twice":        func(r *http.Request) { r.Header.Add("X-Sig", good) },
		"other header": func(r *http.Request) { r.Header.Del("X-Sig"); r.Header.Set("X-Signature", good) },
		"query":        func(r *http.Request) { r.Header.Del("X-Sig"); r.URL.RawQuery = "X-Sig=" + good },
		"empty body":   func(r *http.Request) { h.sign(r, "") },
	}
	var log bytes.Buffer
	h.rcv = h.start(Options{Observer: Slog(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	for name, f := range change {
		r := h.signed(text)
		f(r)
		if got := h.do(r); got.status != 401 || got.body != "" {
			t.Errorf("%s: answered %d %q", name, got.status, got.body)
		}
	}
	if strings.Contains(log.String(), good) {
		t.Error("the log holds the expected signature")
	}
	if h.store.asked() != 0 {
		t.Error("the database was asked")
	}
}

func TestLogShowsNoSecrets(t *testing.T) {
	h := newHarness(t, nil)
	var log bytes.Buffer
	h.rcv = h.start(Options{Observer: Slog(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	for _, valid := range []bool{true, false} {
		r := h.signed(paid("e1", "o1", 1))
		r.Header.Set("Authorization", "Bearer CREDENTIAL")
		r.Header.Set("Cookie", "c=CREDENTIAL")
		sig := r.Header.Get("X-Sig")
		if !valid {
			r.Header.Set("X-Sig", "CREDENTIAL")
		}
		h.do(r)
		for _, word := range []string{"CREDENTIAL", sig, testSecret, "order_id"} {
			if strings.Contains(log.String(), word) {
				t.Errorf("the log holds %q", word)
			}
		}
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Error("a refused request is logged as an error")
	}
}

func TestHandlersSeeNoCredentials(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	var seen Meta
	h.store.handler = func(_ context.Context, d *Delivery) error {
		in, err := NewIncoming[Raw](&h.def, d)
		seen = in.Meta
		return err
	}
	r := h.signed(paid("e1", "o1", 1))
	r.Header.Set("Authorization", "Bearer x")
	r.Header.Set("Cookie", "c=x")
	r.Header.Set("X-Topic", "orders")
	h.want(h.do(r), Processed, 200)
	if len(seen.Header) != 2 || seen.Header.Get("X-Topic") != "orders" {
		t.Errorf("the handler sees %v", seen.Header)
	}
	if seen.Key != "e1" || seen.Name != "orderPaid" || seen.Type != "order.paid" || seen.Source != "shop" || string(seen.Body) != paid("e1", "o1", 1) {
		t.Errorf("meta is %+v", seen)
	}
}

func TestBodyLimit(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Endpoints[0].MaxBody = 1000 })
	fill := func(n int) string {
		text := paid("e1", "o1", 1)
		return text + strings.Repeat(" ", n-len(text))
	}
	h.want(h.send(fill(1000)), Processed, 200)
	h.want(h.send(fill(1001)), TooLarge, 413)
	chunked := h.signed(fill(1001))
	chunked.ContentLength = -1
	h.want(h.do(chunked), TooLarge, 413)
	huge := h.signed("x")
	huge.ContentLength = 10 << 30
	huge.Body = io.NopCloser(unread{t})
	h.want(h.do(huge), TooLarge, 413)
	exact := h.signed(strings.Replace(fill(1000), "e1", "e2", 1))
	exact.ContentLength = -1
	h.want(h.do(exact), Processed, 200)
	cut := h.signed(fill(500))
	cut.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), failing{io.ErrUnexpectedEOF}))
	h.want(h.do(cut), Failed, 500) // the network cut it off: the sender has to try again
	h.wantRows(2)
}

type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestMediaTypes(t *testing.T) {
	cases := map[string]int{
		"application/json":                    200,
		"application/json; charset=utf-8":     200,
		`application/json; charset="UTF-8"`:   200,
		"APPLICATION/JSON":                    200,
		"application/cloudevents+json":        200,
		"":                                    200,
		"application/json;charset=iso-8859-1": 415,
		"text/plain":                          415,
		"application/x-www-form-urlencoded":   415,
		";;;":                                 415,
		"application/json, text/plain":        415,
	}
	for media, want := range cases {
		h := newHarness(t, nil)
		r := h.signed(paid("e1", "o1", 1))
		r.Header.Del("Content-Type")
		if media != "" {
			r.Header.Set("Content-Type", media)
		}
		if got := h.do(r); got.status != want {
			t.Errorf("%q is answered %d, want %d", media, got.status, want)
		}
	}
	h := newHarness(t, nil)
	for _, coding := range []string{"gzip", "GZIP", "gzip, gzip", "br"} {
		r := h.signed(paid("e1", "o1", 1))
		r.Header.Set("Content-Encoding", coding)
		h.want(h.do(r), UnsupportedMedia, 415)
	}
}

func TestMethods(t *testing.T) {
	h := newHarness(t, nil)
	for _, m := range []string{"GET", "HEAD", "PUT", "OPTIONS", "DELETE"} {
		got := h.do(httptest.NewRequest(m, "/webhooks/shop", nil))
		if got.status != 405 || got.header.Get("Allow") != "POST" || got.body != "" {
			t.Errorf("%s is answered %+v", m, got)
		}
	}
}

func TestPaths(t *testing.T) {
	h := newHarness(t, nil)
	mux := http.NewServeMux()
	h.rcv.Handle(mux, "/webhooks/shop")
	server := NoRedirects(mux)
	cases := map[string]int{
		"/webhooks/shop": 200, "/webhooks/shop?x=1": 200,
		"/webhooks/shop/": 404, "//webhooks/shop": 404, "/webhooks//shop": 404, "/webhooks/./shop": 404,
		"/WEBHOOKS/shop": 404, "/webhooks/shop%2F": 404, "/webhooks/%2e/shop": 404, "/": 404,
	}
	for target, want := range cases {
		r := h.signed(paid("e1", "o1", 1))
		parsed, err := url.Parse("http://example.com" + target)
		if err != nil {
			t.Fatal(err)
		}
		r.URL = parsed
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s is answered %d, want %d", target, w.Code, want)
		}
	}
	// A receiver that got more than its own paths does not take them.
	for _, target := range []string{"/webhooks/shop/", "/webhooks//shop", "/webhooks/shop%2F"} {
		r := h.signed(paid("e2", "o1", 1))
		r.URL, _ = url.Parse("http://example.com" + target)
		if got := h.do(r); got.status != 404 {
			t.Errorf("directly, %s is answered %d", target, got.status)
		}
	}
}

func TestEndpointsAreScopes(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		second := d.Endpoints[0]
		d.Endpoints[0].Name, d.Endpoints[0].Path = "inbound", "/inbound"
		second.Name, second.Path = "receipt", "/receipt"
		third := second
		third.Name, third.Path, third.Shared = "old", "/old", true
		d.Endpoints = append(d.Endpoints, second, third)
	})
	for _, path := range []string{"/hooks/inbound", "/hooks/receipt", "/hooks/old", "/hooks/inbound"} {
		r := h.signed(paid("e1", "o1", 1))
		r.URL.Path = path
		if got := h.do(r); got.status != 200 {
			t.Errorf("%s is answered %d", path, got.status)
		}
	}
	for _, key := range []string{"inbound|e1", "receipt|e1", "e1"} {
		if h.store.row(key) == nil {
			t.Errorf("there is no row %q", key)
		}
	}
	r := h.signed(paid("e1", "o1", 1))
	r.URL.Path = "/hooks/elsewhere"
	if got := h.do(r); got.status != 404 {
		t.Errorf("another path is answered %d", got.status)
	}
}

func TestNoContentHasNoBody(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Events[0].Responses[Processed] = Response{Status: 204}
		d.Events[0].Responses[Ignored] = Response{}
		d.Endpoints[0].Responses[Processed] = Response{Status: 204}
		d.Endpoints[0].Responses[Ignored] = Response{}
	})
	unknown := `{"id":"e2","type":"order.exploded"}`
	for _, text := range []string{paid("e1", "o1", 1), paid("e1", "o1", 1), unknown} {
		got := h.send(text)
		if got.status != 204 || got.body != "" || got.header.Get("Content-Type") != "" {
			t.Errorf("answered %+v", got)
		}
	}
}

func TestBehindTimeoutHandler(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	release := make(chan struct{})
	h.store.handler = func(ctx context.Context, d *Delivery) error { <-release; return ctx.Err() }
	w := httptest.NewRecorder()
	http.TimeoutHandler(h.rcv, 10*time.Millisecond, "").ServeHTTP(w, h.signed(paid("e1", "o1", 1)))
	if w.Code != 503 {
		t.Errorf("answered %d", w.Code)
	}
	close(release)
	eventually(t, "the commit", func() bool { return h.store.size() == 1 })
	h.want(h.send(paid("e1", "o1", 1)), Duplicate, 200)
}

func TestTimestampsAndRotation(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		s := &d.Endpoints[0].Scheme
		s.List = &signature.List{Separator: ",", Name: "=", Tags: []string{"v1"}}
		s.Timestamp = &signature.Timestamp{From: signature.Source{In: "element", Name: "t"}, Format: "unix", Tolerance: 300 * time.Second, FutureTolerance: 60 * time.Second}
		s.Content = []signature.Part{{Placeholder: "timestamp"}, {Text: "."}, {Placeholder: "body"}}
		s.Secrets = []signature.Secret{{Name: "SHOP_SECRET"}, {Name: "OLD", Until: time.Now().Add(24 * time.Hour)}}
	})
	var seen []Attempt
	var mu sync.Mutex
	h.rcv = h.start(Options{
		Observer: Observers(h.counters, attempts(func(a Attempt) { mu.Lock(); seen = append(seen, a); mu.Unlock() })),
	})
	send := func(id, secret string, offset time.Duration) int {
		text := paid(id, "o1", 1)
		r := httptest.NewRequest("POST", "/", strings.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		s := &signature.Request{Header: r.Header, Body: []byte(text)}
		if err := signature.Sign(h.def.Endpoints[0].Scheme, secret, s, h.clock.Now().Add(offset)); err != nil {
			t.Fatal(err)
		}
		return h.do(r).status
	}
	for offset, want := range map[time.Duration]int{-299: 200, -302: 401, 59: 200, 62: 401, 86400: 401} {
		if got := send("o"+offset.String(), testSecret, offset*time.Second); got != want {
			t.Errorf("offset %d s is answered %d, want %d", offset, got, want)
		}
	}
	for _, a := range seen {
		if a.Outcome == Unauthenticated && a.ClockOffset == 0 {
			t.Errorf("the offset of clocks is not observed: %+v", a)
		}
	}
	if got := send("a", oldSecret, 0); got != 200 || h.counters.Secret("OLD") != 1 {
		t.Errorf("the old secret is answered %d, counted %d", got, h.counters.Secret("OLD"))
	}
	h.clock.Advance(25 * time.Hour)
	if got := send("b", oldSecret, 0); got != 401 {
		t.Errorf("the old secret is answered %d after its end", got)
	}
	if got := send("a", testSecret, 0); got != 200 || h.counters.Outcome(Duplicate) != 1 {
		t.Errorf("the event signed again is answered %d", got)
	}
}

type attempts func(Attempt)

func (f attempts) Attempt(_ context.Context, a Attempt) { f(a) }
func (f attempts) Send(context.Context, Send)           {}
func (f attempts) Warning(context.Context, Warning)     {}
