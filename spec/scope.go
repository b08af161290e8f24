package spec

import (
	"net/http"
	"sort"
)

// scope is one endpoint with its merged policy.
type scope struct {
	endpoint *Endpoint
	policy   *value
	at       Pos
	sender   *sender
	set      *outcomeSet
	named    bool
}

// scopes reads the endpoints; without any there is one at the mount point.
func (l *loader) scopes(c *Contract) []*scope {
	declared := l.root.get("endpoints").fieldsOf()
	base := l.root.with("endpoints", nil)
	base.at = l.root.at
	if len(declared) == 0 {
		s := l.scope(base, l.rootAt, "")
		c.Endpoints = []*Endpoint{s.endpoint}
		return []*scope{s}
	}
	var all []*scope
	for _, f := range declared {
		if !f.value.is(mapForm) || !l.goodName(f, "endpoint") {
			continue
		}
		s := l.scope(l.withPresets(base, eventMap(f.value)), f.at, f.name)
		c.Endpoints = append(c.Endpoints, s.endpoint)
		all = append(all, s)
	}
	l.refusePaths(all)
	return all
}

func (l *loader) scope(policy *value, at Pos, name string) *scope {
	e := &Endpoint{Pos: at, Name: name, Shared: isTrue(policy.get("shared")), MaxBody: defaultMaxBody}
	s := &scope{endpoint: e, policy: policy, at: at, named: name != ""}
	e.Path = l.endpointPath(policy.get("path"), name)
	if n, ok := l.size(policy.get("delivery", "maxBody"), "delivery.maxBody"); ok {
		e.MaxBody = n
	}
	e.Document = l.documentPlace(policy.get("document"))
	l.contentEncoding(policy.get("delivery", "contentEncoding"), e)
	e.Items = l.report.itemsAt(policy)
	e.Signature = l.signatureOf(s, keyNames{secrets: policy.get("secrets"), keys: policy.get("keys"), source: l.source, at: at})
	l.report.items = e.Items
	v := policy.get("event", "type")
	e.Type = l.selectors(v, place{"event.type", []SelectorKind{SelectBody, SelectHeader, SelectQuery, SelectForm}})
	e.Unknown = UnknownAcknowledge
	if word := l.word(policy.get("event", "unknown"), "event.unknown", []string{"acknowledge", "retry", "reject"}, nil); word != "" {
		e.Unknown = UnknownPolicy(word)
	}
	s.sender = l.report.sender(policy.get("sender"))
	l.report.items = ""
	l.typeSigned(s)
	l.ages(s)
	return s
}

// typeSigned warns where the type can be changed by whoever captured a request.
func (l *loader) typeSigned(s *scope) {
	scheme := s.endpoint.Signature
	if !scheme.Binds() || scheme.Type == "plugin" {
		return
	}
	for _, sel := range s.endpoint.Type {
		if !scheme.covers(sel) {
			l.warn(sel.Pos, "type-unsigned", "", "the signature does not cover the event type %q: a captured request can be sent again as another type", sel.Text())
			return
		}
	}
}

// ages deals with senders whose retries repeat the first timestamp: the
// tolerance must span their horizon.
func (l *loader) ages(s *scope) {
	scheme := s.endpoint.Signature
	if s.sender.resigns || scheme == nil || scheme.Timestamp == nil || scheme.Timestamp.NoTolerance {
		return
	}
	horizon := s.sender.horizon
	if !s.sender.hasHorizon {
		horizon = defaultRetention
	}
	v := s.policy.get("signature", "timestamp", "tolerance")
	if v == nil || v.preset {
		scheme.Timestamp.Tolerance = max(scheme.Timestamp.Tolerance, horizon)
		return
	}
	if scheme.Timestamp.Tolerance < horizon {
		l.warn(v.at, "tolerance-short", "leave tolerance out, and it spans the horizon", "the sender's retries repeat the first timestamp (sender.resigns: false) for %s, but the tolerance is %s: later retries are refused", inDays(horizon), inDays(scheme.Timestamp.Tolerance))
	}
}

// finish resolves what an endpoint answers before the event is known, lists
// its events, and checks the contract as a whole.
func (l *loader) finish(c *Contract, scopes []*scope) {
	for _, s := range scopes {
		s.endpoint.Sender = s.sender.habits()
		l.endpointOutcomes(s)
		l.batchAnswers(s)
		l.endpointMedia(s)
		s.endpoint.methods()
		sort.Slice(s.endpoint.Events, func(i, j int) bool { return s.endpoint.Events[i].Name < s.endpoint.Events[j].Name })
		if s.named && len(s.endpoint.Events) == 0 {
			l.warn(s.at, "endpoint-empty", "", "endpoint %q: no entry arrives here", s.endpoint.Name)
		}
		l.lintSync(s.sender, s.lintAt())
	}
	l.replayElsewhere(scopes)
	sort.Slice(c.Events, func(i, j int) bool { return c.Events[i].Name < c.Events[j].Name })
	l.agree(c)
	for at, known := range l.counters {
		if !known {
			l.warn(at, "volatile-unknown", "write {from: /x, undeclared: true} if it is there all the same", "sender.volatile: no event's schema has this member, so it keeps nothing out of the fingerprint")
		}
	}
	l.unusedDownstreams(c)
}

// lintAt is where findings about the sender stand.
func (s *scope) lintAt() Pos {
	for _, name := range []string{"timeout", "retries"} {
		if v := s.policy.get("sender", name); v != nil {
			return v.at
		}
	}
	if v := s.policy.get("sender"); v != nil {
		return v.at
	}
	return s.at
}

func (l *loader) endpointOutcomes(s *scope) {
	v := s.policy.get("outcomes")
	at := s.at
	if v != nil {
		at = v.at
	}
	l.report.items = s.endpoint.Items
	s.set = l.outcomesOf(v, at, nil)
	l.report.items = ""
	all := map[Outcome]Response{}
	early := []Outcome{Unauthenticated, Malformed, TooLarge, UnsupportedMedia, MethodNotAllowed, Ignored, Failed, Rejected}
	if s.endpoint.Items != "" {
		early = append(early, Processed, InProgress)
	}
	for _, o := range early {
		r := s.set.resolve(o)
		if r == nil && len(s.endpoint.Events) > 0 {
			first := s.endpoint.Events[0].Outcomes[o]
			if first.Status != 0 {
				r = &first
			}
		}
		if r != nil {
			all[o] = *r
		}
	}
	if s.endpoint.Unknown == UnknownReject {
		all[Rejected] = Response{Pos: at, Status: 422}
		if r := s.set.resolve(Ignored); r != nil && v.get(string(Ignored)) != nil {
			all[Rejected] = *r
		}
	}
	s.endpoint.Outcomes = all
	s.unlisted()
}

// unlisted adds what types that nobody listed can come to once one has a row:
// as the endpoint declares it, else as its first event does.
func (s *scope) unlisted() {
	for _, o := range []Outcome{Duplicate, Conflict, InProgress} {
		r := s.set.resolve(o)
		if r == nil && len(s.endpoint.Events) > 0 {
			if first, ok := s.endpoint.Events[0].Outcomes[o]; ok {
				r = &first
			}
		}
		if r != nil {
			s.endpoint.Outcomes[o] = *r
		}
	}
}

// methods lists what the entries are delivered with. A receiver tells events by
// their type alone, so each is taken with every method of its endpoint.
func (e *Endpoint) methods() {
	for _, event := range e.Events {
		if !contains(e.Methods, event.Method) {
			e.Methods = append(e.Methods, event.Method)
		}
	}
	sort.Slice(e.Methods, func(i, j int) bool {
		if post := e.Methods[i] == http.MethodPost; post != (e.Methods[j] == http.MethodPost) {
			return post
		}
		return e.Methods[i] < e.Methods[j]
	})
}

// arrives reports whether an entry is at an endpoint: at every one unless it
// names some.
func (l *loader) arrives(e *entry, s *scope) bool {
	names := e.policy.get("endpoint").each()
	if len(names) == 0 {
		return true
	}
	for _, n := range names {
		if n.text == s.endpoint.Name {
			return true
		}
	}
	return false
}

func (l *loader) unusedDownstreams(c *Contract) {
	used := map[string]bool{}
	for _, e := range c.Effects {
		if e.To != nil {
			used[e.To.Name] = true
		}
	}
	for _, d := range c.Downstreams {
		if !used[d.Name] {
			l.warn(d.Pos, "downstream-unused", "", "downstream %q: no effect calls it", d.Name)
		}
	}
}
