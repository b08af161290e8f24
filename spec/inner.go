package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// documentPlace reads `document`: form:payload, body:/Message, or a map with
// its encoding.
func (r *report) documentPlace(v *value) *DocumentPlace {
	if v == nil || !v.is(textForm|mapForm) {
		return nil
	}
	s := r.selector(v, place{"document", prefixes})
	switch {
	case s == nil:
		return nil
	case s.Kind != SelectForm && s.Kind != SelectBody:
		r.err(s.Pos, "document-place", "write form:payload or body:/Message", "document: %q: a document stands in a field of a form or in a member of the body", s.Text())
		return nil
	}
	d := &DocumentPlace{Pos: v.at, From: *s}
	d.Base64 = r.word(v.get("encoding"), "document.encoding", []string{"none", "base64"}, nil) == "base64"
	if s.Kind == SelectBody && s.Pointer == "" {
		r.err(s.Pos, "document-place", "leave document out", "document: the body itself is the document already")
		return nil
	}
	return d
}

// documentOf is the place of an entry's document: its endpoint's, else the
// root's. What is wrong with it the endpoint reports.
func (l *loader) documentOf(e *entry) *DocumentPlace {
	v := l.root.get("document")
	for _, n := range e.policy.get("endpoint").each() {
		if f := l.root.get("endpoints", n.text).field("document"); f != nil {
			v = f.value
		}
	}
	return (&report{}).documentPlace(v)
}

// innerBody makes a body the one of the document inside of it. The schema is
// the document's, unless it lists the member that holds the document: then it
// describes what is around, and contentSchema, if anything, the document.
func (l *loader) innerBody(e *entry, all []*body, d *DocumentPlace) {
	b := *e.body
	e.body = &b
	switch {
	case d.From.Kind == SelectBody:
		b.asJSON = b.asJSON || b.kind != JSONBody
		b.kind = JSONBody
	case b.kind == FormBody || b.kind == MultipartBody:
		l.alsoJSON(&b, all)
	default: // the document is declared as it stands in the field
		if b.kind == JSONBody && !b.asJSON {
			b.also = append(b.also, b.media)
		}
		b.media, b.kind, b.asJSON = formMedia, FormBody, false
	}
	tokens := []string{d.From.Name}
	if d.From.Kind == SelectBody {
		tokens, _ = splitPointer(d.From.Pointer)
	}
	if member, found := l.tree.memberSchema(b.schema, tokens); found {
		b.schema, b.node = lookup(member, "contentSchema"), nil
	}
	if b.kind == FormBody || b.kind == MultipartBody {
		b.kind = JSONBody
	}
}

// alsoJSON: an entry that declares JSON beside the form takes both, and JSON's
// schema is the document's.
func (l *loader) alsoJSON(b *body, all []*body) {
	json := choose(all, nil)
	if json.kind == JSONBody && !json.asJSON {
		b.also, b.schema, b.node = append(b.also, json.media), json.schema, json.node
	}
}

// memberSchema follows names through properties that a schema lists itself.
func (t *tree) memberSchema(schema *yaml.Node, tokens []string) (*yaml.Node, bool) {
	n := t.deref(schema)
	for _, token := range tokens {
		if n = t.deref(lookup(lookup(n, "properties"), token)); n == nil {
			return nil, false
		}
	}
	return n, len(tokens) > 0
}

// redact reads what no stored payload shows, after the schema.
func (w *work) redact() {
	for i := range w.event.Redact {
		s := &w.event.Redact[i]
		if s.Optional = true; !strings.Contains(s.Pointer, "/*") {
			w.hold(s, "delivery.payload.redact", true)
		}
	}
}
