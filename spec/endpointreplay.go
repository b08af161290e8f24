package spec

import "slices"

// replayElsewhere warns where what was captured at one endpoint is valid at
// another and counts as a new event there: endpoint names are in event keys.
func (l *loader) replayElsewhere(all []*scope) {
	for i, s := range all {
		for _, o := range all[:i] {
			a, b := o.endpoint, s.endpoint
			if a.Shared && b.Shared || !a.Signature.sameProof(b.Signature) || !a.meets(b) {
				continue
			}
			l.warn(s.at, "endpoint-replay", "give them secrets of their own, or shared: true where both are for the same events",
				"endpoints %q and %q have the same secrets: a delivery that was captured at one can be sent to the other, as a new event", a.Name, b.Name)
			break // one is enough
		}
	}
}

// meets reports whether some event arrives at both endpoints.
func (e *Endpoint) meets(o *Endpoint) bool {
	return slices.ContainsFunc(e.Events, func(v *Event) bool { return slices.Contains(o.Events, v) })
}

// sameProof reports whether what one scheme accepts the other does too: the
// same is signed, with a common secret, and the URL is no part of it.
func (s *Scheme) sameProof(o *Scheme) bool {
	if s == nil || o == nil || s.Type != o.Type || s.Content.has("url") || s.Content.has("path") || s.Content.outline() != o.Content.outline() {
		return false
	}
	for _, k := range s.AllSecrets() {
		if slices.ContainsFunc(o.AllSecrets(), func(other Secret) bool { return other.Name == k.Name }) {
			return true
		}
	}
	return false
}

// outline is a template as text, for comparisons.
func (t *Template) outline() string {
	if t == nil {
		return ""
	}
	text := ""
	for _, p := range t.Parts {
		text += quoteJSON(p.Text) + "{" + p.Placeholder
		if p.Selector != nil {
			text += p.Selector.Text()
		}
		text += "}"
	}
	return text
}
