package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// schemeNotes are the sentences of the package comment about what a delivery
// proves and what it does not.
func schemeNotes(c *spec.Contract) []string {
	var notes []string
	add := func(text string) {
		if !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	for _, e := range c.Endpoints {
		where := ""
		if e.Name != "" && len(c.Endpoints) > 1 {
			where = fmt.Sprintf(" (endpoint %s)", e.Name)
		}
		if s := e.Signature; s != nil && s.Type == "none" {
			add("Requests are not authenticated by this package" + where + ": " + sentence(s.Reason))
			continue
		}
		for _, doubt := range e.Signature.Doubts() {
			add("What the signature does not protect" + where + ": " + sentence(doubt))
		}
	}
	for _, e := range c.Events {
		if len(e.Unsigned) > 0 {
			add("The signature does not cover the event key " + strings.Join(e.Unsigned, ", ") +
				": a captured request can be sent again under a new key, and event.replay accepts that.")
		}
	}
	return notes
}

// schemeOption is a member of Config that only some schemes need.
type schemeOption struct {
	name, comment string
	kind          *jen.Statement
}

func schemeOptions(p *Plan) []schemeOption {
	var out []schemeOption
	if hasType(p.Contract, "plugin") {
		out = append(out, schemeOption{"Verifiers", "are the verifiers in Go that the contract names; each must be there.",
			jen.Map(jen.String()).Add(sig("Verifier"))})
	}
	if hasType(p.Contract, "ip") {
		out = append(out, schemeOption{"TrustedProxies", "are the proxies whose X-Forwarded-For is believed; without them the peer's address counts.",
			jen.Index().Qual("net/netip", "Prefix")})
	}
	if fetches(p.Contract) {
		out = append(out, schemeOption{"KeyClient", "fetches the public keys that the contract names by address; nil is one with limits of its own.",
			jen.Op("*").Qual("net/http", "Client")})
	}
	return out
}

// hasType reports whether some endpoint's scheme, or a member of it, is of a type.
func hasType(c *spec.Contract, name string) bool {
	return slices.ContainsFunc(c.Endpoints, func(e *spec.Endpoint) bool {
		s := e.Signature
		return s != nil && (s.Type == name || slices.ContainsFunc(s.Members(), func(m *spec.Scheme) bool { return m.Type == name }))
	})
}

// testable reports whether the generated acceptance test can start a receiver of
// the contract and sign deliveries to one of its endpoints.
func testable(c *spec.Contract, tested *spec.Endpoint) bool {
	if s := tested.Signature; s != nil && s.Items != "" && s.Items != tested.Items {
		return false // a sample has one element, at event.items
	}
	return signable(tested.Signature) && !slices.ContainsFunc(c.Endpoints, func(e *spec.Endpoint) bool {
		return e.Signature != nil && slices.ContainsFunc(append([]*spec.Scheme{e.Signature}, e.Signature.Members()...), func(s *spec.Scheme) bool {
			named := func(k spec.Secret) bool { return k.Fetch == nil }
			return s.Type == "plugin" || s.PublicKeys() && slices.ContainsFunc(s.Secrets, named)
		})
	})
}

// signable reports whether the generated acceptance test can sign deliveries of
// the scheme: it holds one secret, and puts everything into headers and query,
// or into each element of a batch, or a token into the body.
func signable(s *spec.Scheme) bool {
	if s == nil {
		return true
	}
	if !slices.Contains([]string{"hmac", "digest", "token", "bearer", "basic", "none"}, s.Type) || s.BodyHash != nil {
		return false
	}
	places := slices.Clone(s.From)
	if s.Type == "token" && len(s.From) > 0 && (s.Decode.Encoding == "" || s.Decode.Encoding == "utf8") {
		places = slices.DeleteFunc(places, func(f spec.Selector) bool { return f.Kind == spec.SelectForm || f.Kind == spec.SelectBody })
	}
	for _, c := range s.Require {
		places = append(places, c.From)
		if len(c.Values) > 0 && strings.HasPrefix(c.Values[0], "{param:") {
			return false
		}
	}
	if s.Timestamp != nil {
		places = append(places, s.Timestamp.From)
	}
	if s.Content != nil {
		for _, p := range s.Content.Parts {
			if p.Fields != nil || p.Selector != nil && p.Selector.Kind == spec.SelectParam {
				return false
			}
		}
	}
	fit := []spec.SelectorKind{spec.SelectHeader, spec.SelectQuery, spec.SelectElement}
	if s.Items != "" {
		fit = []spec.SelectorKind{spec.SelectItem}
	}
	return !slices.ContainsFunc(places, func(f spec.Selector) bool { return !slices.Contains(fit, f.Kind) })
}
