package generator

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// unsignable says why the generated test cannot sign deliveries of an event at
// an endpoint; "" where it can.
func unsignable(e *spec.Endpoint, event *spec.Event) string {
	s := e.Signature
	switch {
	case s == nil:
		return ""
	case len(s.Any) > 0:
		why := ""
		for _, m := range s.Any {
			if m.Type == "plugin" {
				why = unsignableOne(m, e, event)
				continue
			}
			return unsignableOne(m, e, event) // the first one signs
		}
		return why
	}
	for _, m := range leaves(s) {
		if why := unsignableOne(m, e, event); why != "" {
			return why
		}
	}
	return ""
}

func unsignableOne(s *spec.Scheme, e *spec.Endpoint, event *spec.Event) string {
	if s.Type == "plugin" {
		return "what the verifier " + s.Plugin + " wants is known to your Go code alone"
	}
	if s.Items != "" && e.Items != "" && s.Items != e.Items {
		return "signatures stand in " + s.Items + ", and a sample has one element, at " + e.Items
	}
	token := e.Signature == s && s.Type == "token" && len(e.Redact) > 0 // stands in the sample
	for _, from := range inBody(s) {
		switch {
		case event.Body == spec.RawBody:
			return "the scheme reads " + from.Text() + " from a body that is not read here"
		case event.Media == "multipart/form-data" && !token:
			return "signatures are not written into multipart bodies"
		case e.Document != nil && s.Items != "":
			return "signatures are not written into the items of a document"
		}
	}
	return ""
}

// leaves are the schemes of any or all, or the scheme itself; none without one.
func leaves(s *spec.Scheme) []*spec.Scheme {
	switch {
	case s == nil:
		return nil
	case len(s.Members()) == 0:
		return []*spec.Scheme{s}
	}
	var all []*spec.Scheme
	for _, m := range s.Members() {
		all = append(all, leaves(m)...)
	}
	return all
}

// signers are the schemes that the test signs with: of any the first that it
// can sign for.
func signers(s *spec.Scheme) []*spec.Scheme {
	all := leaves(s)
	if s == nil || len(s.Any) == 0 {
		return all
	}
	at := slices.IndexFunc(all, func(m *spec.Scheme) bool { return m.Type != "plugin" })
	if at < 0 {
		return nil
	}
	return all[at : at+1]
}

// inBody are the places in the body that a scheme reads or writes; lists of
// fields as one place.
func inBody(s *spec.Scheme) []spec.Selector {
	all := slices.Clone(s.From)
	for _, c := range s.Require {
		all = append(all, c.From)
	}
	if s.Timestamp != nil {
		all = append(all, s.Timestamp.From)
	}
	if s.ID != nil {
		all = append(all, *s.ID)
	}
	if s.BodyHash != nil {
		all = append(all, s.BodyHash.From)
	}
	if s.Content != nil {
		for _, p := range s.Content.Parts {
			switch {
			case p.Selector != nil:
				all = append(all, *p.Selector)
			case p.Fields != nil && p.Fields.From == "json":
				all = append(all, fieldsOf(spec.SelectBody, p.Fields)...)
			case p.Fields != nil:
				all = append(all, fieldsOf(spec.SelectForm, p.Fields)...)
			}
		}
	}
	return slices.DeleteFunc(all, func(from spec.Selector) bool {
		return !slices.Contains([]spec.SelectorKind{spec.SelectBody, spec.SelectItem, spec.SelectForm, spec.SelectEnvelope}, from.Kind)
	})
}

func fieldsOf(kind spec.SelectorKind, f *spec.FieldList) []spec.Selector {
	var all []spec.Selector
	for _, name := range f.Names {
		if name != f.SecretAs {
			all = append(all, spec.Selector{Kind: kind, Name: name, Pointer: "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)})
		}
	}
	if f.Names == nil {
		all = append(all, spec.Selector{Kind: kind})
	}
	return all
}

// signed gives the sample what signing reads there: values that are signed, and
// a place for what it writes.
func (s *sampler) signed() {
	for _, m := range signers(s.endpoint.Signature) {
		if m != s.endpoint.Signature {
			s.conditions(plain(m.Require))
		}
		for _, k := range m.Secrets {
			if k.Fetch != nil && k.Fetch.From != nil {
				s.giveText(k.Fetch.From, published(k))
			}
		}
		apart := m.Items != "" && (s.envelope == nil || s.envelope.items != m.Items)
		if apart {
			s.items(m)
		}
		for _, from := range inBody(m) {
			if from.Name == "" && from.Pointer == "" || apart && from.Kind == spec.SelectItem {
				continue // every field; of an item
			}
			s.need(s.wide(from), "", "")
		}
	}
}

// items gives the body an element that is signed by itself, where it has none:
// of a body that is one event all the same.
func (s *sampler) items(m *spec.Scheme) {
	root := s.body
	if s.envelope != nil {
		root = s.envelope.body
	}
	before, _, _ := strings.Cut(m.Items, "/*")
	if list := root.at(before); list != nil && len(list.members) > 0 {
		return
	}
	element := &node{object: true}
	for _, from := range inBody(m) {
		if from.Kind == spec.SelectItem {
			_ = element.set(from.Pointer, textNode("sample"))
		}
	}
	*root = *(&envelope{body: root, items: m.Items}).with(element)
}

// wide is a selector of a scheme as the sample has it: in a batch and around a
// document it reads the whole body.
func (s *sampler) wide(from spec.Selector) *spec.Selector {
	switch {
	case from.Kind == spec.SelectBody && s.endpoint.Document != nil:
		from.Kind = spec.SelectEnvelope
	case from.Kind == spec.SelectBody && s.envelope != nil:
		from.Whole = true
	}
	return &from
}

// plain are conditions without those of configured values, which signing pins.
func plain(all []spec.Condition) []spec.Condition {
	return slices.DeleteFunc(slices.Clone(all), func(c spec.Condition) bool {
		return len(c.Values) > 0 && strings.HasPrefix(c.Values[0], "{param:")
	})
}

func (s *sampler) giveText(from *spec.Selector, text string) {
	if from.Kind == spec.SelectBody {
		text = quote(text)
	}
	s.give(s.wide(*from), text)
}

// signs reports whether the scheme demands a value that it signs: without it a
// delivery is refused before its key is looked for.
func (s *sampler) signs(from *spec.Selector) bool {
	root, pointer := s.place(from)
	same := func(o spec.Selector) bool {
		if root == nil {
			return o.Kind == from.Kind && strings.EqualFold(o.Name, from.Name)
		}
		own, at := s.place(s.wide(o))
		return own == root && at == pointer && o.Kind != spec.SelectItem // senders leave its place empty
	}
	for _, m := range signers(s.endpoint.Signature) {
		if slices.ContainsFunc(inBody(m), same) {
			return true
		}
		var other []spec.Selector
		if m.ID != nil {
			other = append(other, *m.ID)
		}
		if m.Timestamp != nil {
			other = append(other, m.Timestamp.From)
		}
		if m.Content != nil {
			for _, p := range m.Content.Parts {
				if p.Selector != nil {
					other = append(other, *p.Selector)
				}
			}
		}
		if root == nil && slices.ContainsFunc(other, same) {
			return true
		}
	}
	return false
}

// tells reports whether somebody else's deliveries can be told at all.
func tells(s *spec.Scheme) bool {
	one := func(m *spec.Scheme) bool {
		everywhere := slices.ContainsFunc(m.Networks, func(text string) bool {
			n, err := netip.ParsePrefix(text)
			return err == nil && n.Bits() == 0
		})
		return m.Type != "none" && !everywhere
	}
	if s != nil && len(s.Any) > 0 {
		return !slices.ContainsFunc(leaves(s), func(m *spec.Scheme) bool { return !one(m) })
	}
	return slices.ContainsFunc(leaves(s), one)
}

// published is an address for a key that is fetched: the contract's, or one on
// a host that it allows.
func published(k spec.Secret) string {
	if k.Fetch.From == nil {
		return k.Fetch.URL
	}
	return "https://" + strings.ReplaceAll(k.Fetch.Hosts[0], "*", "whgen") + "/acceptance"
}

// publishedKeys are those addresses by the names of the keys.
func publishedKeys(c *spec.Contract) [][2]string {
	var all [][2]string
	for _, e := range c.Endpoints {
		for _, k := range e.Signature.AllSecrets() {
			one := [2]string{k.Name}
			if k.Fetch == nil || slices.ContainsFunc(all, func(o [2]string) bool { return o[0] == k.Name }) {
				continue
			}
			one[1] = published(k)
			all = append(all, one)
		}
	}
	return all
}

// except remembers why the test leaves an endpoint out.
func (b *planner) except() {
	for i, e := range b.contract.Endpoints {
		if slices.ContainsFunc(b.plan.Accept, func(a *Acceptance) bool { return a.Endpoint == i }) || len(e.Events) == 0 {
			continue
		}
		where := "this receiver"
		if len(b.contract.Endpoints) > 1 {
			where = "endpoint " + e.Name
		}
		b.plan.Excepted = append(b.plan.Excepted, fmt.Sprintf("%s: %s", where, unsignable(e, e.Events[0])))
	}
}
