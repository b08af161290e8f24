package explain

import (
	"fmt"
	"strings"

	"github.com/whgen/whgen/spec"
)

// Binding is what a verified signature proves about a request.
type Binding interface {
	// Body reports whether every byte of the body is covered.
	Body() bool
	// Value reports whether a selected value cannot be changed.
	Value(s spec.Selector) bool
	// Fresh reports whether a request stops being valid after the tolerance.
	Fresh() bool
	// Weak says why the scheme protects less than one would think, if it does.
	Weak() []string
}

// Conservative is a Binding that takes for covered only what it knows to be:
// of types other than hmac, nothing. A nil scheme covers nothing.
func Conservative(s *spec.Scheme) Binding { return scheme{s} }

type scheme struct{ *spec.Scheme }

func (s scheme) keyed() bool { return s.Scheme != nil && s.Type == "hmac" && s.Content != nil }

func (s scheme) has(placeholder string) bool {
	if !s.keyed() {
		return false
	}
	for _, p := range s.Content.Parts {
		if p.Placeholder == placeholder {
			return true
		}
	}
	return false
}

func (s scheme) Body() bool { return s.has("body") }

func (s scheme) Fresh() bool {
	return s.keyed() && s.Timestamp != nil && !s.Timestamp.NoTolerance && s.Value(s.Timestamp.From)
}

func (s scheme) Value(v spec.Selector) bool {
	switch {
	case v.Kind == spec.SelectConst:
		return true
	case !s.keyed():
		return false
	case v.Kind == spec.SelectSigned:
		return s.has(v.Name)
	case (v.Kind == spec.SelectBody || v.Kind == spec.SelectItem || v.Kind == spec.SelectForm) && s.Body():
		return true
	case s.ID != nil && sameText(*s.ID, v):
		return s.has("id")
	case s.Timestamp != nil && sameText(s.Timestamp.From, v) && s.has("timestamp"):
		return true
	}
	for _, p := range s.Content.Parts {
		if p.Selector != nil && sameText(*p.Selector, v) {
			return true
		}
	}
	return false
}

// sameText compares selectors; the names of headers in any letter case.
func sameText(a, b spec.Selector) bool {
	if a.Kind == spec.SelectHeader && b.Kind == spec.SelectHeader {
		return strings.EqualFold(a.Name, b.Name)
	}
	return a.Text() == b.Text()
}

// Weak names what can go wrong although the check passes.
func (s scheme) Weak() []string {
	if s.Scheme == nil {
		return []string{"No signature is declared: anybody can deliver events."}
	}
	var why []string
	switch s.Type {
	case "hmac":
		why = s.weakContent()
	case "none":
		why = append(why, "Nothing is verified: whoever reaches the endpoint can deliver events.")
	default:
		why = append(why, fmt.Sprintf("A %s scheme proves that the sender knows the secret, and nothing about the request: "+
			"whoever sees one request can send any other.", s.Type))
	}
	return why
}

func (s scheme) weakContent() []string {
	var why []string
	if !s.Body() {
		why = append(why, "The body is not signed: whoever has captured a request can change it.")
	}
	if s.Hash == "md5" {
		why = append(why, "MD5 is weak; use it only where the sender knows nothing else.")
	}
	if !s.Fresh() {
		why = append(why, "No signed time limits how long a captured request stays valid: only the kept event key refuses it.")
	}
	if a, b, ok := s.joined(); ok {
		why = append(why, fmt.Sprintf("Nothing separates {%s} from {%s} in the signed text: characters can move from one to the other.", a, b))
	}
	return why
}

// joined finds two parts of the signed text without anything between them.
func (s scheme) joined() (a, b string, ok bool) {
	parts := s.Content.Parts
	for i := 1; i < len(parts); i++ {
		if a, b := partName(parts[i-1]), partName(parts[i]); a != "" && b != "" {
			return a, b, true
		}
	}
	return "", "", false
}

func partName(p spec.TemplatePart) string {
	if p.Selector != nil {
		return p.Selector.Text()
	}
	return p.Placeholder
}
