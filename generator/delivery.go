package generator

import (
	"cmp"
	"encoding/base64"
	"net/url"
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
	Inside      bool   // Body is a document that stands inside of what is sent
	Changed     string // other content under the same key, "" where there can be none
	Items       string // of a batch, the pointer to its events such as /events/*; "" where a body is one
	// Answers are those that the request can get; of a batch those of the whole.
	Answers map[spec.Outcome]spec.Response
	// Unsignable says why no signature can be put into it; "" where one can.
	Unsignable string

	around string // what stands around the document that Body is, "" where it is the whole
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
	if d.around == "" {
		return d
	}
	around := put(d.around)
	d.Body, d.around = d.enveloped(around, d.Body), ""
	if d.Changed != "" {
		d.Changed = d.enveloped(around, d.Changed)
	}
	return d
}

// enveloped puts a document where the endpoint reads it.
func (d Delivery) enveloped(around, text string) string {
	from := d.Endpoint.Document
	if from.Base64 {
		text = base64.StdEncoding.EncodeToString([]byte(text))
	}
	switch {
	case strings.HasPrefix(d.ContentType, "application/x-www-form-urlencoded"):
		text = url.QueryEscape(text)
	case from.From.Kind != spec.SelectForm:
		quoted := quote(text)
		text = quoted[1 : len(quoted)-1]
	}
	return strings.ReplaceAll(around, document, text)
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
	s := sampled(event, endpoint, event.Spec.When)
	d := Delivery{
		Event: event.Spec, Endpoint: endpoint, Method: cmp.Or(event.Spec.Method, "POST"), Query: s.query, ContentType: cmp.Or(s.contentType(), "application/json"),
		Headers: s.headers, Body: s.text(s.body), Items: endpoint.Items, Answers: s.outcomes(),
		Unsignable: unsignable(endpoint, event.Spec), around: s.around(),
	}
	if changed := s.changed(); changed != nil {
		d.Changed = s.text(changed)
	}
	return d
}
