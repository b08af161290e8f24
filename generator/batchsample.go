package generator

import (
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
		body = sampleOf(event.Envelope, 0)
	}
	if before, _, _ := strings.Cut(e.Items, "/*"); body == nil || !body.object && before != "" {
		body = &node{object: true}
	}
	return &envelope{body: body, items: e.Items}
}

// with is the whole body, with one element in it.
func (v *envelope) with(element *node) *node {
	before, after, _ := strings.Cut(v.items, "/*")
	inner := element
	if after != "" {
		inner = &node{object: true}
		_ = inner.set(after, element)
	}
	list := &node{array: true, members: []*node{inner}}
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

// text is a sample as it is sent.
func (s *sampler) text(body *node) string {
	if s.envelope == nil {
		return body.String()
	}
	return s.envelope.with(body).String()
}

// foldedAnswers are those of a batch of one: whatever neither failed nor is in
// progress is answered as processed.
func foldedAnswers(a *Acceptance, e *spec.Endpoint) {
	statuses, bodies := answers(e.Outcomes)
	for _, o := range []spec.Outcome{spec.Processed, spec.Duplicate, spec.Conflict, spec.Rejected, spec.Ignored} {
		a.Statuses[string(o)] = statuses[string(spec.Processed)]
		delete(a.BodyOf, string(o))
		if text, ok := bodies[string(spec.Processed)]; ok {
			a.BodyOf[string(o)] = text
		}
	}
	for _, o := range []spec.Outcome{spec.InProgress, spec.Failed} {
		a.Statuses[string(o)] = statuses[string(o)]
		if text, ok := bodies[string(o)]; ok {
			a.BodyOf[string(o)] = text
		}
	}
}
