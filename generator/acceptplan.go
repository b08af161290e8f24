package generator

import (
	"cmp"
	"slices"

	"github.com/whgen/whgen/spec"
)

// number is where the generated test puts the number of an event.
const number = "{{n}}"

// acceptance computes what the generated test is told: the events' requests, and
// what they must leave behind.
func (b *planner) acceptance() {
	for _, event := range b.testedEvents() {
		if a := b.accept(event); a != nil {
			b.plan.Accept = append(b.plan.Accept, a)
		}
	}
}

func (b *planner) accept(event *Event) *Acceptance {
	index := b.endpointOf(event)
	e := b.contract.Endpoints[index]
	if !testable(b.contract, e) {
		return nil
	}
	s := &sampler{event: event, endpoint: e, body: nestNames(event.Spec, sampleBody(event.Spec)), envelope: envelopeOf(e, event.Spec), outer: &node{object: true}}
	s.conditions(event.Spec.When)
	s.conditions(e.Signature.Require)
	s.needs()
	s.typeOf()
	s.unique()
	s.key()
	s.secret()
	a := &Acceptance{
		Event: event, Endpoint: index, Method: cmp.Or(event.Spec.Method, "POST"), Path: e.Path + s.query, ContentType: s.contentType(),
		Body: s.text(s.body), Envelope: s.around(), Unsigned: s.unsigned(), Headers: s.headers,
	}
	changed := s.changed()
	if changed != nil {
		a.Changed = s.text(changed)
	}
	a.Batch = s.envelope != nil
	a.NoKey, a.NoKeyHeader = s.noKey()
	b.counts(a, s)
	a.Answers = s.answers(changed)
	return a
}

// testedEvents are the one with the most declared effects (one with an example
// of the document among equals) and, where that one needs no handler, the first
// such one of those that do.
func (b *planner) testedEvents() []*Event {
	best := richest(b.plan.Events)
	if best == nil {
		return nil
	}
	tested := []*Event{best}
	if !best.Spec.Handler {
		if handled := richest(handledEvents(b.plan)); handled != nil {
			tested = append(tested, handled)
		}
	}
	return tested
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

// endpointOf is the index of the first endpoint at which an event arrives.
func (b *planner) endpointOf(event *Event) int {
	arrives := func(e *spec.Endpoint) bool { return slices.Contains(e.Events, event.Spec) }
	return max(slices.IndexFunc(b.contract.Endpoints, arrives), 0)
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
