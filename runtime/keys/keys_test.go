package keys

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const set = `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}`

// publisher is a host that publishes keys.
type publisher struct {
	*httptest.Server
	calls  atomic.Int64
	mu     sync.Mutex
	answer func(http.ResponseWriter, *http.Request)
}

func newPublisher(t *testing.T, text string) *publisher {
	t.Helper()
	p := &publisher{}
	p.says(text)
	p.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.Add(1)
		p.mu.Lock()
		answer := p.answer
		p.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *publisher) does(f func(http.ResponseWriter, *http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = f
}

func (p *publisher) says(text string) {
	p.does(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
}

func (p *publisher) host() string { return strings.TrimPrefix(p.URL, "https://") }

func (p *publisher) source() Source { return Source{URL: p.URL + "/keys", Form: JWK} }

func TestKeysAreHeldAndRenewedAhead(t *testing.T) {
	p := newPublisher(t, set)
	f, now := New(p.Client()), time.Unix(1_700_000_000, 0)
	get := func(want string) {
		t.Helper()
		text, err := f.Get(t.Context(), p.source(), p.source().URL, now)
		if err != nil || text != want {
			t.Errorf("got %q, %v, want %q", text, err, want)
		}
	}
	for range 5 {
		get(set)
	}
	if n := p.calls.Load(); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
	other := strings.Replace(set, "AA", "BB", 1)
	p.says(other)
	now = now.Add(31 * time.Minute)
	get(set) // what is held still counts while the new is fetched
	deadline := time.Now().Add(10 * time.Second)
	for text := ""; text != other && time.Now().Before(deadline); {
		text, _ = f.Get(t.Context(), p.source(), p.source().URL, now)
	}
	get(other)
	if n := p.calls.Load(); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
	p.does(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	now = now.Add(2 * time.Hour)
	_, err := f.Get(t.Context(), p.source(), p.source().URL, now)
	var unavailable *Unavailable
	if !errors.As(err, &unavailable) {
		t.Errorf("expired keys that cannot be had: %v", err)
	}
}

func TestManyRequestsShareOneFetch(t *testing.T) {
	p := newPublisher(t, set)
	open := make(chan struct{})
	p.does(func(w http.ResponseWriter, _ *http.Request) { <-open; _, _ = w.Write([]byte(set)) })
	f, now := New(p.Client()), time.Now()
	var all sync.WaitGroup
	var good atomic.Int64
	for range 20 {
		all.Go(func() {
			if text, err := f.Get(context.Background(), p.source(), p.source().URL, now); err == nil && text == set {
				good.Add(1)
			}
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Get(gone, p.source(), p.source().URL, now); err == nil {
		t.Error("a sender that has hung up still waits")
	}
	close(open)
	all.Wait()
	if good.Load() != 20 || p.calls.Load() != 1 {
		t.Errorf("%d of 20 have keys, after %d calls", good.Load(), p.calls.Load())
	}
}

func TestFailuresPauseAndRenewalsAreRare(t *testing.T) {
	p := newPublisher(t, "")
	p.does(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	f, now := New(p.Client()), time.Unix(1_700_000_000, 0)
	for range 10 {
		if _, err := f.Get(t.Context(), p.source(), p.source().URL, now); err == nil {
			t.Fatal("there are keys")
		}
	}
	p.says(set)
	if n := p.calls.Load(); n != 1 {
		t.Errorf("%d calls in a pause, want 1", n)
	}
	now = now.Add(afterFailure)
	if _, err := f.Get(t.Context(), p.source(), p.source().URL, now); err != nil {
		t.Error(err)
	}
	for i := range 100 {
		if text, err := f.Renew(t.Context(), p.source(), p.source().URL, now.Add(time.Duration(i)*time.Second)); err != nil || text != set {
			t.Fatal(text, err)
		}
	}
	if n := p.calls.Load(); n != 3 {
		t.Errorf("%d calls, want 3: renewals at most once a minute", n)
	}
}

func TestWhatIsNoKeyIsNotTaken(t *testing.T) {
	ok := certificate(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	for name, c := range map[string]struct {
		form, text string
		good       bool
	}{
		"set":         {JWK, set, true},
		"key":         {JWK, `{"kty":"OKP"}`, true},
		"empty set":   {JWK, `{"keys":[]}`, false},
		"page":        {JWK, `<html>`, false},
		"certificate": {X509, ok, true},
		"expired":     {X509, certificate(t, time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)), false},
		"not PEM":     {X509, set, false},
		"kind":        {X509, strings.ReplaceAll(ok, "CERTIFICATE", "PUBLIC KEY"), false},
		"public key":  {PEM, strings.ReplaceAll(ok, "CERTIFICATE", "PUBLIC KEY"), true},
		"too long":    {JWK, set + strings.Repeat(" ", mostBytes), false},
	} {
		p := newPublisher(t, c.text)
		s := Source{URL: p.URL, Form: c.form}
		if _, err := New(p.Client()).Get(t.Context(), s, s.URL, time.Now()); (err == nil) != c.good {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	p := newPublisher(t, "")
	p.does(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://elsewhere.invalid/", http.StatusFound)
	})
	if _, err := New(p.Client()).Get(t.Context(), p.source(), p.source().URL, time.Now()); err == nil || !strings.Contains(err.Error(), "302") {
		t.Errorf("a redirect: %v", err)
	}
}

// A certificate is not held beyond its own end.
func TestCertificateEnds(t *testing.T) {
	now := time.Now()
	p := newPublisher(t, certificate(t, now.Add(-time.Hour), now.Add(time.Hour)))
	f, s := New(p.Client()), Source{URL: p.URL, Form: X509, Cache: 24 * time.Hour}
	for _, step := range []struct {
		after time.Duration
		good  bool
	}{{0, true}, {30 * time.Minute, true}, {2 * time.Hour, false}} {
		if _, err := f.Get(t.Context(), s, s.URL, now.Add(step.after)); (err == nil) != step.good {
			t.Errorf("after %s: %v", step.after, err)
		}
	}
}

func TestAddressesOfRequests(t *testing.T) {
	p := newPublisher(t, certificate(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour)))
	f := New(p.Client())
	s := Source{Form: X509, Hosts: []string{p.host(), "keys.*.example.com"}}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Get(t.Context(), s, p.URL+"/a.pem", time.Now()); err != nil {
		t.Error(err)
	}
	for _, address := range []string{
		"http://" + p.host() + "/a.pem", "https://u:p@" + p.host() + "/a.pem", "https://elsewhere.example/a.pem", "https://127.0.0.1/a.pem",
		"https://keys.example.com/", "https://keys.a.b.example.com/", "https://keys.eu.example.com.evil.test/", "https://keys..example.com/",
		"https://keys.eu.example.com:8443/", "https:keys.eu.example.com", "//keys.eu.example.com/", "", "https://keys.eu.example.com/#x", "\x00",
	} {
		_, err := f.Get(t.Context(), s, address, time.Now())
		var refused *Refused
		if !errors.As(err, &refused) || address != "" && strings.Contains(err.Error(), address) {
			t.Errorf("%q: error is %v", address, err)
		}
	}
	for _, address := range []string{"https://keys.eu.example.com/a", "https://KEYS.eu.example.com:443/a"} {
		if err := s.allow(address); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
	if n := p.calls.Load(); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

// Whoever makes addresses up on an allowed host cannot make us call it at will.
func TestMadeUpAddressesAreRationed(t *testing.T) {
	p := newPublisher(t, "nothing")
	f, now := New(p.Client()), time.Unix(1_700_000_000, 0)
	s := Source{Form: X509, Hosts: []string{p.host()}}
	for i := range 3 * mostHeld {
		_, err := f.Get(t.Context(), s, fmt.Sprintf("%s/%d", p.URL, i), now)
		var unavailable *Unavailable
		if !errors.As(err, &unavailable) {
			t.Fatal(err)
		}
	}
	if n := p.calls.Load(); n != named {
		t.Errorf("%d calls, want %d", n, named)
	}
	if len(f.held) > mostHeld {
		t.Errorf("%d addresses are held", len(f.held))
	}
	p.says(certificate(t, now.Add(-time.Hour), now.Add(time.Hour)))
	if _, err := f.Get(t.Context(), s, p.URL+"/real", now.Add(time.Minute)); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}

func TestPrivateAddressesOfRequests(t *testing.T) {
	p := newPublisher(t, set)
	s := Source{Form: JWK, Hosts: []string{p.host()}}
	if _, err := New(nil).Get(t.Context(), s, p.URL, time.Now()); err == nil || !strings.Contains(err.Error(), "private") || p.calls.Load() != 0 {
		t.Errorf("error is %v after %d calls", err, p.calls.Load())
	}
}

func TestSourcesThatCannotWork(t *testing.T) {
	for _, s := range []Source{
		{URL: "https://a.example/k"}, {URL: "http://a.example/k", Form: JWK}, {URL: "https://u@a.example", Form: JWK},
		{Form: JWK}, {Form: JWK, Hosts: []string{"*.com"}}, {Form: JWK, Hosts: []string{"example"}}, {Form: JWK, Hosts: []string{"https://a.example"}},
		{Form: JWK, Hosts: []string{"a.*"}}, {Form: JWK, Hosts: []string{"a.example:"}}, {Form: JWK, Hosts: []string{"ke*s.example.com"}},
	} {
		if s.Check() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}

func certificate(t *testing.T, from, to time.Time) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
