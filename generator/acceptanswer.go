package generator

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/whgen/whgen/spec"
)

// longestStored is how much of an answer the receiver keeps for `replay`, in
// bytes (runtime's limit).
const longestStored = 8 << 10

// answered are the outcomes that the protocol can meet.
var answered = []spec.Outcome{
	spec.Processed, spec.Duplicate, spec.Conflict, spec.InProgress, spec.Failed, spec.Unauthenticated, spec.Malformed,
}

// answers are what the contract answers to the sample, as it stands on the wire.
func (s *sampler) answers(changed *node) []AcceptAnswer {
	all := s.outcomes()
	var out []AcceptAnswer
	for _, o := range answered {
		r, ok := all[o]
		if other, early := s.endpoint.Outcomes[o]; early && o != spec.Failed && (s.envelope == nil || o != spec.Rejected && o != spec.Ignored) {
			r, ok = other, true // decided before the event is known
		}
		if !ok {
			continue
		}
		if r.Replay {
			r = all[spec.Processed]
		}
		of := s
		if o == spec.Conflict && changed != nil {
			with := *s
			with.body = changed
			of = &with
		}
		a := of.answer(r)
		a.Outcome = o
		if all[o].Replay && len(a.Body) > longestStored {
			a.Body, a.ContentType = "", "" // too long to be stored: only the status is replayed
		}
		// What such a delivery holds is not the sample.
		a.Any = a.Any || (o == spec.Unauthenticated || o == spec.Malformed) && r.Body != nil && !literal(r.Body)
		out = append(out, a)
	}
	return out
}

// answer renders a response with the sample, as runtime writes it.
func (s *sampler) answer(r spec.Response) AcceptAnswer {
	a := AcceptAnswer{Status: r.Status, RetryAfter: int(r.RetryAfter / time.Second)}
	for _, h := range r.Headers {
		if text, known := s.render(&h.Value); known {
			a.Headers = append(a.Headers, [2]string{http.CanonicalHeaderKey(h.Name), text})
		}
	}
	if r.Body == nil || bodyless(r.Status) {
		return a
	}
	text, known := s.render(r.Body)
	if a.Any = !known; text != "" && known {
		a.Body, a.ContentType = text, r.ContentType
		if a.ContentType == "" {
			a.ContentType = "text/plain; charset=utf-8"
		}
	}
	return a
}

// bodyless reports whether HTTP has no body with a status (RFC 9110, 15.3.5, 15.3.6, 15.4.5).
func bodyless(status int) bool {
	return slices.Contains([]int{http.StatusNoContent, http.StatusResetContent, http.StatusNotModified}, status)
}

func literal(t *spec.Template) bool {
	_, ok := t.Literal()
	return ok
}

// render fills a template from the sample; false where it holds what a sample
// does not tell.
func (s *sampler) render(t *spec.Template) (string, bool) {
	text := ""
	for _, p := range t.Parts {
		switch {
		case p.Selector == nil && p.Setting == "" && p.Placeholder == "":
			text += p.Text
		case p.Selector == nil:
			return "", false
		default:
			value, known := s.plain(p.Selector)
			if !known {
				return "", false
			}
			text += value
		}
	}
	return text, true
}

// plain is a selector's value as text: what is missing is its default, or nothing.
func (s *sampler) plain(from *spec.Selector) (string, bool) {
	switch from.Kind {
	case spec.SelectConst:
		return from.Name, true
	case spec.SelectBody, spec.SelectItem, spec.SelectHeader, spec.SelectForm, spec.SelectEnvelope:
	default:
		return "", false
	}
	value, there := s.valueOf(from)
	if !there && from.Default != nil {
		value, there = *from.Default, true
	} else if from.Kind == spec.SelectHeader || from.Kind == spec.SelectForm {
		return value, there
	}
	var unquoted string
	if strings.HasPrefix(value, `"`) && json.Unmarshal([]byte(value), &unquoted) == nil {
		return unquoted, true
	}
	return value, true
}
