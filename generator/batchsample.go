package generator

import (
	"maps"
	"strings"

	"github.com/whgen/whgen/spec"
)

// envelope is the body around the elements of a batch in a sample.
type envelope struct {
	body  *node
	items string // event.items
}

// envelopeOf makes a sample of the whole body of a batch; nil where a body is
// one event.
func envelopeOf(e *spec.Endpoint, event *spec.Event) *envelope {
	if e.Items == "" {
		return nil
	}
	body, err := parseNode(event.EnvelopeExample)
	if len(event.EnvelopeExample) == 0 || err != nil {
		body = sampleOf(event.Envelope)
	}
	if before, _, _ := strings.Cut(e.Items, "/*"); body == nil || !body.object && before != "" {
		body = &node{object: true}
	}
	return &envelope{body: body, items: e.Items}
}

// with is the whole body, with one element in it.
func (v *envelope) with(element *node) *node {
	before, after, _ := strings.Cut(v.items, "/*")
	tail := strings.Split(after, "/")[1:]
	for i := len(tail) - 1; i >= 0; i-- {
		outer := &node{array: true, members: []*node{element}}
		if tail[i] != "*" {
			outer = &node{object: true}
			_ = outer.set("/"+tail[i], element)
		}
		element = outer
	}
	list := &node{array: true, members: []*node{element}}
	if before == "" {
		return list
	}
	body := v.body.clone()
	_ = body.set(before, list)
	return body
}

// of is what a selector reads in a sample.
func (s *sampler) of(from *spec.Selector) *node {
	if from.Whole && s.envelope != nil {
		return s.envelope.body
	}
	return s.body
}

// outcomes are the answers that a delivery of the sample can get. In a batch of
// one, whatever neither failed nor is in progress is answered as processed.
func (s *sampler) outcomes() map[spec.Outcome]spec.Response {
	if s.envelope == nil {
		return s.event.Spec.Outcomes
	}
	all := maps.Clone(s.event.Spec.Outcomes)
	for o := range all {
		if o == spec.InProgress || o == spec.Failed {
			all[o] = s.endpoint.Outcomes[o]
		} else if _, early := s.endpoint.Outcomes[o]; !early || o == spec.Rejected || o == spec.Ignored {
			all[o] = s.endpoint.Outcomes[spec.Processed]
		}
	}
	all[spec.Processed] = s.endpoint.Outcomes[spec.Processed]
	return all
}
