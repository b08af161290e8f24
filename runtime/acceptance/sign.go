package acceptance

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

func (p *protocol) scheme() signature.Scheme {
	return p.c.Definition.Endpoints[p.e.Endpoint].Scheme
}

// leaves are the schemes of any and all, or the scheme itself.
func leaves(s signature.Scheme) []signature.Scheme {
	var out []signature.Scheme
	for _, m := range append(s.Any[:len(s.Any):len(s.Any)], s.All...) {
		out = append(out, leaves(m)...)
	}
	if out == nil {
		return []signature.Scheme{s}
	}
	return out
}

// signOnce signs, and delivers again what it has signed before where signing
// writes into the body: a time or a random signature there would be other content
// under the same key. Whether a sender does that is for `volatile` to say.
func (p *protocol) signOnce(r *signature.Request, d delivery) {
	p.Helper()
	plain := fmt.Sprint(p.n, d.omit, d.forged, d.bare, string(r.Body))
	if was, ok := p.wire[plain]; ok {
		*r = was
		r.Header = was.Header.Clone()
		return
	}
	before := string(r.Body)
	p.sign(r, d)
	if string(r.Body) == before {
		return
	}
	if p.wireOf != p.n || p.wire == nil {
		p.wire, p.wireOf = map[string]signature.Request{}, p.n
	}
	kept := *r
	kept.Header = r.Header.Clone()
	p.wire[plain] = kept
}

// sign does what the sender does: of all every scheme, of any the first for
// which there are keys, or the one that is forged.
func (p *protocol) sign(r *signature.Request, d delivery) {
	p.Helper()
	s := p.scheme()
	if p.e.Unsigned != "" { // the body holds the secret, or lacks it on purpose
		return
	}
	signed := false
	for i, m := range leaves(s) {
		forged := d.forged == i+1
		if len(s.Any) > 0 && (signed || m.Type == "plugin" || d.forged > 0 && !forged) {
			continue
		}
		signed = true
		if forged && m.Type == "ip" {
			continue // from somewhere else
		}
		if err := signature.SignAll(m, p.keys.of(m, forged, p.clock.Now()), r, p.clock.Now()); err != nil {
			p.Fatalf("sign the delivery: %v", err)
		}
	}
	if !d.bare {
		return
	}
	if err := signature.Unsign(s, r); err != nil {
		p.Fatalf("make a delivery without a signature: %v", err)
	}
	r.Remote = netip.Addr{}
}

// address is where a request comes from: without an address, from one that is
// in none of the scheme's networks.
func (p *protocol) address(from netip.Addr) string {
	for first := byte(203); from == (netip.Addr{}) && first > 0; first-- {
		if at := netip.AddrFrom4([4]byte{first, 0, 113, 7}); !within(p.scheme(), at) {
			from = at
		}
	}
	return net.JoinHostPort(from.String(), "4711")
}

func within(s signature.Scheme, at netip.Addr) bool {
	for _, m := range leaves(s) {
		for _, text := range m.Networks {
			if n, err := signature.ParseNetwork(text); err == nil && n.Contains(at) {
				return true
			}
		}
	}
	return false
}

// setting is a configured value of the receiver's.
func (p *protocol) setting(name string) (string, bool) {
	for _, s := range p.c.Definition.Settings {
		if s.Name == name {
			return "acceptance", true
		}
	}
	return "", false
}

// strangers stand for the verifiers in Go, which the test cannot sign for: they
// let nobody in.
func (p *protocol) strangers() map[string]signature.Verifier {
	all := map[string]signature.Verifier{}
	for _, e := range p.c.Definition.Endpoints {
		for _, m := range leaves(e.Scheme) {
			if m.Plugin != "" {
				all[m.Plugin] = stranger{}
			}
		}
	}
	return all
}

type stranger struct{}

// Verify refuses.
func (stranger) Verify(*signature.Request, time.Time) (signature.Result, error) {
	return signature.Result{}, &signature.Error{Kind: signature.Mismatch, Reason: "the acceptance test has no verifier"}
}
