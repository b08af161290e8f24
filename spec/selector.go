package spec

import (
	"strings"
)

// place says which selectors can work where a selector stands.
type place struct {
	name  string         // for messages: event key, column "total"
	kinds []SelectorKind // those that this version generates there
}

var (
	inDelivery  = []SelectorKind{SelectBody, SelectHeader, SelectQuery, SelectForm, SelectPath, SelectParam, SelectSigned, SelectConst, SelectEnvelope}
	inSignature = []SelectorKind{SelectBody, SelectHeader, SelectQuery, SelectForm, SelectElement, SelectParam, SelectMethod, SelectConst}
)

var prefixes = []SelectorKind{SelectBody, SelectItem, SelectHeader, SelectQuery, SelectForm, SelectPath, SelectElement, SelectSigned, SelectParam, SelectConst, SelectEnvelope}

// splitSelector reads the text form. ok is false for text that is no selector.
func splitSelector(text string) (kind SelectorKind, rest string, ok bool) {
	if strings.HasPrefix(text, "/") {
		return SelectBody, text, true
	}
	word, rest, found := strings.Cut(text, ":")
	if !found || !contains(kindNames(), word) {
		return "", "", false
	}
	return SelectorKind(word), rest, true
}

func kindNames() []string {
	names := make([]string, 0, len(prefixes))
	for _, p := range prefixes {
		names = append(names, string(p))
	}
	return names
}

// slip is the selector word that a text probably meant, "" without.
func slip(text string) string {
	word, rest, found := strings.Cut(text, ":")
	if !found || rest == "" || strings.HasPrefix(rest, "//") || len(word) < 3 || strings.ContainsAny(word, " \t\n") {
		return ""
	}
	for _, name := range kindNames() {
		if word != name && distance(word, name) == 1 {
			return name
		}
	}
	return ""
}

// selector reads a text or map form. nil when there is a finding.
func (r *report) selector(v *value, p place) *Selector {
	switch {
	case v.is(mapForm):
		return r.mapSelector(v, p)
	case v.is(scalarForms):
		return r.textSelector(v.text, v.at, p)
	default:
		return nil
	}
}

func (r *report) textSelector(text string, at Pos, p place) *Selector {
	kind, rest, ok := splitSelector(text)
	if text == "method" {
		for _, k := range p.kinds {
			if k == SelectMethod {
				return &Selector{Pos: at, Kind: SelectMethod}
			}
		}
	}
	if !ok {
		hint := "write it as /data/id, header:X-Id or const:text"
		if meant := slip(text); meant != "" {
			_, rest, _ := strings.Cut(text, ":")
			hint = `did you mean "` + meant + ":" + rest + `"?`
		}
		r.err(at, "selector", hint, "%s: %q is no selector", p.name, text)
		return nil
	}
	s := &Selector{Pos: at, Kind: kind, Name: rest}
	if kind == SelectBody || kind == SelectItem || kind == SelectEnvelope {
		s.Name, s.Pointer = "", rest
		s.Whole = kind == SelectBody && r.items != "" && wholeBody(text)
		if kind == SelectItem && r.items != "" { // the element itself, outside of each
			s.Kind = SelectBody
		}
	}
	if inner, ok := insideItems(s.Pointer, r.items); ok && kind == SelectBody && !s.Whole {
		r.err(at, "batch-pointer", "write it from the element: "+inner, "%s: %q begins at the whole body, but in a batch pointers begin at the element", p.name, s.Pointer)
		return nil
	}
	return r.validSelector(s, p)
}

// mapSelector reads {from: ...} and {header: ...} with options.
func (r *report) mapSelector(v *value, p place) *Selector {
	var s *Selector
	for _, f := range v.fields {
		text := ""
		switch {
		case f.name == "from":
			text = textOf(f.value)
		case contains(kindNames(), f.name):
			text = f.name + ":" + textOf(f.value)
		default:
			continue
		}
		if s != nil {
			r.err(f.at, "selector", "name one place", "%s: the selector names two places", p.name)
			return nil
		}
		if s = r.textSelector(text, f.value.at, p); s == nil {
			return nil
		}
	}
	if s == nil {
		r.err(v.at, "selector", `write {from: /data/id} with its options`, "%s: the selector names no place", p.name)
		return nil
	}
	s.Optional, s.Undeclared = isTrue(v.get("optional")), isTrue(v.get("undeclared"))
	if d := v.get("default"); d != nil {
		text := d.jsonText()
		s.Default = &text
	}
	return s
}

func (r *report) validSelector(s *Selector, p place) *Selector {
	switch s.Kind {
	case SelectBody, SelectItem, SelectEnvelope:
		if _, ok := splitPointer(s.Pointer); !ok {
			r.err(s.Pos, "pointer", `begin it with "/", and write ~ as ~0, / in a name as ~1`, "%s: %q is no JSON Pointer (RFC 6901)", p.name, s.Pointer)
			return nil
		}
	case SelectConst:
	default:
		if s.Name == "" {
			r.err(s.Pos, "selector", "", "%s: %q names nothing", p.name, s.Text())
			return nil
		}
	}
	if s.Kind == SelectHeader && !r.headerSelector(s, p) {
		return nil
	}
	for _, k := range p.kinds {
		if k == s.Kind {
			return s
		}
	}
	if s.Kind == SelectElement {
		r.err(s.Pos, "selector", "", "%s: %q works in signature only", p.name, s.Text())
		return nil
	}
	r.later(s.Pos, "%s: selector %q", p.name, s.Text())
	return nil
}

func (r *report) headerSelector(s *Selector, p place) bool {
	if !isToken(s.Name) {
		r.err(s.Pos, "header-name", "", "%s: %q is no name of a header", p.name, s.Name)
		return false
	}
	if strings.Contains(s.Name, "_") {
		r.warn(s.Pos, "header-underscore", "", "%s: header %q has an underscore; nginx and others drop such headers unless they are told not to", p.name, s.Name)
	}
	return true
}

// isToken reports whether a text is a token of HTTP (RFC 9110, 5.6.2).
func isToken(s string) bool {
	for _, c := range s {
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", c) {
			return false
		}
	}
	return s != ""
}

// selectors reads one selector or a list of them.
func (r *report) selectors(v *value, p place) []Selector {
	var all []Selector
	for _, item := range v.each() {
		if s := r.selector(item, p); s != nil {
			all = append(all, *s)
		}
	}
	return all
}

func (r *report) members(v *value, name string) Members {
	of := place{name, []SelectorKind{SelectBody, SelectForm, SelectEnvelope}}
	exclude := place{name, []SelectorKind{SelectBody, SelectForm}}
	m := Members{Of: r.selectors(v.get("of"), of), Exclude: r.selectors(v.get("exclude"), exclude)}
	for _, s := range m.Exclude {
		if s.Whole {
			r.err(s.Pos, "fingerprint", "leave it out", "%s: %q is no member of the element, over which a batch's fingerprints are", name, s.Text())
		}
	}
	return m
}
