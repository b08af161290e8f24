package spec

import (
	"slices"
	"strings"
)

// maxNesting is how many brackets of a field's name are taken apart; the
// runtime stops at the same number.
const maxNesting = 32

// splitField takes the name of a form field apart as PHP does: data[FIELDS][ID]
// is data, FIELDS and ID. One that is not written so is one token.
func splitField(name string) []string {
	open := strings.IndexByte(name, '[')
	if open <= 0 || !strings.HasSuffix(name, "]") {
		return []string{name}
	}
	tokens := []string{name[:open]}
	for _, part := range strings.Split(name[open+1:len(name)-1], "][") {
		if strings.ContainsAny(part, "[]") || len(tokens) > maxNesting {
			return []string{name}
		}
		tokens = append(tokens, part)
	}
	return tokens
}

// FormPointer is the place of a form field, by its decoded name, in the nested
// view that pointers read: a property of the whole name where the schema lists
// one, else one level a bracket; an empty bracket is the first element.
func (e *Event) FormPointer(name string) string {
	if lists(e.Schema, name, 0) {
		return joinPointer([]string{name})
	}
	tokens := splitField(name)
	for i := 1; i < len(tokens); i++ {
		if tokens[i] == "" {
			tokens[i] = "0"
		}
	}
	return joinPointer(tokens)
}

// lists reports whether a schema names a property itself.
func lists(ref *schemaRef, name string, depth int) bool {
	if ref == nil || ref.Value == nil || depth > 8 {
		return false
	}
	s := ref.Value
	if s.Properties[name] != nil {
		return true
	}
	for _, parts := range [][]*schemaRef{s.AllOf, s.OneOf, s.AnyOf} {
		if slices.ContainsFunc(parts, func(p *schemaRef) bool { return lists(p, name, depth+1) }) {
			return true
		}
	}
	return false
}

// textual reports whether the body's values are texts: its pointers read the
// nested view of a form.
func (e *Event) textual() bool { return e.Body == FormBody || e.Body == MultipartBody }

// holdBody refuses selectors that the event's body cannot answer. False: there
// is nothing to hold against a schema.
func (w *work) holdBody(s *Selector, what string) bool {
	document := w.endpoint.Document
	form := w.event.Body == FormBody || w.event.Body == MultipartBody || document != nil && document.From.Kind == SelectForm
	switch {
	case s.inBody() && w.event.Body == RawBody:
		w.err(s.Pos, "selector", "select from header: or query:", "event %q: %s %q: a body of this media type is not read", w.label, what, s.Text())
		return false
	case s.Kind == SelectForm && !form:
		w.err(s.Pos, "selector", "write a pointer such as /"+splitField(s.Name)[0], "event %q: %s %q: the body is no form", w.label, what, s.Text())
	case s.Kind == SelectEnvelope && (document == nil || document.From.Kind != SelectBody):
		w.err(s.Pos, "selector", "declare document: body:/Message, or write "+s.Pointer, "event %q: %s %q: there is nothing around the document", w.label, what, s.Text())
	case s.Kind == SelectForm:
		return document == nil
	}
	return s.Kind == SelectBody
}

// spelled turns a proposed pointer into the name of a field, for form selectors.
func (s *Selector) spelled(hint string) string {
	pointer, found := strings.CutPrefix(hint, `did you mean "`)
	tokens, ok := splitPointer(strings.TrimSuffix(pointer, `"?`))
	if s.Kind != SelectForm || !found || !ok {
		return hint
	}
	name := tokens[0]
	for _, token := range tokens[1:] {
		name += "[" + token + "]"
	}
	return `did you mean "form:` + name + `"?`
}

// yamlText is the selector as it stands inside of {from: ...}.
func (s Selector) yamlText() string {
	if strings.ContainsAny(s.Text(), "[]{},") {
		return `"` + s.Text() + `"`
	}
	return s.Text()
}
