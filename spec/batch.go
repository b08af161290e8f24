package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// itemsOf reads event.items: a pointer with at least one "*" in it, which stands
// for every element of an array.
func (r *report) itemsOf(v *value) string {
	if v == nil || v.text == "" {
		return ""
	}
	tokens, ok := splitPointer(v.text)
	stars := 0
	for _, t := range tokens {
		if t == "*" {
			stars++
		}
	}
	if !ok || stars == 0 {
		r.err(v.at, "event-items", "write it as /events/*, or /* where the body is the array", "event.items %q is no pointer to the elements of an array", v.text)
		return ""
	}
	return v.text
}

// itemsAt reads event.items of a policy.
func (r *report) itemsAt(policy *value) string { return r.itemsOf(policy.get("event", "items")) }

// inElement is the pointer of the first element, for a schema.
func inElement(items string) []string {
	tokens, _ := splitPointer(items)
	for i, t := range tokens {
		if t == "*" {
			tokens[i] = "0"
		}
	}
	return tokens
}

// arrivingItems is event.items where an entry arrives, before the endpoints are read.
func (l *loader) arrivingItems(e *entry) string {
	text := textOf(l.root.get("event", "items"))
	names := e.policy.get("endpoint").each()
	for _, f := range l.root.get("endpoints").fieldsOf() {
		here := len(names) == 0
		for _, n := range names {
			here = here || n.text == f.name
		}
		if own := f.value.get("event", "items"); here && own != nil {
			return textOf(own)
		}
	}
	return text
}

// elementNode is the schema of a batch's elements, in the tree of the document.
func (t *tree) elementNode(schema *yaml.Node, items string) *yaml.Node {
	tokens, ok := splitPointer(items)
	if !ok {
		return nil
	}
	for _, token := range tokens {
		schema = t.deref(schema)
		if token == "*" {
			schema = lookup(schema, "items")
		} else {
			schema = t.property(schema, token)
		}
		if schema == nil {
			return nil
		}
	}
	return schema
}

// property looks a member up in a schema and the parts of its allOf.
func (t *tree) property(schema *yaml.Node, name string) *yaml.Node {
	if p := lookup(lookup(schema, "properties"), name); p != nil {
		return p
	}
	parts := lookup(schema, "allOf")
	if parts == nil {
		return nil
	}
	for _, part := range parts.Content {
		if p := t.property(t.deref(part), name); p != nil {
			return p
		}
	}
	return nil
}

// batch gives an event of a batch the schema of one element; what it names
// itself is one already.
func (l *loader) batch(p *eventPlan, e *Event, s *scope) {
	items := s.endpoint.Items
	if items == "" {
		return
	}
	if e.Body != JSONBody {
		l.later(s.policy.get("event", "items").at, "entry %q: event.items in a body of %s", p.entry.name, e.Media)
		return
	}
	e.Envelope = l.schemaOf(p.entry.name, p.entry.method)
	e.EnvelopeExample = l.tree.example(p.entry)
	e.Example = nil
	if e.Envelope == nil {
		return
	}
	at := reach(e.Envelope, inElement(items))
	if at.missing != "" {
		tokens, _ := splitPointer(items)
		l.err(s.policy.get("event", "items").at, "pointer", nearestPointer(tokens, at), "entry %q: event.items %q: the schema %s: %q", p.entry.name, items, orElse(at.reason, "has no such member"), at.missing)
		e.Schema = nil // what its members are is not known now
		return
	}
	if p.webhook == p.entry.name {
		e.Schema = at.schema
	}
}

// insideItems finds the pointer inside the element where one was written from
// the whole body.
func insideItems(pointer, items string) (string, bool) {
	tokens, ok := splitPointer(pointer)
	prefix, _ := splitPointer(items)
	if !ok || items == "" || len(tokens) <= len(prefix) {
		return "", false
	}
	for i, want := range prefix {
		_, index := arrayIndex(tokens[i])
		if tokens[i] != want && (want != "*" || !index) {
			return "", false
		}
	}
	return joinPointer(tokens[len(prefix):]), true
}

// batchAnswers: the answer of a batch is one for all of its elements.
func (l *loader) batchAnswers(s *scope) {
	if s.endpoint.Items == "" {
		return
	}
	for _, o := range []Outcome{Processed, InProgress, Failed} {
		r := s.endpoint.Outcomes[o]
		for _, t := range r.templates() {
			for _, part := range t.Parts {
				if sel := part.Selector; sel != nil && sel.Kind == SelectBody && !sel.Whole {
					l.err(sel.Pos, "batch-answer", "select from the whole body, as body:"+sel.Pointer+", or write fixed text",
						"outcome %q: the answer of a batch is one for all of its elements, so it cannot select %q of one", o, sel.Text())
				}
			}
		}
	}
	for _, e := range l.entries {
		if v := e.policy.get("outcomes"); v != nil && l.arrives(e, s) {
			l.warn(e.policy.keyPos("outcomes"), "batch-answer", "declare them at the root or the endpoint", "entry %q: its outcomes do not count for the answer of a batch, which is the endpoint's", e.name)
		}
	}
}

func (r *Response) templates() []*Template {
	var all []*Template
	if r.Body != nil {
		all = append(all, r.Body)
	}
	for i := range r.Headers {
		all = append(all, &r.Headers[i].Value)
	}
	return all
}

// bodyText is the text of a body selector: where a batch has elements, body:
// tells the whole body from one of them.
func bodyText(s Selector) string {
	if s.Whole {
		return "body:" + s.Pointer
	}
	return s.Pointer
}

func wholeBody(text string) bool { return strings.HasPrefix(text, "body:") }
