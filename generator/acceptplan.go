package generator

import (
	"slices"

	"github.com/whgen/whgen/spec"
)

// number is where the generated test puts the number of an event.
const number = "{{n}}"

// acceptance computes what the generated test is told: one event's request, and
// what it must leave behind.
func (b *planner) acceptance() {
	event := b.testedEvent()
	if event == nil {
		return
	}
	e := b.endpointOf(event)
	s := &sampler{event: event, endpoint: e, body: nestNames(event.Spec, sampleBody(event.Spec)), outer: &node{object: true}}
	s.conditions(event.Spec.When)
	s.needs()
	s.typeOf()
	s.unique()
	s.key()
	s.secret()
	a := &b.plan.Accept
	*a = Acceptance{
		Event: event, Method: "POST", Path: e.Path + s.query, ContentType: s.contentType(),
		Body: s.text(s.body), Envelope: s.envelope(), Unsigned: s.unsigned(), Headers: s.headers,
		AnswerWithin: event.Spec.AnswerWithin,
	}
	a.Changed = s.changed()
	a.NoKey, a.NoKeyHeader = s.noKey()
	a.Statuses, a.BodyOf = answers(event.Spec.Outcomes)
	for o, r := range e.Outcomes {
		if _, ok := a.Statuses[string(o)]; !ok {
			a.Statuses[string(o)] = r.Status
		}
	}
	b.counts(a, s)
}

// testedEvent is the one with the most declared effects; one with an example of
// the document among equals.
func (b *planner) testedEvent() *Event {
	var best *Event
	points := -1
	for _, e := range b.plan.Events {
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

func (b *planner) endpointOf(event *Event) *spec.Endpoint {
	for _, e := range b.contract.Endpoints {
		if slices.Contains(e.Events, event.Spec) {
			return e
		}
	}
	return b.contract.Endpoints[0]
}

func (b *planner) counts(a *Acceptance, s *sampler) {
	rows := map[string]int{}
	for _, r := range s.event.Records {
		rows[r.Table.SQLName] += 0
		if s.holds(r.Spec.When) {
			rows[r.Table.SQLName]++
		}
	}
	for _, name := range sortedKeys(rows) {
		a.Tables = append(a.Tables, AcceptTable{SQLName: name, Rows: rows[name]})
	}
	for _, e := range s.event.Spec.Effects {
		if e.Kind != spec.EffectRecord && e.Enqueue == "" && s.holds(e.When) {
			a.Outbox++
		}
	}
}

// answers are the statuses, and the bodies that are the same for every event.
func answers(all map[spec.Outcome]spec.Response) (statuses map[string]int, bodies map[string]string) {
	statuses, bodies = map[string]int{}, map[string]string{}
	for o, r := range all {
		if r.Replay {
			r = all[spec.Processed]
		}
		statuses[string(o)] = r.Status
		if r.Body == nil {
			bodies[string(o)] = ""
		} else if text, ok := r.Body.Literal(); ok {
			bodies[string(o)] = text
		}
	}
	return statuses, bodies
}
