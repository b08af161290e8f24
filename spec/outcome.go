package spec

import (
	"fmt"
	"strings"
	"time"
)

// outcomes in the order of the decision table.
var outcomes = []Outcome{Processed, Duplicate, Conflict, InProgress, Failed, Accepted, Rejected, Known, Stale, Ignored,
	Unauthenticated, Malformed, TooLarge, UnsupportedMedia, MethodNotAllowed}

// Outcomes lists every outcome, in the order of the decision table.
func Outcomes() []Outcome { return append([]Outcome{}, outcomes...) }

// early reports whether an outcome is decided before the type is known.
func (o Outcome) early() bool {
	switch o {
	case Unauthenticated, Malformed, TooLarge, UnsupportedMedia, MethodNotAllowed:
		return true
	}
	return false
}

// fixed is what an outcome answers where nothing is declared: a status, or as
// another outcome does. The five that are demanded have neither.
var fixed = map[Outcome]struct {
	status int
	as     Outcome
}{
	Rejected: {as: Processed}, Known: {as: Duplicate}, Stale: {as: Processed}, Ignored: {as: Processed},
	Unauthenticated: {status: 401}, Malformed: {status: 400}, TooLarge: {status: 413}, UnsupportedMedia: {status: 415}, MethodNotAllowed: {status: 405},
}

// writeInstead is the hint for a demanded outcome that is missing.
var writeInstead = map[Outcome]string{
	Processed:  `under outcomes write "processed: 200", or the status that the sender takes for an acknowledgement`,
	Duplicate:  `under outcomes write "duplicate: replay" for the stored response, or "duplicate: processed"`,
	Conflict:   `under outcomes write "conflict: processed" where a retry would not change it, or a status that ends the retries`,
	InProgress: `under outcomes write "inProgress: {status: 503, retryAfter: 5s}", a status that the sender retries`,
	Failed:     `under outcomes write "failed: {status: 500, retryAfter: 30s}", a status that the sender retries`,
}

// maxStored is the size up to which a response is stored and replayed.
const maxStored = 8 << 10

// outcomeSet resolves the outcomes of one level.
type outcomeSet struct {
	*report
	from     *value // the merged map
	at       Pos    // where outcomes are, or should be
	demanded []Outcome
	done     map[Outcome]*Response
	busy     []Outcome
	missing  []Outcome
}

func (r *report) outcomesOf(v *value, at Pos, demanded []Outcome) *outcomeSet {
	s := &outcomeSet{report: r, from: v, at: at, demanded: demanded, done: map[Outcome]*Response{}}
	for _, o := range demanded {
		if v.get(string(o)) == nil {
			s.missing = append(s.missing, o)
		}
	}
	return s
}

// resolve is the response of an outcome; nil when it is not declared or there
// is a finding.
func (s *outcomeSet) resolve(o Outcome) *Response {
	if done, ok := s.done[o]; ok {
		return done
	}
	for i, b := range s.busy {
		if b == o {
			s.circle(append(s.busy[i:], o))
			return nil
		}
	}
	s.busy = append(s.busy, o)
	response := s.read(o)
	s.busy = s.busy[:len(s.busy)-1]
	s.done[o] = response
	return response
}

func (s *outcomeSet) circle(way []Outcome) {
	names := make([]string, len(way))
	for i, o := range way {
		names[i] = string(o)
	}
	s.err(s.from.get(names[0]).at, "outcome-circle", "give one of them a status", "outcomes name each other in a circle: %s", strings.Join(names, " -> "))
}

func (s *outcomeSet) read(o Outcome) *Response {
	v := s.from.get(string(o))
	switch {
	case v == nil:
		return s.undeclared(o)
	case v.is(mapForm):
		return s.response(o, v)
	case !v.is(scalarForms):
		return nil
	case v.is(numberForm):
		return s.plain(o, v)
	case v.text == "replay":
		return s.replay(o, v)
	}
	if _, ok := parseStatus(v.text); ok {
		return s.plain(o, v)
	}
	for _, other := range outcomes {
		if string(other) == v.text {
			return s.named(v, other)
		}
	}
	hint := didYouMean(v.text, append(outcomeNames(), "replay"))
	s.err(v.at, "outcome", hint, "outcome %q: %q is no status, no outcome and not replay", o, v.text)
	return nil
}

func outcomeNames() []string {
	names := make([]string, 0, len(outcomes))
	for _, o := range outcomes {
		names = append(names, string(o))
	}
	return names
}

func (s *outcomeSet) undeclared(o Outcome) *Response {
	f, ok := fixed[o]
	switch {
	case !ok:
		return nil
	case f.status != 0:
		return &Response{Pos: s.at, Status: f.status}
	default:
		return s.resolve(f.as)
	}
}

func (s *outcomeSet) named(v *value, other Outcome) *Response {
	response := s.resolve(other)
	if response == nil {
		return nil
	}
	c := *response
	c.Pos = v.at
	return &c
}

func (s *outcomeSet) plain(o Outcome, v *value) *Response {
	status, ok := parseStatus(v.text)
	if !ok || status.From != status.To || status.From < 200 {
		s.err(v.at, "status", "write a status such as 200", "outcome %q: %s is no status from 200 to 599", o, v.text)
		return nil
	}
	return &Response{Pos: v.at, Status: status.From}
}

// replay stands for the stored response; where none is stored, the response of
// `processed` stands in.
func (s *outcomeSet) replay(o Outcome, v *value) *Response {
	if o != Duplicate && o != Known {
		s.err(v.at, "outcome-replay", "", "outcome %q cannot be replay: only a repeat has a stored response", o)
		return nil
	}
	response := Response{Status: 200}
	if p := s.resolve(Processed); p != nil {
		response = *p
	}
	response.Pos, response.Replay = v.at, true
	return &response
}

func (s *outcomeSet) response(o Outcome, v *value) *Response {
	r := &Response{Pos: v.at, ContentType: textOf(v.get("contentType"))}
	status := v.get("status")
	if status == nil {
		s.err(v.at, "status", "write status: 200", "outcome %q: the response has no status", o)
		return nil
	}
	plain := s.plain(o, status)
	if plain == nil {
		return nil
	}
	r.Status = plain.Status
	r.Pos = status.at
	if d, ok := s.duration(v.get("retryAfter"), "outcomes."+string(o)+".retryAfter"); ok {
		r.RetryAfter = (d + time.Second - 1).Truncate(time.Second)
	}
	if body := v.get("body"); body != nil {
		r.Body = s.body(o, body, r)
	}
	r.Headers = s.responseHeaders(o, v.get("headers"))
	if v.get("stop") != nil && !isTrue(v.get("stop")) {
		s.info(v.get("stop").at, "outcome-stop", "", "outcome %q: stop: false is the default", o)
	}
	return r
}

func (s *outcomeSet) body(o Outcome, v *value, r *Response) *Template {
	if v.text == "handler" {
		s.later(v.at, "outcome %q: body: handler", o)
		return nil
	}
	t := s.template(v, place{fmt.Sprintf("outcome %q", o), inDelivery})
	if t == nil {
		return nil
	}
	s.earlyMembers(o, v.at, t)
	size := 0
	for _, p := range t.Parts {
		size += len(p.Text)
	}
	if size > maxStored {
		s.err(v.at, "response-size", "", "outcome %q: the body has %d bytes; more than %d cannot be stored and replayed", o, size, maxStored)
	}
	if r.Status == 204 || r.Status == 304 {
		s.err(v.at, "response-body", "", "outcome %q: a response of status %d has no body", o, r.Status)
	}
	return t
}

// earlyMembers refuses members of the body in an answer that is given before
// the body was parsed.
func (s *outcomeSet) earlyMembers(o Outcome, at Pos, t *Template) {
	if !o.early() || t == nil {
		return
	}
	for _, p := range t.Parts {
		if p.Selector != nil && p.Selector.Kind != SelectConst {
			s.err(at, "response-early", "", "outcome %q is answered before the request is read; it cannot name %q", o, p.Selector.Text())
		}
	}
}

// ownHeaders are what the receiver or HTTP itself says of an answer.
var ownHeaders = map[string]string{
	"content-length": "leave it out", "transfer-encoding": "leave it out", "connection": "leave it out", "trailer": "leave it out",
	"content-type": "write contentType", "retry-after": "write retryAfter",
}

func (s *outcomeSet) responseHeaders(o Outcome, v *value) []Header {
	var all []Header
	for _, f := range v.fieldsOf() {
		name := fmt.Sprintf("outcome %q, header %q", o, f.name)
		if !isToken(f.name) {
			s.err(f.at, "header-name", "", "%s: this is no name of a header", name)
			continue
		}
		if hint, ours := ownHeaders[strings.ToLower(f.name)]; ours {
			s.err(f.at, "header-name", hint, "%s: the receiver writes this header itself", name)
			continue
		}
		t := s.template(f.value, place{name, inDelivery})
		if t == nil {
			continue
		}
		s.earlyMembers(o, f.value.at, t)
		if strings.ContainsAny(f.value.text, "\r\n") {
			s.err(f.value.at, "header-value", "", "%s: a line break cannot stand in a header", name)
			continue
		}
		all = append(all, Header{Name: f.name, Value: *t})
	}
	return all
}
