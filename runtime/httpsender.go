package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/whgen/whgen/runtime/outbox"
)

const (
	dialTimeout  = 5 * time.Second
	maxDiscarded = 64 << 10 // of an answer's body, read so that the connection can be used again
)

// httpSender sends the messages of one http effect. Its errors never hold the
// address: a query or user name in it may be a credential.
type httpSender struct {
	effect *Effect
	base   string
	header http.Header
	client *http.Client
}

func newHTTPSender(e *Effect, settings map[string]string, client *http.Client) (*httpSender, error) {
	base, err := fillSettings(e.HTTP.URL, settings)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("its downstream's url is no address of http or https")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("its downstream's url has a query or a fragment")
	}
	header, err := fillHeaders(e.HTTP.Headers, settings)
	if err != nil {
		return nil, err
	}
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json")
	}
	return &httpSender{effect: e, base: strings.TrimSuffix(base, "/"), header: header, client: senderClient(client, e.HTTP.Private)}, nil
}

// senderClient never follows redirects: a POST would become a GET elsewhere.
func senderClient(given *http.Client, private bool) *http.Client {
	c := http.Client{Transport: newTransport(private)}
	if given != nil {
		c = *given
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

func newTransport(private bool) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if !private {
		dialer.Control = publicOnly
	}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16,
		IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: dialTimeout,
	}
}

// errPrivate is permanent: the address of a downstream does not become public.
var errPrivate = errors.New("the downstream's address is private, which the contract does not allow")

// publicOnly judges the address after name resolution.
func publicOnly(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("judge address: %w", err)
	}
	ip := a.Addr().Unmap()
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return errPrivate
	}
	return nil
}

// Send makes one request. Before its first byte an error is a plain failure;
// after it the fate is uncertain.
func (s *httpSender) Send(ctx context.Context, m outbox.Message) error {
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaderField: func(string, []string) { wrote.Store(true) }}
	r, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), s.effect.HTTP.Method, s.base+m.Target, bytes.NewReader(m.Payload))
	if err != nil {
		return outbox.Permanent(errors.New("the request cannot be made"))
	}
	r.Header = s.header.Clone()
	if !s.effect.NoKey {
		name := s.effect.Header
		if name == "" {
			name = "Idempotency-Key"
		}
		r.Header.Set(name, m.IdempotencyKey)
	}
	if err := outbox.Fence(ctx); err != nil {
		return err
	}
	res, err := s.client.Do(r)
	if err != nil {
		return networkError(err, wrote.Load())
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxDiscarded)) // the status alone decides
	return s.judge(res)
}

func networkError(err error, wrote bool) error {
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err
	}
	switch {
	case errors.Is(err, errPrivate):
		return outbox.Permanent(errPrivate)
	case wrote:
		return outbox.Uncertain(fmt.Errorf("no answer: %w", err))
	default:
		return fmt.Errorf("not sent: %w", err)
	}
}

// judge reads the answer by declaration: success, retried, the rest permanent.
func (s *httpSender) judge(res *http.Response) error {
	if within(s.effect.HTTP.Success, res.StatusCode) {
		return nil
	}
	err := fmt.Errorf("answered %d", res.StatusCode)
	if !within(s.effect.HTTP.RetryOn, res.StatusCode) {
		return outbox.Permanent(err)
	}
	return outbox.RetryAfter(retryAfter(res.Header.Get("Retry-After"), time.Now()), err)
}

func within(ranges [][2]int, status int) bool {
	for _, r := range ranges {
		if status >= r[0] && status <= r[1] {
			return true
		}
	}
	return false
}

// retryAfter reads seconds or a date; 0 where there is neither.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(max(0, min(n, 365*24*3600))) * time.Second
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}
