package generator

import (
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// sampler turns a sample body into the request of one numbered event.
type sampler struct {
	event    *Event
	endpoint *spec.Endpoint
	body     *node
	envelope *envelope // of a batch
	outer    *node     // what stands around a document
	headers  [][2]string
	query    string
}

// sampled is the sample of one numbered event for which all conditions hold.
func sampled(event *Event, e *spec.Endpoint, conditions ...[]spec.Condition) *sampler {
	s := &sampler{event: event, endpoint: e, body: nestNames(event.Spec, sampleBody(event.Spec)), envelope: envelopeOf(e, event.Spec), outer: &node{object: true}}
	for _, all := range conditions {
		s.conditions(all)
	}
	s.needs()
	s.signed()
	s.typeOf()
	s.unique()
	s.key()
	return s
}

// conditions makes conditions true that must hold for the event to count.
func (s *sampler) conditions(all []spec.Condition) {
	for _, c := range all {
		switch {
		case c.Op == "present" && !c.Present:
			if root, pointer := s.place(&c.From); root != nil {
				root.remove(pointer)
			}
		case c.Op == "present":
			s.need(&c.From, "", "")
		case len(c.Values) > 0:
			s.give(&c.From, c.Values[0])
		}
	}
}

// needs adds what effects select and the sample lacks.
func (s *sampler) needs() {
	for _, e := range s.event.Spec.Effects {
		for _, c := range e.Columns {
			s.template(c.From, c.Type, c.Format, c.Nullable)
		}
		s.template(e.Path, "", "", false)
		if e.Enqueue == "" && e.Payload != nil {
			s.payload(e.Payload)
		}
	}
}

func (s *sampler) template(t *spec.Template, columnType, format string, nullable bool) {
	if t == nil {
		return
	}
	for _, p := range t.Parts {
		if p.Selector != nil && !p.Selector.Optional && p.Selector.Default == nil && !nullable {
			s.need(p.Selector, columnType, format)
		}
	}
}

func (s *sampler) payload(p *spec.Payload) {
	for _, m := range p.Members {
		s.payload(m.Value)
	}
	for _, i := range p.Items {
		s.payload(i)
	}
	s.template(p.Template, "", "", false)
	if p.Selector != nil && !p.Selector.Optional && p.Selector.Default == nil {
		s.need(p.Selector, "", "")
	}
}

// need gives a selector a value where it has none. One that was made of the
// schema gives way to one that the column can take; an example of the document is
// left alone: should it not fit, the test is to say so.
func (s *sampler) need(from *spec.Selector, columnType, format string) {
	if root, pointer := s.place(from); root != nil {
		n := root.at(pointer)
		made := len(s.event.Spec.Example) == 0 && columnType != "" && columnType != "text" && columnType != "json" && columnType != "bytes"
		if n == nil || n.text == "null" || made {
			_ = root.set(pointer, sampleFor(from, columnType, format))
		}
		return
	}
	switch from.Kind {
	case spec.SelectHeader:
		s.header(from.Name, "sample", false)
	case spec.SelectQuery:
		s.queryValue(from.Name, "sample")
	}
}

// give sets a value: JSON text in the body, plain text elsewhere.
func (s *sampler) give(from *spec.Selector, value string) {
	if root, pointer := s.place(from); root != nil {
		n, err := parseNode([]byte(value))
		if from.Kind == spec.SelectForm || err != nil {
			n = textNode(value)
		}
		_ = root.set(pointer, n)
		return
	}
	switch from.Kind {
	case spec.SelectHeader:
		s.header(from.Name, value, true)
	case spec.SelectQuery:
		s.queryValue(from.Name, value)
	}
}

func (s *sampler) header(name, value string, replace bool) {
	for i, h := range s.headers {
		if strings.EqualFold(h[0], name) {
			if replace {
				s.headers[i][1] = value
			}
			return
		}
	}
	s.headers = append(s.headers, [2]string{name, value})
}

func (s *sampler) queryValue(name, value string) {
	sep := "?"
	if s.query != "" {
		sep = "&"
	}
	if !strings.Contains(s.query, name+"=") {
		s.query += sep + name + "=" + value
	}
}

// typeOf writes the event's type where the contract reads it.
func (s *sampler) typeOf() {
	if len(s.event.Spec.Types) == 0 || len(s.endpoint.Type) == 0 {
		return
	}
	word := strings.Replace(s.event.Spec.Types[0], "*", "sample", 1)
	parts := []string{word}
	if n := len(s.endpoint.Type); n > 1 {
		parts = strings.SplitN(word, ".", n)
	}
	for i, p := range parts {
		from := s.endpoint.Type[i]
		if from.Kind == spec.SelectBody || from.Kind == spec.SelectItem {
			p = quote(p)
		}
		s.give(&from, p)
	}
	for _, from := range s.endpoint.Type[len(parts):] { // a last part that is there would count
		if from.Kind == spec.SelectBody || from.Kind == spec.SelectItem {
			s.of(&from).remove(from.Pointer)
		}
	}
}

// unique numbers the values of declared unique constraints.
func (s *sampler) unique() {
	for _, r := range s.event.Records {
		if r.Unique == nil {
			continue
		}
		for _, c := range r.Columns {
			if !slices.Contains(r.Spec.Unique, c.Spec.Name) {
				continue
			}
			for _, p := range c.Spec.From.Parts {
				if p.Selector != nil {
					s.numbered(p.Selector)
				}
			}
		}
	}
}

// key numbers the event key: of a composite one the parts that may have any
// value, not the event's type and what else is given.
func (s *sampler) key() {
	free := func(k spec.Selector) bool { return !s.given(&k) }
	all := !slices.ContainsFunc(s.event.Spec.Key, free)
	for i, k := range s.event.Spec.Key {
		if all || free(k) {
			s.numbered(&s.event.Spec.Key[i])
		}
	}
	d := s.event.Spec.Derived
	switch {
	case d == nil && s.event.Spec.Replay == "refuse": // two events never have one body
		_ = s.body.set("/whgen_n", textNode(number))
	case d == nil:
	case len(d.Of) > 0:
		at := slices.IndexFunc(d.Of, func(from spec.Selector) bool { return !s.given(&from) })
		s.numbered(&d.Of[max(at, 0)])
	default:
		_ = s.body.set("/whgen_n", textNode(number))
	}
}

// given reports whether a delivery of the event has one of certain values there:
// by the event's type, by a condition, by the schema.
func (s *sampler) given(part *spec.Selector) bool {
	same := func(from spec.Selector) bool {
		root, pointer := s.place(&from)
		own, at := s.place(part)
		return root == own && pointer == at && (root != nil || from.Kind == part.Kind && strings.EqualFold(from.Name, part.Name))
	}
	if slices.ContainsFunc(s.endpoint.Type, same) || slices.ContainsFunc(whenSelectors(s.event.Spec), same) {
		return true
	}
	schema := look(part.Schema).schema
	return schema != nil && (schema.Const != nil || len(schema.Enum) > 0 || slices.Equal(jsonTypes(schema), []string{"boolean"}))
}

func whenSelectors(e *spec.Event) []spec.Selector {
	all := make([]spec.Selector, len(e.When))
	for i, c := range e.When {
		all[i] = c.From
	}
	return all
}

// numbered makes a value differ from event to event.
func (s *sampler) numbered(from *spec.Selector) {
	if root, pointer := s.place(from); root != nil {
		n := root.at(pointer)
		if n == nil || n.object || n.array || n.text == "null" {
			n = sampleFor(from, "", "")
		}
		if !strings.Contains(n.text, number) {
			_ = root.set(pointer, scalarNode(numberedText(n, from)))
		}
		return
	}
	switch from.Kind {
	case spec.SelectHeader:
		s.header(from.Name, "event-"+number, true)
	case spec.SelectQuery:
		s.queryValue(from.Name, "event-"+number)
	case spec.SelectSigned:
		if sig := s.endpoint.Signature; sig != nil && sig.ID != nil {
			s.numbered(sig.ID)
		}
	}
}

func numberedText(n *node, from *spec.Selector) string {
	if !strings.HasPrefix(n.text, `"`) {
		return strings.TrimLeft(n.text, "-") + number
	}
	if s := look(from.Schema).schema; s != nil && s.Format == "date-time" {
		return `"2026-01-02T03:04:05.` + number + `1Z"` // the 1 keeps .1 and .10 apart
	}
	return quote(n.plain() + "-" + number)
}

// changed is other content under the same key; nil where there can be none.
func (s *sampler) changed() *node {
	if s.event.Spec.Derived != nil {
		return nil
	}
	other := s.body.clone()
	if of := s.event.Spec.Fingerprint.Of; len(of) > 0 {
		for i := range of {
			if root, pointer := s.place(&of[i]); root == s.body && !s.fixed(pointer) {
				_ = other.set(pointer, textNode("changed"))
				return other
			}
		}
		return nil
	}
	_ = other.set("/whgen_changed", scalarNode("true"))
	return other
}

// fixed reports whether a value of the body is needed as it is.
func (s *sampler) fixed(pointer string) bool {
	same := func(from spec.Selector) bool {
		root, own := s.place(&from)
		return root == s.body && own == pointer
	}
	for _, all := range [][]spec.Selector{s.event.Spec.Key, s.endpoint.Type, whenSelectors(s.event.Spec)} {
		if slices.ContainsFunc(all, same) {
			return true
		}
	}
	for _, r := range s.event.Records {
		for _, c := range r.Columns {
			for _, p := range c.Spec.From.Parts {
				if p.Selector != nil && same(*p.Selector) && c.Spec.Type != "text" {
					return true
				}
			}
		}
	}
	return false
}

// noKey is the body without the key, or the header to leave out.
func (s *sampler) noKey() (body, header string) {
	for _, k := range s.event.Spec.Key {
		if k.Kind == spec.SelectSigned && s.endpoint.Signature != nil && s.endpoint.Signature.ID != nil {
			k = *s.endpoint.Signature.ID
		}
		if k.Optional || k.Default != nil {
			continue
		}
		if s.signs(&k) {
			continue
		}
		if root, _ := s.place(&k); root != nil && root != s.outer {
			return s.without(&k), ""
		}
		if k.Kind == spec.SelectHeader {
			return "", k.Name
		}
	}
	return "", ""
}

// without is the request's body without a value.
func (s *sampler) without(from *spec.Selector) string {
	other := s.body.clone()
	if from.Whole && s.envelope != nil {
		outer := envelope{body: s.envelope.body.clone(), items: s.envelope.items}
		outer.body.remove(from.Pointer)
		return outer.with(other).String()
	}
	_, pointer := s.place(from)
	other.remove(pointer)
	return s.text(other)
}

// holds evaluates an effect's conditions on the sample.
func (s *sampler) holds(all []spec.Condition) bool {
	for _, c := range all {
		value, there := s.valueOf(&c.From)
		switch c.Op {
		case "present":
			if there != c.Present {
				return false
			}
		default:
			if !there || !slices.Contains(c.Values, value) {
				return false
			}
		}
	}
	return true
}

func (s *sampler) valueOf(from *spec.Selector) (string, bool) {
	if root, pointer := s.place(from); root != nil {
		n := root.at(pointer)
		switch {
		case n == nil || n.text == "null":
			return "", false
		case from.Kind == spec.SelectForm:
			return n.plain(), true
		}
		return n.String(), true
	}
	if from.Kind == spec.SelectHeader {
		for _, h := range s.headers {
			if strings.EqualFold(h[0], from.Name) {
				return h[1], true
			}
		}
	}
	return "", false
}
