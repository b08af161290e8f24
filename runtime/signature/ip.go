package signature

import (
	"fmt"
	"net/netip"
	"time"
)

type ipVerifier struct {
	scheme   Scheme
	networks []netip.Prefix
}

func compileIP(s Scheme, _ []string) (Verifier, error) {
	v := &ipVerifier{scheme: prepared(s)}
	for _, text := range s.Networks {
		n, err := ParseNetwork(text)
		if err != nil {
			return nil, fmt.Errorf("compile signature: %w", err)
		}
		v.networks = append(v.networks, n)
	}
	return v, nil
}

// ParseNetwork reads a CIDR block, or an address as the block of itself. Bits
// beyond the prefix are refused: they are a slip as often as not.
func ParseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
	}
	n, err := netip.ParsePrefix(text)
	if err != nil || n.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("network %q is not written as 192.0.2.0/24", text)
	}
	if n != n.Masked() {
		return netip.Prefix{}, fmt.Errorf("network %q has bits set beyond its prefix; write %s", text, n.Masked())
	}
	return n, nil
}

func (v *ipVerifier) Verify(r *Request, _ time.Time) (Result, error) {
	d := reader{r: r}
	if err := d.required(v.scheme.Require); err != nil {
		return Result{}, err
	}
	addr := r.Remote.Unmap().WithZone("")
	if !addr.IsValid() {
		return Result{}, fail(Missing, "the sender's address is not known")
	}
	for _, n := range v.networks {
		if n.Contains(addr) {
			return Result{Secret: -1}, nil
		}
	}
	return Result{}, fail(Mismatch, "the sender's address is in none of the networks")
}
