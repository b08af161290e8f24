package spec

import (
	"fmt"
	"sort"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
	"gopkg.in/yaml.v3"
)

// eventPlan is one event before the document is loaded.
type eventPlan struct {
	entry   *entry
	policy  *value // of the entry and the event merged, without what is above
	when    []*value
	key     string // in events; "" for the entry itself
	at      Pos
	webhook string // under which its schema stands in the cut document
}

// planEvents lists the events of every entry and the schemas that they name.
func (l *loader) planEvents() []*eventPlan {
	var all []*eventPlan
	for _, e := range l.entries {
		l.entryBody(e)
		carried := e.policy.get("events")
		if !carried.is(mapForm) || len(carried.fields) == 0 {
			all = append(all, l.planSchema(&eventPlan{entry: e, policy: e.policy, at: e.policy.at, webhook: e.name}))
			continue
		}
		for _, f := range carried.fields {
			if f.value.is(mapForm | nullForm) {
				all = append(all, l.planSchema(carriedPlan(e, f)))
			}
		}
	}
	return all
}

// carriedPlan is one event of an entry that carries several: what the entry
// says counts for each, but for its name and its types.
func carriedPlan(e *entry, f field) *eventPlan {
	base := e.policy.with("events", nil).with("name", nil).with("schema", nil)
	if event := base.get("event"); event != nil {
		base = base.with("event", event.with("is", nil))
	}
	p := &eventPlan{entry: e, key: f.name, at: f.at, webhook: e.name}
	p.policy = base
	if f.value.is(mapForm) {
		p.policy = mergeValues(&key{keys: rootKeys}, base, eventMap(f.value))
	}
	if own, all := f.value.get("when"), e.policy.get("when"); own != nil && all != nil {
		p.when = []*value{all}
	}
	return p
}

// planSchema notes the schema that an event names itself, or that the
// discriminator of its entry gives to its type.
func (l *loader) planSchema(p *eventPlan) *eventPlan {
	n := l.discriminated(p)
	if v := p.policy.get("schema"); v != nil {
		if n = v.node; v.is(textForm) {
			n = l.tree.refNode(v.text, v.node)
		}
		if l.tree.deref(n) == nil {
			l.err(v.at, "schema", "write schema: '#/components/schemas/Order'", "schema %q leads nowhere", orElse(v.text, textOf(v.get("$ref"))))
			return p
		}
	}
	if n != nil {
		p.webhook = fmt.Sprintf("%s#%s", p.entry.name, p.key)
		l.schemas[p.webhook] = n
	}
	return p
}

// refNode is a $ref as if it stood where a node stands.
func (t *tree) refNode(ref string, at *yaml.Node) *yaml.Node {
	scalar := func(text string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: at.Line, Column: at.Column}
	}
	n := &yaml.Node{Kind: yaml.MappingNode, Line: at.Line, Column: at.Column, Content: []*yaml.Node{scalar("$ref"), scalar(ref)}}
	t.adopt(n, t.sourceOf(at))
	return n
}

// events reads every event at the endpoints where it arrives.
func (l *loader) events(c *Contract, plans []*eventPlan, scopes []*scope) {
	l.checkEndpoints(scopes)
	missing := &missingOutcomes{report: l.report}
	byName := map[string]*Event{}
	for _, p := range plans {
		at := l.scopesOf(p.entry, scopes)
		if len(at) == 0 {
			continue
		}
		e := l.event(c, p, at, missing)
		l.sameEverywhere(e, at)
		l.nameEvent(p, e, byName)
		c.Events = append(c.Events, e)
		for _, s := range at {
			s.endpoint.Events = append(s.endpoint.Events, e)
		}
	}
	missing.tell(len(plans))
	for _, s := range scopes {
		l.refuseTypes(s)
	}
}

func (l *loader) scopesOf(e *entry, scopes []*scope) []*scope {
	var all []*scope
	for _, s := range scopes {
		if l.arrives(e, s) {
			all = append(all, s)
		}
	}
	return all
}

func (l *loader) checkEndpoints(scopes []*scope) {
	var names []string
	for _, s := range scopes {
		names = append(names, s.endpoint.Name)
	}
	for _, e := range l.entries {
		for _, n := range e.policy.get("endpoint").each() {
			if !contains(names, n.text) || n.text == "" {
				l.err(n.at, "endpoint", didYouMean(n.text, names), "entry %q: endpoint %q is not declared", e.name, n.text)
			}
		}
	}
}

// event reads one event as it arrives at its first endpoint.
func (l *loader) event(c *Contract, p *eventPlan, at []*scope, missing *missingOutcomes) *Event {
	s := at[0]
	policy := mergeValues(&key{keys: rootKeys}, s.policy, p.policy)
	e := &Event{Pos: p.at, Entry: p.entry.name, Method: strings.ToUpper(p.entry.method), Confirmed: true}
	if n := lookup(p.entry.operation, "summary"); n != nil {
		e.Summary = n.Value
	}
	if n := lookup(p.entry.operation, "description"); n != nil {
		e.Description = n.Value
	}
	e.Schema = l.schemaOf(p.webhook, p.entry.method)
	e.Media, e.Body = p.entry.takes()
	if p.webhook == p.entry.name || p.key == "" {
		e.Example = l.tree.example(p.entry)
	}
	l.batch(p, e, s)
	l.report.items = s.endpoint.Items
	defer func() { l.report.items = "" }()
	e.Name = l.eventName(p)
	l.types(p, e, s)
	label := e.Name
	if len(e.Types) > 0 {
		label = e.Types[0]
	}
	w := &work{report: l.report, event: e, label: label, policy: policy, at: p.at, endpoint: s.endpoint, scopes: at, sender: s.sender,
		contract: c, badKeys: l.badKeys, counters: l.counters, statuses: declaredStatuses(p.entry)}
	for _, v := range p.when {
		e.When = append(e.When, w.conditions(v, "when", inDelivery)...)
	}
	w.read()
	missing.note(w)
	return e
}

func declaredStatuses(e *entry) []string {
	var all []string
	for _, name := range keysOf(lookup(e.operation, "responses")) {
		if !strings.HasPrefix(name, "x-") {
			all = append(all, name)
		}
	}
	return all
}

// schemaOf is the body schema of a webhook of the cut document.
func (l *loader) schemaOf(webhook, method string) *openapi3.SchemaRef {
	item := l.document.Webhooks[webhook]
	if item == nil {
		return nil
	}
	op := item.GetOperation(strings.ToUpper(method))
	if op == nil {
		op = item.Post
	}
	if op == nil || op.RequestBody == nil || op.RequestBody.Value == nil {
		return nil
	}
	for _, media := range op.RequestBody.Value.Content {
		return media.Schema
	}
	return nil
}

func (l *loader) eventName(p *eventPlan) string {
	if v := p.policy.get("name"); v != nil {
		if !eventName.MatchString(v.text) {
			l.err(v.at, "name", "write a name such as "+camel(v.text, "orderPaid"), "event %q: a name is of the form [a-z][A-Za-z0-9]*", v.text)
		}
		return v.text
	}
	from := p.key
	if from == "" {
		from = p.entry.name
	}
	name := camel(strings.TrimSuffix(from, ".*"), "")
	if name == "" || strings.ContainsFunc(from, func(c rune) bool { return c > unicode.MaxASCII }) {
		// What camel leaves out is all that tells two of them apart.
		name = orElse(name, "event") + "X" + hash4(from)
		l.info(p.at, "name", "write name: orderPaid", "event %q is named %q, because a name has only letters a to z and digits", from, name)
	}
	return name
}

func (l *loader) nameEvent(p *eventPlan, e *Event, byName map[string]*Event) {
	if first, ok := byName[e.Name]; ok {
		l.err(p.at, "name-collision", "write name: on one of them", "events %q and %q are both named %q; the other stands at %s", planKey(first), orElse(p.key, p.entry.name), e.Name, first.Pos)
		return
	}
	byName[e.Name] = e
}

func planKey(e *Event) string { return e.Entry }

// sameEverywhere refuses an event that arrives at several endpoints whose
// policies would treat it differently.
func (l *loader) sameEverywhere(e *Event, at []*scope) {
	for _, s := range at[1:] {
		for _, names := range eventPaths() {
			if !s.policy.get(names...).equal(at[0].policy.get(names...)) {
				l.later(s.at, "event %q at endpoints %q and %q with different %s", e.Name, at[0].endpoint.Name, s.endpoint.Name, strings.Join(names, "."))
				return
			}
		}
	}
}

// eventPaths are the keys of an endpoint that count for its events.
func eventPaths() [][]string {
	paths := [][]string{{"event", "type"}, {"event", "key"}, {"event", "derived"}, {"event", "replay"}, {"fingerprint"}, {"sender", "volatile"}}
	for _, name := range []string{"answerWithin", "deadline", "inProgressWait", "retention", "payload"} {
		paths = append(paths, []string{"delivery", name})
	}
	for _, o := range outcomes {
		if !o.early() {
			paths = append(paths, []string{"outcomes", string(o)})
		}
	}
	return paths
}

// missingOutcomes collects what is not declared, so that one gap at the root
// is one finding.
type missingOutcomes struct {
	*report
	at map[Pos]map[Outcome][]string
}

func (m *missingOutcomes) note(w *work) {
	if m.at == nil {
		m.at = map[Pos]map[Outcome][]string{}
	}
	for _, o := range w.set.missing {
		if m.at[w.set.at] == nil {
			m.at[w.set.at] = map[Outcome][]string{}
		}
		m.at[w.set.at][o] = append(m.at[w.set.at][o], w.label)
	}
}

func (m *missingOutcomes) tell(events int) {
	for at, gaps := range m.at {
		for o, labels := range gaps {
			sort.Strings(labels)
			if len(labels) == events {
				m.err(at, "outcome-missing", writeInstead[o], "outcome %q is not declared; it has no default, because senders differ", o)
				continue
			}
			m.err(at, "outcome-missing", writeInstead[o], "outcome %q is not declared for event %s; it has no default, because senders differ", o, quoted(labels))
		}
	}
}

func quoted(names []string) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = fmt.Sprintf("%q", n)
	}
	return list(all, "and")
}
