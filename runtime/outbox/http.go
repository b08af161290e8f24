package outbox

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/whgen/whgen/runtime/internal/dial"
)

// Header is one header line of a request.
type Header struct{ Name, Value string }

// HTTP describes the requests of one http effect; settings are filled in.
type HTTP struct {
	Method    string
	URL       string // base of the downstream: http or https
	Headers   []Header
	KeyHeader string   // carries the idempotency key; "" where the outside knows none
	Success   [][2]int // inclusive ranges of statuses
	RetryOn   [][2]int // what is in neither is permanent
	Private   bool     // private, loopback and link-local addresses are allowed
	// Client sends; nil: one of our own. A client of the user's brings its own
	// limits and its own judgement of addresses; redirects are not followed with
	// it either.
	Client *http.Client
}

// HTTPSender sends messages as HTTP requests. It is safe for concurrent use.
// Its errors never hold a URL, a header or an answer's body.
type HTTPSender struct {
	http   HTTP
	base   *url.URL
	client *http.Client
}

// NewHTTPSender checks the description. Its error shows no value of it.
func NewHTTPSender(h HTTP) (*HTTPSender, error) {
	base, err := url.Parse(h.URL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, errors.New("the downstream's URL must be an absolute http or https URL")
	}
	if base.User != nil {
		return nil, errors.New("the downstream's URL must not hold credentials: use a header")
	}
	for _, l := range h.Headers {
		if strings.ContainsAny(l.Value, "\r\n\x00") {
			return nil, fmt.Errorf("the value of header %s has a line end or NUL in it", l.Name)
		}
	}
	client := http.Client{Transport: newTransport(h.Private)}
	if h.Client != nil {
		client = *h.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &HTTPSender{http: h, base: base, client: &client}, nil
}

// Send makes one request. An error before the first byte of the request was
// written says that nothing has happened; one after it is Uncertain.
func (s *HTTPSender) Send(ctx context.Context, m Message) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body := &fixedBody{text: m.Payload}
	req, err := s.request(ctx, m, body)
	if err != nil {
		return Permanent(err)
	}
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if err := Fence(ctx); err != nil {
			cancel(err)
			// Cancelling alone would let the first bytes through; other requests
			// share an HTTP/2 connection, and there it is enough.
			if t, ok := info.Conn.(*tls.Conn); !ok || t.ConnectionState().NegotiatedProtocol != "h2" {
				_ = info.Conn.Close()
			}
			return
		}
		body.started.Store(true)
	}}
	resp, err := s.client.Do(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		return s.failure(ctx, body, err)
	}
	discard(resp, cancel)
	return s.judge(resp)
}

func (s *HTTPSender) request(ctx context.Context, m Message, body *fixedBody) (*http.Request, error) {
	target, err := s.target(m.Target)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, s.http.Method, s.base.String(), nil)
	if err != nil {
		return nil, errors.New("the request cannot be built")
	}
	req.URL = target
	if len(m.Payload) > 0 {
		// Without GetBody the transport never repeats the request by itself:
		// one attempt is one request.
		req.Body, req.ContentLength = body, int64(len(m.Payload))
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range s.http.Headers {
		req.Header.Set(h.Name, h.Value)
	}
	if s.http.KeyHeader != "" {
		req.Header.Set(s.http.KeyHeader, m.IdempotencyKey)
	}
	return req, nil
}

// target joins base and path. A value in the path cannot climb out of it.
func (s *HTTPSender) target(text string) (*url.URL, error) {
	path, query, _ := strings.Cut(text, "?")
	if path != "" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	plain, err := url.PathUnescape(path)
	if err != nil {
		return nil, errors.New("the message's path is not percent-encoded")
	}
	for _, segment := range strings.Split(path, "/") {
		if name, _ := url.PathUnescape(segment); name == "." || name == ".." {
			return nil, errors.New("the message's path has a dot segment")
		}
	}
	u := *s.base
	raw := strings.TrimSuffix(s.base.EscapedPath(), "/") + path
	u.Path, u.RawPath = strings.TrimSuffix(s.base.Path, "/")+plain, raw
	if query != "" && u.RawQuery != "" {
		query = u.RawQuery + "&" + query
	} else if query == "" {
		query = u.RawQuery
	}
	u.RawQuery, u.Fragment = query, ""
	return &u, nil
}

func (s *HTTPSender) failure(ctx context.Context, body *fixedBody, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errPastFence) || errors.Is(err, errPastFence) {
		return errPastFence
	}
	if errors.Is(err, errPrivate) {
		return Permanent(errPrivate)
	}
	text := errors.New(dial.Describe(err))
	if body.started.Load() {
		return Uncertain(fmt.Errorf("after the request was begun: %w", text))
	}
	return &unsentError{cause: fmt.Errorf("before the request was written: %w", text)}
}

// judge reads the status: it alone decides.
func (s *HTTPSender) judge(resp *http.Response) error {
	status := resp.StatusCode
	if within(status, s.http.Success) {
		return nil
	}
	err := fmt.Errorf("the outside answered %d", status)
	if !within(status, s.http.RetryOn) {
		return Permanent(err)
	}
	switch status {
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		err = Uncertain(err) // a gateway that does not know what its server did
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
	default:
		err = &answeredError{cause: err}
	}
	if d := retryAfter(resp.Header.Get("Retry-After"), time.Now()); d > 0 {
		err = RetryAfter(d, err)
	}
	return err
}

func within(status int, ranges [][2]int) bool {
	for _, r := range ranges {
		if r[0] <= status && status <= r[1] {
			return true
		}
	}
	return false
}

// retryAfter reads seconds or a date (RFC 9110, 10.2.3); 0 for anything else.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31); err == nil {
		return clamp(time.Duration(n) * time.Second)
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return clamp(at.Sub(now))
	}
	return 0
}

// discard reads what little an answer may have, so that its connection can be
// used again, and closes it. A slow one is cut off.
func discard(resp *http.Response, cancel context.CancelCauseFunc) {
	slow := time.AfterFunc(500*time.Millisecond, func() { cancel(nil) })
	defer slow.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	_ = resp.Body.Close()
}

// fixedBody is a message's bytes; started says that a request may have been
// written.
type fixedBody struct {
	text    []byte
	read    int
	started atomic.Bool
}

func (b *fixedBody) Read(p []byte) (int, error) {
	if b.read >= len(b.text) {
		return 0, io.EOF
	}
	n := copy(p, b.text[b.read:])
	b.read += n
	return n, nil
}

func (b *fixedBody) Close() error { return nil }
