package spec

import "sort"

// payload reads a tree of maps, lists, selectors, templates and constants.
func (w *work) payload(v *value, what string) *Payload {
	p := &Payload{Pos: v.at}
	switch {
	case v.is(mapForm) && isSelectorMap(v):
		p.Selector = w.selector(v, place{what + ", payload", inDelivery})
		w.hold(p.Selector, what, true)
	case v.is(mapForm):
		p.IsObject = true
		for _, f := range v.fields {
			p.Members = append(p.Members, PayloadMember{Name: f.name, Value: w.payload(f.value, what)})
		}
	case v.is(listForm):
		p.IsArray = true
		for _, item := range v.items {
			p.Items = append(p.Items, w.payload(item, what))
		}
	case v.is(textForm):
		w.payloadText(v, p, what)
	default:
		p.Literal = v.jsonText()
	}
	return p
}

// isSelectorMap: a map in a payload is data, unless it has `from` and one of
// the options of a selector.
func isSelectorMap(v *value) bool {
	return v.get("from") != nil && (v.get("optional") != nil || v.get("default") != nil || v.get("undeclared") != nil)
}

func (w *work) payloadText(v *value, p *Payload, what string) {
	t := w.selectorOrTemplate(v, place{what + ", payload", inDelivery})
	if t == nil {
		p.Literal = quoteJSON(v.text)
		return
	}
	if s := t.only(); s != nil && (s.Text() == v.text || "body:"+s.Pointer == v.text) {
		p.Selector = s
		if s.Kind == SelectConst {
			p.Selector, p.Literal = nil, quoteJSON(s.Name)
			return
		}
		w.hold(s, what, true)
		return
	}
	if text, ok := t.Literal(); ok {
		p.Literal = quoteJSON(text)
		return
	}
	for i := range t.Parts {
		w.hold(t.Parts[i].Selector, what, true)
	}
	w.composite(what, v.at, t)
	p.Template = t
}

var payloadTypes = []string{"text", "integer", "numeric", "boolean", "timestamp", "date", "json"}

// payloadTypes reads the payload of an effect that the handler enqueues: names
// and types.
func (w *work) payloadTypes(f field, e *Effect) {
	v := f.value.get("payload")
	if !v.is(mapForm) || len(v.fields) == 0 {
		at := f.at
		if v != nil {
			at = v.at
		}
		w.err(at, "effect-payload", "write payload: {order: integer, note: text}", "effect %q: with enqueue: handler the payload names types", f.name)
		return
	}
	for _, m := range v.fields {
		kind := textOf(m.value)
		if !contains(payloadTypes, kind) {
			w.err(m.value.at, "effect-payload", orElse(didYouMean(kind, payloadTypes), "write "+list(payloadTypes, "or")), "effect %q: %q is no type of a payload member", f.name, kind)
			continue
		}
		e.PayloadTypes = append(e.PayloadTypes, Field{Pos: m.value.at, Name: m.name, Type: kind})
	}
}

// shape is a payload's type as text, for comparing two effects of one name.
func (p *Payload) shape() string {
	switch {
	case p == nil:
		return "body"
	case p.IsObject:
		parts := make([]string, 0, len(p.Members))
		for _, m := range p.Members {
			parts = append(parts, quoteJSON(m.Name)+":"+m.Value.shape())
		}
		sort.Strings(parts)
		return "{" + list(parts, "") + "}"
	case p.IsArray:
		text := "["
		for _, item := range p.Items {
			text += item.shape() + " "
		}
		return text + "]"
	case p.Selector != nil:
		if p.Selector.Kind != SelectBody && p.Selector.Kind != SelectEnvelope {
			return "string"
		}
		return describe(p.Selector.Schema)
	case p.Template != nil:
		return "string"
	default:
		return literalShape(p.Literal)
	}
}

func literalShape(text string) string {
	switch text[0] {
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}
