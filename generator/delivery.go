package generator

import (
	"cmp"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// Delivery is the request of one event, made of the document's example or of
// its schema, with what the event's effects need: everything but the signature.
type Delivery struct {
	Event       *spec.Event
	Endpoint    *spec.Endpoint
	Method      string
	Query       string // with its "?", "" without
	ContentType string
	Headers     [][2]string // without Content-Type
	Body        string
	Changed     string // other content under the same key, "" where there can be none
	Items       string // of a batch, the pointer to its events such as /events/*; "" where a body is one
	// Answers are those that the request can get; of a batch those of the whole.
	Answers map[spec.Outcome]spec.Response
}

// Answers are what the deliveries of an event at an endpoint are answered. A
// batch is answered as a whole: of one event whatever neither failed nor is in
// progress as processed.
func Answers(e *spec.Endpoint, event *spec.Event) map[spec.Outcome]spec.Response {
	return (&sampler{event: &Event{Spec: event}, endpoint: e, envelope: envelopeOf(e, event)}).outcomes()
}

// Number is the placeholder that stands in a Delivery wherever the number of
// the event goes: in key and unique values. Numbered replaces it.
const Number = number

// Numbered is the delivery of the event of that number. It must be digits.
func (d Delivery) Numbered(n string) Delivery {
	put := func(text string) string { return strings.ReplaceAll(text, number, n) }
	d.Query, d.Body, d.Changed = put(d.Query), put(d.Body), put(d.Changed)
	headers := make([][2]string, len(d.Headers))
	for i, h := range d.Headers {
		headers[i] = [2]string{h[0], put(h[1])}
	}
	d.Headers = headers
	return d
}

// Deliveries are the requests of all events of a plan, sorted by the events'
// names.
func Deliveries(p *Plan) []Delivery {
	var all []Delivery
	for _, event := range p.Events {
		all = append(all, delivery(p, event))
	}
	return all
}

func delivery(p *Plan, event *Event) Delivery {
	endpoint := p.Contract.Endpoints[0]
	for _, e := range p.Contract.Endpoints {
		if slices.Contains(e.Events, event.Spec) {
			endpoint = e
			break
		}
	}
	s := &sampler{event: event, endpoint: endpoint, body: nestNames(event.Spec, sampleBody(event.Spec)), envelope: envelopeOf(endpoint, event.Spec), outer: &node{object: true}}
	s.conditions(event.Spec.When)
	s.needs()
	s.signed()
	s.typeOf()
	s.unique()
	s.key()
	d := Delivery{
		Event: event.Spec, Endpoint: endpoint, Method: cmp.Or(event.Spec.Method, "POST"), Query: s.query, ContentType: cmp.Or(s.contentType(), "application/json"),
		Headers: s.headers, Body: s.text(s.body), Items: endpoint.Items, Answers: s.outcomes(),
	}
	if changed := s.changed(); changed != nil {
		d.Changed = s.text(changed)
	}
	if len(endpoint.Media) > 0 && !slices.Contains(endpoint.Media, d.ContentType) {
		d.ContentType = endpoint.Media[0]
	}
	return d
}
