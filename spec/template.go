package spec

import (
	"regexp"
	"strings"
)

// braces finds {...} and ${NAME} in a template.
var braces = regexp.MustCompile(`\$?\{[^{}]*\}`)

// template reads text with selectors in braces. Braces that hold none are text.
func (r *report) template(v *value, p place) *Template {
	if !v.is(scalarForms) {
		return nil
	}
	t := &Template{Pos: v.at}
	r.split(v.text, func(inner string) (TemplatePart, bool) {
		return r.selectorPart(inner, v.at, p)
	}, t)
	return t
}

// settingTemplate reads text with ${NAME} in it, as URLs and headers of
// downstreams have.
func (r *report) settingTemplate(v *value, what string) Template {
	t := Template{Pos: v.at}
	r.split(v.text, nil, &t)
	for _, m := range braces.FindAllString(v.text, -1) {
		if name := strings.Trim(m, "${}"); strings.HasPrefix(m, "$") && !settingName.MatchString(name) {
			r.err(v.at, "setting-name", "write a name such as ${CRM_URL}", "%s: %q is no name of a setting (A-Z, 0-9, _)", what, name)
		}
	}
	return t
}

// split cuts a text at its braces. part tells what a brace holds; without it
// only ${NAME} means something.
func (r *report) split(text string, part func(inner string) (TemplatePart, bool), t *Template) {
	literal := func(s string) {
		if s == "" {
			return
		}
		if n := len(t.Parts); n > 0 && t.Parts[n-1].Text != "" {
			t.Parts[n-1].Text += s
			return
		}
		t.Parts = append(t.Parts, TemplatePart{Text: s})
	}
	last := 0
	for _, m := range braces.FindAllStringIndex(text, -1) {
		inner := text[m[0]:m[1]]
		p, ok := TemplatePart{}, false
		switch {
		case strings.HasPrefix(inner, "$"):
			if name := inner[2 : len(inner)-1]; part == nil && settingName.MatchString(name) {
				p, ok = TemplatePart{Setting: name}, true
			}
		case part != nil:
			p, ok = part(inner[1 : len(inner)-1])
		}
		if !ok {
			continue
		}
		literal(text[last:m[0]])
		t.Parts = append(t.Parts, p)
		last = m[1]
	}
	literal(text[last:])
}

func (r *report) selectorPart(inner string, at Pos, p place) (TemplatePart, bool) {
	if _, _, ok := splitSelector(inner); !ok {
		if meant := slip(inner); meant != "" {
			r.textSelector(inner, at, p)
		}
		return TemplatePart{}, false
	}
	s := r.textSelector(inner, at, p)
	if s == nil {
		return TemplatePart{}, false
	}
	return TemplatePart{Selector: s}, true
}

// selectorOrTemplate reads text that is a selector itself, or a template.
func (r *report) selectorOrTemplate(v *value, p place) *Template {
	if v.is(mapForm) {
		if s := r.selector(v, p); s != nil {
			return &Template{Pos: v.at, Parts: []TemplatePart{{Selector: s}}}
		}
		return nil
	}
	if !v.is(scalarForms) {
		return nil
	}
	if v.form == textForm {
		_, _, ok := splitSelector(v.text)
		if ok || slip(v.text) != "" {
			s := r.textSelector(v.text, v.at, p)
			if s == nil {
				return nil
			}
			return &Template{Pos: v.at, Parts: []TemplatePart{{Selector: s}}}
		}
	}
	return r.template(v, p)
}
