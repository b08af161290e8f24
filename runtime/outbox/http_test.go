package outbox

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/internal/dial"
)

var retried = [][2]int{{408, 408}, {425, 425}, {429, 429}, {500, 599}}

func sender(t *testing.T, url string) *HTTPSender {
	t.Helper()
	s, err := NewHTTPSender(HTTP{
		Method: "PUT", URL: url, KeyHeader: "Idempotency-Key", Private: true,
		Headers: []Header{{"Authorization", "Bearer s3cret"}}, Success: [][2]int{{200, 299}}, RetryOn: retried,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var message = Message{IdempotencyKey: "shop:deal:1", Target: "/deals/a%2Fb", Payload: []byte(`{"n":1}`), Attempt: 1}

func TestHTTPRequest(t *testing.T) {
	var got *http.Request
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, body = r, string(b)
	}))
	defer server.Close()
	if err := sender(t, server.URL+"/api/?token=t").Send(context.Background(), message); err != nil {
		t.Fatal(err)
	}
	want := "PUT /api/deals/a%2Fb?token=t shop:deal:1 application/json Bearer s3cret {\"n\":1}"
	if line := strings.Join([]string{got.Method, got.RequestURI, got.Header.Get("Idempotency-Key"), got.Header.Get("Content-Type"), got.Header.Get("Authorization"), body}, " "); line != want {
		t.Errorf("got %s; want %s", line, want)
	}
}

func TestHTTPStatuses(t *testing.T) {
	for status, want := range map[int]string{
		200: "sent", 201: "sent", 204: "sent", 299: "sent", 301: "permanent", 400: "permanent", 401: "permanent", 404: "permanent",
		409: "permanent", 410: "permanent", 422: "permanent", 408: "retry", 425: "retry", 429: "retry", 500: "retry", 503: "retry", 599: "retry",
		502: "unknown", 504: "unknown",
	} {
		calls := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
		}))
		err := sender(t, server.URL).Send(context.Background(), message)
		server.Close()
		if got := kind(err); got != want || calls != 1 {
			t.Errorf("%d: got %s after %d calls; want %s after 1", status, got, calls, want)
		}
		if d, ok := AsRetryAfter(err); (want == "retry" || want == "unknown") && (!ok || d != 7*time.Second) {
			t.Errorf("%d: got Retry-After %v; want 7s", status, d)
		}
	}
}

func kind(err error) string {
	switch {
	case err == nil:
		return "sent"
	case IsPermanent(err):
		return "permanent"
	case IsUncertain(err):
		return "unknown"
	case unsent(err):
		return "unsent"
	}
	return "retry"
}

func TestHTTPBrokenConnections(t *testing.T) {
	reset := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = c.Close()
		}
	}))
	defer reset.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + l.Addr().String() + "/?token=s3cret"
	_ = l.Close()
	for url, want := range map[string]string{reset.URL: "unknown", refused: "unsent"} {
		err := sender(t, url).Send(context.Background(), message)
		if got := kind(err); got != want {
			t.Errorf("got %s (%v); want %s", got, err, want)
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
}

func TestHTTPFenceRightBeforeWriting(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls++ }))
	defer server.Close()
	ctx := withFence(context.Background(), func() error { return errPastFence })
	if err := sender(t, server.URL).Send(ctx, message); !errors.Is(err, errPastFence) || calls != 0 {
		t.Errorf("got %v after %d calls; want the fence after none", err, calls)
	}
}

func TestHTTPRefusesPrivateAddresses(t *testing.T) {
	s, err := NewHTTPSender(HTTP{Method: "POST", URL: "http://localhost:1/"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(context.Background(), message); !IsPermanent(err) || !errors.Is(err, errPrivate) {
		t.Errorf("got %v; want a permanent refusal", err)
	}
	for _, a := range []string{"127.0.0.1:80", "10.0.0.1:80", "169.254.169.254:80", "100.64.0.1:80", "[::1]:80", "[fe80::1]:80", "[::ffff:10.0.0.1]:80", "0.0.0.0:80"} {
		if dial.RefusePrivate(a) == nil {
			t.Errorf("%s is allowed", a)
		}
	}
	if err := dial.RefusePrivate("192.0.2.1:443"); err != nil {
		t.Errorf("a public address: %v", err)
	}
}

func TestHTTPRefusesDotSegments(t *testing.T) {
	s := sender(t, "http://localhost:1/api")
	for _, target := range []string{"/deals/../x", "/deals/%2e%2E"} {
		m := message
		m.Target = target
		if err := s.Send(context.Background(), m); !IsPermanent(err) {
			t.Errorf("%s: got %v; want permanent", target, err)
		}
	}
}
