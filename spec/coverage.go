package spec

import (
	"slices"
	"strings"
)

// Bound says how much of the body a scheme binds.
type Bound int

// BoundNothing: nobody notices a change. BoundMembers: only single members are
// signed. BoundChecksum: by a CRC, which anybody can make fit. BoundWhole: every
// byte, by itself or by a cryptographic hash, or every field of a form.
const (
	BoundNothing Bound = iota
	BoundMembers
	BoundChecksum
	BoundWhole
)

// Body says how much of the body the scheme binds: of any as little as the
// weakest member, of all as much as the strongest.
func (s *Scheme) Body() Bound {
	switch {
	case s == nil:
		return BoundNothing
	case len(s.Any) > 0:
		least := BoundWhole
		for _, m := range s.Any {
			least = min(least, m.Body())
		}
		return least
	case len(s.All) > 0:
		most := BoundNothing
		for _, m := range s.All {
			most = max(most, m.Body())
		}
		return most
	}
	switch {
	case s.Content.has("body"), s.Content.has("sha256:body"), s.BodyHash != nil, s.Claims.BodyHash != nil, s.Content.wholeForm():
		return BoundWhole
	case s.Content.has("crc32:body"):
		return BoundChecksum
	case s.Content.members():
		return BoundMembers
	}
	return BoundNothing
}

// wholeForm reports whether every field of a form is signed.
func (t *Template) wholeForm() bool {
	return t != nil && slices.ContainsFunc(t.Parts, func(p TemplatePart) bool {
		return p.Fields != nil && p.Fields.From == "form" && p.Fields.Names == nil && len(p.Fields.Exclude) == 0
	})
}

// members reports whether single members of the body are signed.
func (t *Template) members() bool {
	return t != nil && slices.ContainsFunc(t.Parts, func(p TemplatePart) bool {
		return p.Fields != nil || p.Selector != nil && contains([]string{"body", "item", "form"}, string(p.Selector.Kind))
	})
}

// Binds reports whether the scheme ties anything of a request to the proof of
// who sent it. One that does not proves only that a text was known.
func (s *Scheme) Binds() bool {
	switch {
	case s == nil:
		return false
	case len(s.Any) > 0:
		return !slices.ContainsFunc(s.Any, func(m *Scheme) bool { return !m.Binds() })
	case len(s.All) > 0:
		return slices.ContainsFunc(s.All, (*Scheme).Binds)
	}
	return !contains([]string{"token", "bearer", "basic", "ip", "none", ""}, s.Type)
}

// SignsURL reports whether the public URL is bound.
func (s *Scheme) SignsURL() bool {
	return s.Content.has("url") || s.Claims.URLHash != nil || slices.ContainsFunc(s.Members(), (*Scheme).SignsURL)
}

// covers reports whether a value cannot be changed without breaking the
// signature. A checksum counts as cover, with a warning of its own.
func (s *Scheme) covers(sel Selector) bool {
	switch {
	case len(s.Any) > 0:
		return !slices.ContainsFunc(s.Any, func(m *Scheme) bool { return !m.covers(sel) })
	case len(s.All) > 0:
		return slices.ContainsFunc(s.All, func(m *Scheme) bool { return m.covers(sel) })
	case !s.Binds() || s.Type == "plugin":
		return false
	}
	switch sel.Kind {
	case SelectConst, SelectParam, SelectSigned:
		return true
	case SelectMethod:
		return s.Content.has("method")
	case SelectPath:
		return s.Content.has("url") || s.Content.has("path") || s.Claims.URLHash != nil
	case SelectQuery:
		if s.Content.has("url") || s.Claims.URLHash != nil {
			return true
		}
	case SelectBody, SelectItem, SelectForm, SelectEnvelope:
		if s.Body() >= BoundChecksum || s.Content.hasField(sel) {
			return true
		}
		if s.Items != "" && sel.Kind == SelectBody { // of a batch: a member of the element
			sel.Kind = SelectItem
		}
	}
	return s.Content.hasSelector(sel) ||
		s.ID != nil && sameSelector(*s.ID, sel) && s.Content.has("id") ||
		s.Timestamp != nil && sameSelector(s.Timestamp.From, sel) && s.Content.has("timestamp")
}

// hasField reports whether a list of fields signs the value.
func (t *Template) hasField(sel Selector) bool {
	if t == nil {
		return false
	}
	name, from := sel.Name, "form"
	if sel.Kind == SelectBody {
		tokens, ok := splitPointer(sel.Pointer)
		if !ok || len(tokens) != 1 {
			return false
		}
		name, from = tokens[0], "json"
	}
	return slices.ContainsFunc(t.Parts, func(p TemplatePart) bool {
		f := p.Fields
		return f != nil && f.From == from && !slices.Contains(f.Exclude, name) && (f.Names == nil || slices.Contains(f.Names, name))
	})
}

func (t *Template) has(placeholder string) bool {
	return t != nil && slices.ContainsFunc(t.Parts, func(p TemplatePart) bool { return p.Placeholder == placeholder })
}

func (t *Template) hasSelector(s Selector) bool {
	return t != nil && slices.ContainsFunc(t.Parts, func(p TemplatePart) bool { return p.Selector != nil && sameSelector(*p.Selector, s) })
}

// sameSelector compares what two selectors name; header names in any case.
func sameSelector(a, b Selector) bool {
	if a.Kind == SelectHeader {
		return b.Kind == SelectHeader && strings.EqualFold(a.Name, b.Name)
	}
	return a.Kind == b.Kind && a.Name == b.Name && a.Pointer == b.Pointer && a.Whole == b.Whole
}

// Doubts says in sentences what the scheme does not protect; none where every
// byte of the body is bound.
func (s *Scheme) Doubts() []string {
	if s == nil {
		return nil
	}
	var all []string
	for _, m := range s.Members() {
		for _, d := range m.Doubts() {
			if len(s.Any) > 0 || s.Body() < BoundWhole {
				all = append(all, d)
			}
		}
	}
	if len(s.Members()) > 0 {
		return slices.Compact(all)
	}
	switch s.Type {
	case "token", "bearer", "basic":
		return []string{"a " + map[string]string{"token": "shared token", "bearer": "bearer token", "basic": "password"}[s.Type] + " proves who sends, but binds nothing of the request: whoever has seen one delivery can send any other"}
	case "ip":
		return []string{"a network address proves where a request comes from, but binds nothing of it: confirm what matters through the sender's API"}
	case "none":
		return []string{"requests are not authenticated: " + s.Reason}
	case "plugin":
		return []string{"what the verifier " + s.Plugin + " binds is not known here"}
	}
	return append(s.bodyDoubts(), s.joinDoubts()...)
}

func (s *Scheme) bodyDoubts() []string {
	switch s.Body() {
	case BoundNothing:
		return []string{"nothing of the body is signed: whoever has captured a request can change its body"}
	case BoundMembers:
		return []string{"only single members of the body are signed: whoever has captured a request can change the others"}
	case BoundChecksum:
		return []string{"the body is signed only by its CRC-32, and anybody can make another body with the same one: confirm what matters through the sender's API"}
	}
	if s.Type == "digest" && s.extendable() {
		return []string{"a plain hash that begins with the secret can be extended by whoever has one (length extension)"}
	}
	return nil
}

// extendable reports whether the hashed text begins with the secret and does not
// end with it.
func (s *Scheme) extendable() bool {
	n := len(s.Content.Parts)
	return n > 1 && s.Content.Parts[0].Placeholder == "secret" && s.Content.Parts[n-1].Placeholder != "secret"
}

// joinDoubts looks for values that stand side by side: what moves from the end
// of one to the beginning of the other leaves the signature right.
func (s *Scheme) joinDoubts() []string {
	if s.Content == nil {
		return nil
	}
	for i, p := range s.Content.Parts {
		if f := p.Fields; f != nil && (f.Sep == "" && strings.HasPrefix(f.Each, "{") && strings.HasSuffix(f.Each, "}") || strings.Contains(f.Each, "}{")) {
			return []string{"signed fields are joined without a separator: text can be moved from one to the next, and the signature stays right"}
		}
		if i > 0 && s.loose(s.Content.Parts[i-1]) && s.loose(p) {
			return []string{"signed values are joined without a separator (" + partText(s.Content.Parts[i-1]) + partText(p) + "): text can be moved from one to the other, and the signature stays right"}
		}
	}
	return nil
}

// loose reports whether a part can give or take text at its edge: one of fixed
// length cannot, nor a time that is held against the clock, nor what the
// receiver knows by itself.
func (s *Scheme) loose(p TemplatePart) bool {
	switch {
	case p.Text != "":
		return false
	case p.Selector != nil:
		return p.Selector.Kind != SelectParam && !(s.Timestamp.Checked() && !s.Timestamp.NoTolerance && sameSelector(*p.Selector, s.Timestamp.From))
	}
	switch p.Placeholder {
	case "method", "secret", "sha256:body":
		return false
	case "timestamp":
		return !s.Timestamp.Checked() || s.Timestamp.NoTolerance
	}
	return true
}

func partText(p TemplatePart) string {
	switch {
	case p.Selector != nil:
		return "{" + p.Selector.Text() + "}"
	case p.Fields != nil:
		return "{fields}"
	}
	return "{" + p.Placeholder + "}"
}

// lintScheme warns of what the scheme does not protect.
func (r *report) lintScheme(v *value, s *Scheme) {
	if s.Type == "none" || s.Type == "plugin" {
		return
	}
	at := v.at
	if c := v.get("content"); c != nil {
		at = c.at
	}
	for _, doubt := range s.Doubts() {
		r.warn(at, "signature-binds", "", "signature: %s", doubt)
	}
}

// signsID reports whether a request that was accepted has a signed id: with
// any, every member signs one.
func (s *Scheme) signsID() bool {
	switch {
	case len(s.Any) > 0:
		return !slices.ContainsFunc(s.Any, func(m *Scheme) bool { return !m.signsID() })
	case len(s.All) > 0:
		return slices.ContainsFunc(s.All, (*Scheme).signsID)
	}
	return s.Type == "" || s.ID != nil && s.covers(*s.ID)
}
