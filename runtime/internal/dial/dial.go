package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// ErrPrivate is why an address was not called.
var ErrPrivate = errors.New("the address is private, loopback or link-local, and that is not allowed")

// Transport has a limit for each phase inside the call's own. It takes no proxy
// from the environment: behind one nobody could judge the address.
func Transport(private bool, idlePerHost int) *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	if !private {
		// After resolution, so that no name can lead inside.
		dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return RefusePrivate(address)
		}
	}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    5 * time.Second,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        60 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// shared is the carrier-grade NAT range (RFC 6598), which IsPrivate leaves out.
var shared = netip.MustParsePrefix("100.64.0.0/10")

// RefusePrivate judges an address and port.
func RefusePrivate(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return ErrPrivate
	}
	ip := at.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || shared.Contains(ip) {
		return ErrPrivate
	}
	return nil
}

// Describe says what failed in words of ours: an error of net/http quotes the
// URL, and what the outside sent.
func Describe(err error) string {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var errno syscall.Errno
	switch {
	case errors.Is(err, ErrPrivate):
		return ErrPrivate.Error()
	case errors.As(err, &dns):
		return "the host name does not resolve"
	case errors.As(err, &certificate):
		return "the certificate is not trusted"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.As(err, &errno):
		return errno.Error()
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return "timeout"
	}
	return "the connection broke or the answer was no HTTP"
}
