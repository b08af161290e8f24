package initial

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/whgen/whgen/spec"
)

// evidence says which preset fits and how that is known.
type evidence struct {
	preset string // one that this version generates; "" without
	name   string // of the sender, for the source; "" where only the scheme is known
	why    string
	sure   bool
	others []string // presets that would fit too
}

// known are senders by the domain of their servers, where the preset is not
// called as the domain is. Clerk and Resend say in their documentation that
// Svix sends their webhooks.
var known = map[string][]string{
	"clerk": {"svix"}, "resend": {"svix"}, "adyen": {"adyen-payments", "adyen-platform"}, "facebook": {"meta"}, "instagram": {"meta"},
	"squareup": {"square"}, "hubapi": {"hubspot-v3", "hubspot-v2", "hubspot-v1"}, "hubspot": {"hubspot-v3", "hubspot-v2", "hubspot-v1"},
	"mollie": {"mollie-signed", "mollie-classic"}, "gitlab": {"gitlab-token"}, "coinbase": {"coinbase-commerce"},
}

// preset looks for the sender: by its servers, by headers that the document
// declares, by title and contact, in this order of weight.
func (p *proposer) preset() {
	for _, look := range []func() bool{p.byServer, p.byHeader, p.byTitle} {
		if look() {
			break
		}
	}
	if p.sender.sure {
		p.note("preset %s: %s", p.sender.preset, p.sender.why)
	}
}

// presetsNamed are the presets of a sender's name, generated or not.
func presetsNamed(name string) []string {
	if all, ok := known[name]; ok {
		return all
	}
	return []string{name}
}

// byServer goes by the domain of the document's servers. Where the entries are
// plain paths the servers are the receiver's, which says nothing.
func (p *proposer) byServer() bool {
	if !slices.ContainsFunc(p.survey.Operations, func(o *spec.Operation) bool { return o.Container != "paths" }) && len(p.survey.Operations) == 1 {
		return false
	}
	for _, host := range p.survey.Servers {
		name := domain(host)
		if p.take(name, presetsNamed(name), "the document's server is "+host, true) {
			return true
		}
	}
	return false
}

// domain is the label before the top level.
func domain(host string) string {
	labels := strings.Split(host, ".")
	if len(labels) < 2 {
		return ""
	}
	return labels[len(labels)-2]
}

// byHeader finds schemes whose signature header the document declares. One
// header of several presets is a question.
func (p *proposer) byHeader() bool {
	for _, header := range p.survey.Headers {
		var fits []string
		for name, f := range p.facts {
			if readsHeader(f.Scheme, header) && !strings.EqualFold(header, "Authorization") {
				fits = append(fits, name)
			}
		}
		sort.Strings(fits)
		if i := slices.Index(fits, "standard-webhooks"); i > 0 {
			fits[0], fits[i] = fits[i], fits[0]
		}
		if len(fits) > 0 {
			p.sender = evidence{preset: fits[0], why: "the document declares the header " + header, sure: len(fits) == 1 || fits[0] == "standard-webhooks", others: fits[1:]}
			return true
		}
	}
	return false
}

// readsHeader reports whether a scheme's signatures stand in a header.
func readsHeader(s *spec.Scheme, header string) bool {
	if s == nil {
		return false
	}
	return slices.ContainsFunc(append([]*spec.Scheme{s}, s.Members()...), func(one *spec.Scheme) bool {
		return slices.ContainsFunc(one.From, func(f spec.Selector) bool { return f.Kind == spec.SelectHeader && strings.EqualFold(f.Name, header) })
	})
}

// codeHosts are where documents are kept, whoever wrote them.
var codeHosts = map[string]bool{"github": true, "gitlab": true, "bitbucket": true}

// byTitle finds a sender's name in the title, or as a proper noun in description
// and contact. A name in a text proves nothing, so that is a question, unless
// the contact's address has the name too.
func (p *proposer) byTitle() bool {
	texts := append([]string{p.survey.Title}, p.survey.Texts...)
	for i, text := range texts {
		for _, word := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			lower := strings.ToLower(word)
			if fillers[lower] || len(word) < 4 || i > 0 && word == lower {
				continue
			}
			at := slices.IndexFunc(p.survey.Contacts, func(host string) bool { return domain(host) == lower && !codeHosts[lower] })
			why := fmt.Sprintf("the document's text says %q", word)
			if at >= 0 {
				why = fmt.Sprintf("the document's text says %q, its contact is %s", word, p.survey.Contacts[at])
			}
			if p.take(lower, presetsNamed(lower), why, at >= 0) {
				return true
			}
		}
	}
	return false
}

// take keeps the first preset of a sender that this version generates, or the
// name of the sender where it generates none.
func (p *proposer) take(name string, presets []string, why string, sure bool) bool {
	var fits []string
	for _, preset := range presets {
		if _, ok := p.facts[preset]; ok {
			fits = append(fits, preset)
		}
	}
	if len(fits) > 0 {
		p.sender = evidence{preset: fits[0], name: notName.ReplaceAllString(name, "_"), why: why, sure: sure && len(fits) == 1, others: fits[1:]}
		return true
	}
	return false
}
