package generator

import (
	"cmp"
	"slices"

	"github.com/whgen/whgen/spec"
)

// number is where the generated test puts the number of an event.
const number = "{{n}}"

// acceptance computes what the generated test is told: the events' requests, and
// what they must leave behind. Every event is delivered, and to every endpoint.
func (b *planner) acceptance() {
	whole := b.wholeProtocol()
	for _, event := range whole {
		b.accept(event, b.endpointOf(event), false)
	}
	for _, event := range b.plan.Events {
		if at := b.endpointOf(event); at >= 0 && !slices.Contains(whole, event) {
			b.accept(event, at, true)
		}
	}
	for i := range b.contract.Endpoints {
		if slices.ContainsFunc(b.plan.Accept, func(a *Acceptance) bool { return a.Endpoint == i }) {
			continue
		}
		at := slices.DeleteFunc(slices.Clone(b.plan.Events), func(e *Event) bool { return !b.arrives(e, i) })
		if event := richest(at); event != nil {
			b.accept(event, i, true)
		}
	}
	b.except()
}

func (b *planner) accept(event *Event, index int, short bool) {
	e := b.contract.Endpoints[index]
	s := sampled(event, e, event.Spec.When, e.Signature.Require)
	s.secret()
	a := &Acceptance{
		Event: event, Endpoint: index, Method: cmp.Or(event.Spec.Method, "POST"),
		Path: samplePath(e.Path, b.contract.Tenant) + s.query, ContentType: s.contentType(),
		Body: s.text(s.body), Envelope: s.around(), Unsigned: s.unsigned(), Headers: s.headers,
	}
	sampleTold(b.contract.Tenant, a)
	changed := s.changed()
	if changed != nil {
		a.Changed = s.text(changed)
	}
	a.Batch = s.envelope != nil
	a.NoKey, a.NoKeyHeader = s.noKey()
	b.counts(a, s)
	a.Answers = s.answers(changed)
	a.Short = short
	a.Forged = !short || !slices.ContainsFunc(b.plan.Accept, func(o *Acceptance) bool { return o.Endpoint == index })
	b.plan.Accept = append(b.plan.Accept, a)
}

// wholeProtocol are the events that go through every step: the one with the most
// declared effects (one with an example of the document among equals) and, where
// that one needs no handler, the richest of those that do.
func (b *planner) wholeProtocol() []*Event {
	best := richest(b.signable(b.plan.Events))
	if best == nil {
		return nil
	}
	whole := []*Event{best}
	if !best.Spec.Handler {
		if handled := richest(b.signable(handledEvents(b.plan))); handled != nil {
			whole = append(whole, handled)
		}
	}
	return whole
}

func richest(events []*Event) *Event {
	var best *Event
	points := -1
	for _, e := range events {
		p := 2 * (len(e.Records) + len(e.Messages))
		if len(e.Spec.Example) > 0 {
			p++
		}
		if p > points {
			best, points = e, p
		}
	}
	return best
}

// signable are the events that arrive at an endpoint whose deliveries the test
// can sign.
func (b *planner) signable(all []*Event) []*Event {
	var out []*Event
	for _, e := range all {
		if b.endpointOf(e) >= 0 {
			out = append(out, e)
		}
	}
	return out
}

// endpointOf is the index of the first endpoint at which an event arrives, and
// whose deliveries the test can sign; -1 without one.
func (b *planner) endpointOf(event *Event) int {
	for i := range b.contract.Endpoints {
		if b.arrives(event, i) {
			return i
		}
	}
	return -1
}

// arrives reports whether the test can deliver an event to an endpoint.
func (b *planner) arrives(event *Event, endpoint int) bool {
	e := b.contract.Endpoints[endpoint]
	return slices.Contains(e.Events, event.Spec) && unsignable(e, event.Spec) == ""
}

func (b *planner) counts(a *Acceptance, s *sampler) {
	rows, idents := map[string]int{}, map[string]string{}
	for _, r := range s.event.Records {
		rows[r.Table.SQLName] += 0
		idents[r.Table.SQLName] = r.Table.Ident
		if s.holds(r.Spec.When) {
			rows[r.Table.SQLName]++
		}
	}
	for _, name := range sortedKeys(rows) {
		a.Tables = append(a.Tables, AcceptTable{SQLName: name, Ident: idents[name], Rows: rows[name]})
	}
	for _, e := range s.event.Spec.Effects {
		if e.Kind != spec.EffectRecord && e.Enqueue == "" && s.holds(e.When) {
			a.Outbox++
		}
	}
}
