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
func schemeNotes(p *Plan) []string {
	c := p.Contract
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
	for _, text := range p.Excepted {
		add("The acceptance test does not deliver to " + text + ".")
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
