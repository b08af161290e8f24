package send

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// ErrPublic refuses an address that is neither loopback nor private.
var ErrPublic = errors.New("is neither a loopback nor a private address: signed deliveries would reach somebody else's receiver; --yes-really allows it")

// allowed judges an address after name resolution. Link-local addresses are
// not private networks: behind them are routers and clouds' metadata services.
func allowed(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("read the address %s: %w", address, err)
	}
	if ip := at.Addr().Unmap(); ip.IsLoopback() || ip.IsPrivate() {
		return nil
	}
	return fmt.Errorf("%s %w", at.Addr(), ErrPublic)
}

// client sends without redirects, proxies and shared connections: what is
// judged is what is called.
func client(anywhere bool, connections int, timeout time.Duration) *http.Client {
	dialer := &net.Dialer{Timeout: timeout}
	if !anywhere {
		dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error { return allowed(address) }
	}
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, MaxIdleConnsPerHost: connections, MaxConnsPerHost: 0, DisableCompression: true,
			TLSHandshakeTimeout: timeout, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
