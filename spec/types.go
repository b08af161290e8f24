package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// types decides the values of the type on the wire: declared, or fixed by the
// schema, or (unconfirmed) the entry's name.
func (l *loader) types(p *eventPlan, e *Event, s *scope) {
	declared := p.policy.get("event", "is")
	switch {
	case len(s.endpoint.Type) == 0:
		if declared != nil {
			l.err(declared.at, "event-type", "declare event: {type: /type} at the root", "event %q names its type, but event.type does not say where the type is told", e.Name)
		}
		return
	case declared != nil:
		for _, v := range declared.each() {
			e.Types = append(e.Types, v.text)
			l.checkType(v, e, s)
		}
	case p.key != "":
		e.Types = []string{p.key}
		l.checkType(&value{at: p.at, form: textForm, text: p.key}, e, s)
	default:
		e.Types, e.Confirmed = l.defaultTypes(p, e, s)
	}
}

// defaultTypes are the values that the schema fixes at event.type.
func (l *loader) defaultTypes(p *eventPlan, e *Event, s *scope) ([]string, bool) {
	parts := make([]string, 0, len(s.endpoint.Type))
	for _, sel := range s.endpoint.Type {
		values := l.typeValues(sel, e)
		if len(values) != 1 {
			// Some documents write a webhook's name as a path. No type begins with a slash.
			kind := strings.TrimPrefix(p.entry.name, "/")
			l.unconfirmed(p, e, kind)
			return []string{kind}, false
		}
		parts = append(parts, values[0])
	}
	return []string{strings.Join(parts, ".")}, true
}

func (l *loader) unconfirmed(p *eventPlan, e *Event, kind string) {
	l.warn(p.at, "type-unconfirmed", `write event: "the.type.on.the.wire"`, "event %q: the schema does not fix the type; taking the entry's name %q, which may not be what the sender sends", e.Name, kind)
}

func (l *loader) typeValues(sel Selector, e *Event) []string {
	pointer := sel.Pointer
	if sel.Kind == SelectForm {
		pointer = e.FormPointer(sel.Name)
	}
	if sel.Kind != SelectBody && sel.Kind != SelectForm || e.Schema == nil {
		return nil
	}
	tokens, ok := splitPointer(pointer)
	if !ok {
		return nil
	}
	return fixedValues(reach(e.Schema, tokens).schema)
}

// checkType refuses a value that the schema excludes and a pattern that is none.
func (l *loader) checkType(v *value, e *Event, s *scope) {
	if i := strings.IndexByte(v.text, '*'); v.text == "" || i >= 0 && (i != len(v.text)-1 || !strings.HasSuffix(v.text, ".*") || len(v.text) < 3) {
		l.err(v.at, "event-type", "", "event %q: %q is no type; a pattern is of the form order.*", e.Name, v.text)
		return
	}
	if len(s.endpoint.Type) != 1 {
		return
	}
	values := l.typeValues(s.endpoint.Type[0], e)
	if len(values) == 0 {
		return
	}
	for _, known := range values {
		if matchesType(v.text, known) {
			return
		}
	}
	l.err(v.at, "event-type", orElse(didYouMean(v.text, values), hintValues(values)), "event %q: the schema of %q excludes the type %q", e.Name, s.endpoint.Type[0].Text(), v.text)
}

func hintValues(values []string) string {
	if len(values) > 8 {
		return ""
	}
	return "it allows " + quoted(values)
}

func matchesType(pattern, text string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(text, prefix)
	}
	return pattern == text
}

// refuseTypes demands event.type where several events arrive, and one event
// per type value.
func (l *loader) refuseTypes(s *scope) {
	events := s.endpoint.Events
	if len(s.endpoint.Type) == 0 && len(events) > 1 && s.policy.get("event", "type") == nil {
		l.err(s.at, "event-type", "write event: {type: /type} with the place where the sender tells the type", "%d events arrive%s, but event.type does not say where the type is told", len(events), s.where())
		return
	}
	taken := map[string]*Event{}
	for _, e := range events {
		for _, t := range e.Types {
			if first, ok := taken[t]; ok && first != e {
				l.err(e.Pos, "type-repeated", "write event: on one of them", "events %q and %q have one type, %q%s", first.Name, e.Name, t, s.where())
				continue
			}
			taken[t] = e
		}
	}
}

func (s *scope) where() string {
	if !s.named {
		return ""
	}
	return " at endpoint \"" + s.endpoint.Name + "\""
}

// discriminated is the schema that the entry's discriminator gives to an
// event's type; nil without.
func (l *loader) discriminated(p *eventPlan) *yaml.Node {
	if p.key == "" {
		return nil
	}
	schema := l.carrying(p.entry)
	if schema == nil {
		return nil
	}
	member := ""
	if where := l.root.get("event", "type"); where.is(textForm) && strings.Count(where.text, "/") == 1 {
		member = unescapeToken(strings.TrimPrefix(where.text, "/"))
	}
	n := l.tree.variant(schema, p.key, member)
	if is := p.policy.get("event", "is"); n == nil && is.is(textForm) {
		n = l.tree.variant(schema, is.text, member)
	}
	if n == nil || l.tree.deref(n) == nil {
		return nil
	}
	return n
}

// carrying is the schema of an entry's events: the body's, or that of the
// elements of a batch. nil without.
func (l *loader) carrying(e *entry) *yaml.Node {
	b := e.body
	if b == nil || b.schema == nil {
		return nil
	}
	schema := b.schema
	if items := l.arrivingItems(e); items != "" {
		schema = l.tree.elementNode(schema, items)
	}
	return l.tree.deref(schema)
}
