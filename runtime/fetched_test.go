package runtime

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/keys"
)

// shelf publishes what a scheme takes as its key: the text of a set. HMAC takes
// any text, so that these tests are about fetching alone.
type shelf struct {
	*httptest.Server
	text  atomic.Value
	calls atomic.Int64
}

func newShelf(t *testing.T, text string) *shelf {
	s := &shelf{}
	s.text.Store(text)
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.calls.Add(1)
		if text, _ := s.text.Load().(string); text != "" {
			_, _ = w.Write([]byte(text))
			return
		}
		w.WriteHeader(503)
	}))
	t.Cleanup(s.Close)
	return s
}

func set(n int) string { return fmt.Sprintf(`{"keys":[{"kty":"test","n":"%d"}]}`, n) }

func TestFetchedKeys(t *testing.T) {
	s := newShelf(t, set(1))
	h := newHarness(t, nil)
	h.def.Endpoints[0].Keys = []FetchedKey{{Name: "SHOP_SECRET", Source: keys.Source{URL: s.URL, Form: keys.JWK}}}
	h.rcv = h.start(Options{KeyClient: s.Client()})
	n := 0
	send := func(key string, status int) {
		t.Helper()
		n++
		if got := h.do(h.at("/", key, paid(fmt.Sprint("e", n), "o1", 1))); got.status != status {
			t.Errorf("answered %d, want %d", got.status, status)
		}
	}
	send(set(1), 200)
	s.text.Store(set(2))
	send(set(2), 401) // fetched too short a time ago to be fetched again for a signature that does not fit
	h.clock.Advance(time.Minute)
	send(set(2), 200)
	send(set(1), 401)
	for range 50 {
		send("forged", 401)
	}
	if calls := s.calls.Load(); calls != 2 {
		t.Errorf("keys were fetched %d times, want 2", calls)
	}
	s.text.Store("")
	h.clock.Advance(3 * time.Hour)
	send(set(2), 500)
	if h.counters.Class("keys") != 1 {
		t.Errorf("outcomes are %v", h.counters.Outcomes())
	}
	s.text.Store(set(2))
	h.clock.Advance(time.Minute)
	send(set(2), 200)
	if h.counters.Secret("SHOP_SECRET") != 3 {
		t.Error("the counter does not know the key")
	}
}

func TestKeysThatCannotBeHadAtStart(t *testing.T) {
	s := newShelf(t, "")
	h := newHarness(t, nil)
	h.def.Endpoints[0].Keys = []FetchedKey{{Name: "SHOP_SECRET", Source: keys.Source{URL: s.URL, Form: keys.JWK}}}
	h.rcv = h.start(Options{KeyClient: s.Client()})
	eventually(t, "a warning", func() bool { return len(h.counters.Warnings()) == 1 })
	h.want(h.do(h.at("/", set(1), paid("e1", "o1", 1))), Failed, 500)
	h.def.Endpoints[0].Keys[0].Source.URL = "http://keys.example"
	if _, err := NewReceiver(t.Context(), h.def, h.store, Options{}); err == nil || !strings.Contains(err.Error(), "https") {
		t.Errorf("error is %v", err)
	}
}

func TestRequestsNameTheirKey(t *testing.T) {
	for kind, name := range map[Kind]string{Header: "X-Cert", Body: "/cert"} {
		s := newShelf(t, set(1))
		h := newHarness(t, nil)
		h.def.Endpoints[0].Keys = []FetchedKey{{Name: "SHOP_SECRET", From: &Selector{Kind: kind, Name: name},
			Source: keys.Source{Hosts: []string{strings.TrimPrefix(s.URL, "https://")}, Form: keys.JWK}}}
		h.rcv = h.start(Options{KeyClient: s.Client()})
		send := func(address string) answered {
			text := paid("e1", "o1", 1)
			if kind == Body && address != "" {
				text = strings.Replace(text, "{", fmt.Sprintf(`{"cert":%q,`, address), 1)
			}
			r := h.at("/", set(1), text)
			if kind == Header && address != "" {
				r.Header.Set("X-Cert", address)
			}
			return h.do(r)
		}
		for _, address := range []string{"", "https://elsewhere.example/", "http://" + strings.TrimPrefix(s.URL, "https://")} {
			h.want(send(address), Unauthenticated, 401)
		}
		if s.calls.Load() != 0 {
			t.Errorf("%d calls for addresses that are not allowed", s.calls.Load())
		}
		h.want(send(s.URL+"/a"), Processed, 200)
		h.want(send(s.URL+"/a"), Duplicate, 200)
		s.text.Store("")
		h.want(send(s.URL+"/b"), Failed, 500)
		h.want(send(s.URL+"/a"), Duplicate, 200)
		if s.calls.Load() != 2 {
			t.Errorf("%d calls, want 2", s.calls.Load())
		}
	}
}

func TestFetchedKeyThatTheSchemeDoesNotName(t *testing.T) {
	def := definition()
	def.Endpoints[0].Keys = []FetchedKey{{Name: "OTHER", Source: keys.Source{URL: "https://keys.example/", Form: keys.JWK}}}
	if _, err := NewReceiver(t.Context(), def, newMemory(), Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret}}); err == nil || !strings.Contains(err.Error(), "fetched key") {
		t.Errorf("error is %v", err)
	}
}
