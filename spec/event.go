package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// work is one event while it is being read: its merged policy and what its
// endpoint says.
type work struct {
	*report
	event    *Event
	label    string // how messages name it: the type on the wire, else its name
	policy   *value
	at       Pos // of the x-whgen it comes from
	endpoint *Endpoint
	scopes   []*scope // every endpoint where it arrives; endpoint is the first one's
	sender   *sender
	set      *outcomeSet
	volatile []Selector
	statuses []string // that the document declares
	contract *Contract
	badKeys  map[string]bool // downstreams whose key has a finding
	counters map[Pos]bool    // sender.volatile: some event has the member
	sure     []Condition     // of the effect being read: what they select is there
}

// read fills the event from its policy.
func (w *work) read() {
	p := w.policy
	w.event.When = append(w.event.When, w.conditions(p.get("when"), "when", inDelivery)...)
	for i := range w.event.When {
		w.hold(&w.event.When[i].From, "when", !p.get("when").preset)
	}
	w.volatile = w.selectors(p.get("sender", "volatile"), place{"sender.volatile", []SelectorKind{SelectBody, SelectHeader, SelectQuery, SelectForm}})
	w.typePlace()
	w.volatileMembers()
	w.key()
	w.fingerprint()
	w.answers()
	w.delivery(p.get("delivery"), w.event, w.sender)
	w.redact()
	w.effects(p.get("effects"))
	w.handler(p.get("handler"))
}

// typePlace holds the place of the type against the schema. Only the first
// part of a list must be there.
func (w *work) typePlace() {
	if len(w.endpoint.Type) > 0 {
		s := w.endpoint.Type[0]
		w.hold(&s, "event type", !w.policy.get("event", "type").preset)
	}
}

// volatileMembers notes which members of sender.volatile some event has.
func (w *work) volatileMembers() {
	for _, s := range w.volatile {
		if s.Kind != SelectBody || s.Undeclared || w.policy.get("sender", "volatile").preset {
			continue
		}
		tokens, _ := splitPointer(s.Pointer)
		known := w.event.Schema == nil || strings.Contains(s.Pointer, "/*") || reach(w.event.Schema, tokens).missing == ""
		w.counters[s.Pos] = w.counters[s.Pos] || known
	}
}

// key reads event.key or event.derived and refuses what cannot identify.
func (w *work) key() {
	v, derived := w.policy.get("event", "key"), w.policy.get("event", "derived")
	switch {
	case v != nil && derived != nil && !v.preset:
		w.err(derived.at, "event-key", "keep one of them; key: null takes back one from above", "event %q: event.key and event.derived exclude each other", w.label)
		return
	case derived != nil:
		w.derived(derived)
		return
	case v == nil && w.policy.get("event", "notifies") != nil:
		return
	case v == nil:
		w.err(w.at, "event-key", "write event: {key: /id} with the place of the sender's event id, or event: {derived: {exclude: [...]}} for a sender without one"+presetNote(w.contract.Preset),
			"event %q: nothing identifies an event of operation %q: neither event.key nor event.derived is declared", w.label, w.event.Entry)
		return
	}
	w.event.Key = w.selectors(v, place{"event.key", inDelivery})
	constant := len(w.event.Key) > 0
	for i := range w.event.Key {
		s := &w.event.Key[i]
		w.hold(s, "event key", !v.preset)
		w.keyPart(s, !v.preset)
		constant = constant && (s.Kind == SelectConst || s.Kind == SelectParam)
	}
	if constant {
		w.err(v.at, "event-key", "", "event %q: the event key is the same for every event", w.label)
	}
	w.replay(v.at)
}

func (w *work) derived(v *value) {
	m := w.members(v, "event.derived")
	if m.Raw() {
		w.err(v.at, "event-key", "write of or exclude with pointers", "event %q: event.derived names no members", w.label)
		return
	}
	w.event.Derived = &m
	w.exclusive(v, "event.derived")
	w.holdMembers(&m, "event.derived")
	if f := w.policy.get("fingerprint"); f != nil {
		w.err(f.at, "fingerprint", "leave fingerprint out", "event %q: with event.derived the fingerprint is over the same members", w.label)
	}
	w.replay(v.at)
}

func (w *work) exclusive(v *value, name string) {
	if v.get("of") != nil && v.get("exclude") != nil {
		w.err(v.keyPos("exclude"), "fingerprint", "keep one of them", "%s: of and exclude exclude each other", name)
	}
}

func (w *work) holdMembers(m *Members, what string) {
	for _, all := range [][]Selector{m.Of, m.Exclude} {
		for i := range all {
			if !strings.Contains(all[i].Pointer, "/*") {
				w.hold(&all[i], what, true)
			}
		}
	}
}

// keyPart refuses values that cannot be a part of a key, and those that are
// new in each attempt.
func (w *work) keyPart(s *Selector, held bool) {
	if s.Schema != nil && held {
		w.keyType(s)
	}
	if why := w.perAttempt(*s); why != "" {
		w.err(s.Pos, "key-per-attempt", "use what the sender repeats in every attempt of one event",
			"event %q: event key %q %s; every retry would be a new event", w.label, s.Text(), why)
	}
}

func (w *work) keyType(s *Selector) {
	types := scalarTypes(s.Schema)
	for _, t := range types {
		switch t {
		case "object":
			hint := "point at a scalar"
			if scalar := firstScalar(s.Schema, s.Pointer); scalar != "" {
				hint = fmt.Sprintf("point at a scalar such as %q", scalar)
			}
			w.err(s.Pos, "event-key-scalar", hint, "event %q: event key %q is an object; want a string or integer", w.label, s.Text())
			return
		case "array":
			w.err(s.Pos, "event-key-scalar", "point at one element or another member", "event %q: event key %q is an array; want a string or integer", w.label, s.Text())
			return
		case "number":
			if s.Kind != SelectForm && !w.event.textual() && !contains(types, "integer") && !contains(types, "string") {
				w.err(s.Pos, "event-key-scalar", "", "event %q: event key %q is a number; want a string or integer: 1.0 and 1 would be two keys", w.label, s.Text())
			}
			return
		}
	}
}

// fingerprint reads what tells a repeat from a conflict, less what the sender
// changes in each attempt.
func (w *work) fingerprint() {
	if w.event.Derived != nil {
		w.event.Fingerprint = *w.event.Derived
		return
	}
	v := w.policy.get("fingerprint")
	m := Members{}
	switch {
	case v.is(mapForm):
		m = w.members(v, "fingerprint")
		w.exclusive(v, "fingerprint")
		w.holdMembers(&m, "fingerprint")
		if m.Raw() {
			w.err(v.at, "fingerprint", "write of or exclude with pointers", "fingerprint names no members")
		}
	case v != nil && v.text != "body":
		w.err(v.at, "fingerprint", "", "fingerprint: want body, {exclude: [...]} or {of: [...]}, got %q", v.text)
	}
	m = w.lessVolatile(m)
	w.event.Fingerprint = m
	w.usualVolatile(m)
}

func (w *work) lessVolatile(m Members) Members {
	var kept []Selector
	for _, s := range m.Of {
		if !w.isVolatile(s) {
			kept = append(kept, s)
		}
	}
	if len(m.Of) > 0 {
		m.Of = kept
		return m
	}
	for _, s := range w.volatile {
		if (s.Kind == SelectBody && !s.Whole || s.Kind == SelectForm) && !hasSelector(m.Exclude, s) {
			m.Exclude = append(m.Exclude, s)
		}
	}
	return m
}

func hasSelector(all []Selector, one Selector) bool {
	for _, s := range all {
		if sameSelector(s, one) {
			return true
		}
	}
	return false
}

func (w *work) isVolatile(s Selector) bool { return hasSelector(w.volatile, s) }

// usualVolatile warns where the schema has a member whose name says that it
// changes in each attempt, and the fingerprint counts it.
func (w *work) usualVolatile(m Members) {
	if w.event.Schema == nil || w.event.Schema.Value == nil || len(m.Of) > 0 {
		return
	}
	for _, name := range propertyNames(w.event.Schema.Value) {
		s := Selector{Kind: SelectBody, Pointer: "/" + escapeToken(name)}
		if attemptMembers[strings.ToLower(name)] && !w.excludes(m, s) {
			w.warn(w.at, "fingerprint-volatile", fmt.Sprintf("write sender: {volatile: [%s]} if it does", s.Pointer),
				"event %q: member %q looks as if it changed in each attempt; then every retry would be a conflict", w.label, s.Pointer)
		}
	}
}

// excludes: a member of a form can be named as its field too.
func (w *work) excludes(m Members, s Selector) bool {
	return slices.ContainsFunc(m.Exclude, func(e Selector) bool {
		return sameSelector(e, s) || e.Kind == SelectForm && w.event.FormPointer(e.Name) == s.Pointer
	})
}

// hold holds a selector against the schema and notes what it reaches.
func (w *work) hold(s *Selector, what string, held bool) {
	if s != nil && s.Kind == SelectSigned {
		w.holdSigned(s, what)
	}
	if s != nil {
		w.holdConfigured(s, what)
	}
	if s == nil || !w.holdBody(s, what) {
		return
	}
	schema, pointer := w.event.Schema, s.Pointer
	switch {
	case s.Whole:
		schema = w.event.Envelope
	case s.Kind == SelectForm:
		pointer = w.event.FormPointer(s.Name)
	}
	if schema == nil {
		return
	}
	tokens, _ := splitPointer(pointer)
	at := reach(schema, tokens)
	if at.missing != "" {
		if held && !s.Undeclared {
			w.err(s.Pos, "pointer", s.spelled(nearestPointer(tokens, at)), "event %q: %s %q: the schema %s: %q", w.label, what, s.Text(), orElse(at.reason, "has no such member"), at.missing)
		}
		return
	}
	s.Schema, s.Required = at.schema, at.required && !nullable(at.schema)
	if held && w.mayLack(s, what) {
		w.info(s.Pos, "pointer-optional", "write {from: "+s.yamlText()+", optional: true} if the event can do without it",
			"event %q: %s %q may be missing by the schema; a delivery without it is malformed", w.label, what, s.Text())
	}
}

// holdConfigured demands that what path: and param: name is there.
func (w *work) holdConfigured(s *Selector, what string) {
	switch what = fmt.Sprintf("event %q: %s", w.label, what); s.Kind {
	case SelectPath:
		for _, at := range w.scopes {
			w.holdPath(s, at.endpoint.Path, what)
		}
	case SelectParam:
		w.holdParam(s, w.contract, what)
	}
}

// holdSigned demands that the scheme signs what signed: names.
func (w *work) holdSigned(s *Selector, what string) {
	scheme := w.endpoint.Signature
	if s.Name != "id" || scheme != nil && !scheme.signsID() {
		w.err(s.Pos, "selector", "signed:id wants signature.id, and {id} in signature.content", "event %q: %s %q: the signature signs no such thing", w.label, what, s.Text())
	}
}

// mayLack reports whether a required value may be missing by the schema, and
// no condition has made sure of it.
func (w *work) mayLack(s *Selector, what string) bool {
	if s.Required || s.Optional || s.Default != nil || s.Schema == nil || contains([]string{"when", "event.derived", "fingerprint", "event type"}, what) {
		return false
	}
	for _, c := range append(append([]Condition{}, w.event.When...), w.sure...) {
		if sameSelector(c.From, *s) && (c.Op != "present" || c.Present) {
			return false
		}
	}
	return true
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func nullable(ref *openapi3.SchemaRef) bool {
	return ref != nil && ref.Value != nil && (ref.Value.Nullable || ref.Value.Type != nil && ref.Value.Type.Includes("null") && len(ref.Value.Type.Slice()) > 1)
}

// handler: a Go handler is called where one is asked for, where no effect is
// declared, and where an effect waits for the handler's word.
func (w *work) handler(v *value) {
	e := w.event
	e.Handler = isTrue(v) || len(e.Effects) == 0
	for _, f := range e.Effects {
		if f.Enqueue != "handler" {
			continue
		}
		if v != nil && !isTrue(v) {
			w.err(v.at, "handler", "write handler: true", "event %q: effect %q waits for the handler, but handler is false", w.label, f.Name)
			return
		}
		e.Handler = true
	}
	if v != nil && !isTrue(v) && len(e.Effects) == 0 {
		w.err(v.at, "handler", "declare effects, or leave handler out", "event %q: it has neither a handler nor effects", w.label)
	}
}
