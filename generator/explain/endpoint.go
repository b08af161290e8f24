package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whgen/whgen/spec"
)

func (b *builder) endpoint(e *spec.Endpoint) *Endpoint {
	out := &Endpoint{
		Name: e.Name, Path: e.Path, Shared: e.Shared, Methods: e.Methods, Media: e.Media, MaxBody: e.MaxBody, Items: e.Items, Type: selectors(e.Type),
		Unknown: string(e.Unknown), Signature: b.signature(e), Sender: habits(e.Sender),
	}
	for _, o := range []spec.Outcome{spec.MethodNotAllowed, spec.UnsupportedMedia, spec.TooLarge, spec.Unauthenticated, spec.Malformed} {
		if r, ok := e.Outcomes[o]; ok {
			d := decision(o, r, e.Sender)
			if o == spec.MethodNotAllowed {
				d.Headers = append(d.Headers, "Allow: "+strings.Join(e.Methods, ", "))
			}
			out.Early = append(out.Early, d)
		}
	}
	if len(e.Type) > 0 {
		out.Early = append(out.Early, unknownType(e))
	}
	for _, c := range e.Challenges {
		body := templateText(c.Body)
		if c.JSON != nil {
			body = payload(c.JSON)
		}
		out.Challenges = append(out.Challenges, Challenge{When: conditions(c.Match), Authenticate: c.Authenticate, Status: c.Status, Body: body})
	}
	return out
}

// unknownType is the line of a verified type that nobody listed.
func unknownType(e *spec.Endpoint) Decision {
	as := map[spec.UnknownPolicy]spec.Outcome{spec.UnknownRetry: spec.Failed, spec.UnknownReject: spec.Rejected}[e.Unknown]
	if as == "" {
		as = spec.Ignored
	}
	d := decision(spec.Ignored, e.Outcomes[as], e.Sender)
	d.When = fmt.Sprintf("a verified type that nobody listed (event.unknown: %s)", e.Unknown)
	return d
}

func (b *builder) signature(e *spec.Endpoint) *Signature {
	bound := b.bind(e.Signature)
	out := scheme(e.Signature)
	out.Warnings = bound.Weak()
	if e.Signature != nil {
		b.coverage(e, bound, out)
	}
	return out
}

// scheme says what is declared, without what it comes to.
func scheme(s *spec.Scheme) *Signature {
	out := &Signature{}
	if s == nil {
		return out
	}
	out.Type, out.Preset, out.Reason, out.Encoding = s.Type, s.Preset, s.Reason, s.Encoding
	if s.Imported != "" {
		out.Imported = s.Imported + " at " + s.Pos.String()
	}
	out.From, out.Content = selectors(s.From), template(s.Content)
	out.Items, out.Algs, out.Networks, out.Plugin = s.Items, s.Algs, s.Networks, s.Plugin
	if s.Content != nil {
		out.Hash = s.Hash
	}
	if h := s.BodyHash; h != nil {
		out.BodyHash = h.Hash + " in " + h.From.Text()
	}
	for _, one := range s.Secrets {
		secret := Secret{Name: one.Name, Fetched: one.Fetch != nil}
		if !one.Until.IsZero() {
			secret.Until = one.Until.Add(-time.Second).UTC().Format(time.DateOnly)
		}
		out.Secrets = append(out.Secrets, secret)
	}
	switch t := s.Timestamp; {
	case t == nil:
	case t.NoTolerance:
		out.Tolerance = "none"
	default:
		out.Tolerance = duration(t.Tolerance)
		if !t.NoFuture {
			out.Future = duration(t.FutureTolerance)
		}
	}
	if m := s.Claims.MaxAge; m != nil {
		out.Tolerance, out.Future = duration(m.Tolerance), duration(m.FutureTolerance)
	}
	for _, m := range s.Any {
		out.Any = append(out.Any, scheme(m))
	}
	for _, m := range s.All {
		out.All = append(out.All, scheme(m))
	}
	return out
}

// coverage lists what the signature covers of everything that the receiver
// goes by, and what it does not.
func (b *builder) coverage(e *spec.Endpoint, bound Binding, out *Signature) {
	say := func(covered bool, what string) {
		list := &out.Leaves
		if covered {
			list = &out.Covers
		}
		if !slices.Contains(*list, what) {
			*list = append(*list, what)
		}
	}
	say(bound.Body(), "the body")
	for _, one := range append([]*spec.Scheme{e.Signature}, e.Signature.Members()...) {
		if t := one.Timestamp; t != nil {
			say(bound.Value(t.From), "the time, "+t.From.Text())
		}
	}
	for _, s := range e.Type {
		say(bound.Value(s), "the event type, "+s.Text())
	}
	for _, event := range e.Events {
		for _, s := range event.Key {
			say(bound.Value(s), "the event key, "+s.Text())
		}
	}
	for _, event := range e.Events {
		for _, s := range used(event) {
			if s.Kind == spec.SelectHeader || s.Kind == spec.SelectQuery {
				say(bound.Value(s), s.Text())
			}
		}
	}
	say(bound.Value(spec.Selector{Kind: spec.SelectMethod}), "the method")
	say(bound.Value(spec.Selector{Kind: spec.SelectPath}), "the address")
	say(false, "every other header")
}

// used are the selectors of an event's conditions and effects.
func used(e *spec.Event) []spec.Selector {
	var all []spec.Selector
	add := func(t *spec.Template) {
		for i := range t.Parts {
			if s := t.Parts[i].Selector; s != nil {
				all = append(all, *s)
			}
		}
	}
	conditions := slices.Clone(e.When)
	for _, f := range e.Effects {
		conditions = append(conditions, f.When...)
		for _, c := range f.Columns {
			add(c.From)
		}
		if f.Path != nil {
			add(f.Path)
		}
		eachPayload(f.Payload, &all, add)
	}
	for _, c := range conditions {
		all = append(all, c.From)
	}
	return all
}

func eachPayload(p *spec.Payload, all *[]spec.Selector, add func(*spec.Template)) {
	if p == nil {
		return
	}
	if p.Selector != nil {
		*all = append(*all, *p.Selector)
	}
	if p.Template != nil {
		add(p.Template)
	}
	for _, m := range p.Members {
		eachPayload(m.Value, all, add)
	}
	for _, i := range p.Items {
		eachPayload(i, all, add)
	}
}

func habits(h *spec.Habits) Sender {
	out := Sender{Retries: "others", Resigns: h.Resigns, Stops: statuses(h.Stops)}
	for _, a := range h.Acknowledges {
		text := statuses([]spec.StatusRange{a.Status})[0]
		if a.Body != nil {
			text += fmt.Sprintf(" with the body %q", *a.Body)
		}
		out.Acknowledges = append(out.Acknowledges, text)
	}
	for _, name := range h.StopHeaders {
		out.Stops = append(out.Stops, "header:"+name)
	}
	switch {
	case h.Never:
		out.Retries = "never"
	case !h.Others:
		out.Retries = and(statuses(h.Retries))
	}
	if h.Timeout > 0 {
		out.Timeout = duration(h.Timeout)
	}
	if h.HorizonKnown {
		out.RetryHorizon = duration(h.Horizon)
	}
	if h.Redelivers > 0 {
		out.Redelivers = duration(h.Redelivers)
	}
	return out
}
