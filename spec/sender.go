package spec

import "time"

// sender is what the contract says about the sender's habits.
type sender struct {
	acks       []ack // nil: not declared
	retries    []StatusRange
	others     bool // retries: others
	never      bool // retries: never
	stops      []StatusRange
	stopHeader []string
	timeout    time.Duration // 0: not declared
	horizon    time.Duration
	hasHorizon bool
	redelivers time.Duration
	resigns    bool
	noResign   Pos // of `resigns: false`
}

// ack is a status, and a body where the sender wants one, that stops retries.
type ack struct {
	status StatusRange
	body   *string
}

func (r *report) sender(v *value) *sender {
	s := &sender{others: true, resigns: true}
	if v == nil {
		return s
	}
	r.acks(v.get("acknowledges"), s)
	r.retries(v.get("retries"), s)
	r.stops(v.get("stops"), s)
	s.timeout, _ = r.duration(v.get("timeout"), "sender.timeout")
	s.horizon, s.hasHorizon = r.duration(v.get("retryHorizon"), "sender.retryHorizon")
	s.redelivers, _ = r.duration(v.get("redelivers"), "sender.redelivers")
	if n := v.get("resigns"); n.is(booleanForm) && !isTrue(n) {
		s.resigns, s.noResign = false, n.at
	}
	if s.never {
		s.horizon, s.hasHorizon = 0, true
	}
	return s
}

func (r *report) acks(v *value, s *sender) {
	for _, item := range v.each() {
		status, body := item, (*value)(nil)
		if item.form == mapForm {
			status, body = item.get("status"), item.get("body")
		}
		for _, one := range r.statuses(status, "sender.acknowledges") {
			a := ack{status: one}
			if body != nil {
				text := textOf(body)
				a.body = &text
			}
			s.acks = append(s.acks, a)
		}
	}
}

func (r *report) retries(v *value, s *sender) {
	switch {
	case v == nil || v.text == "others":
	case v.text == "never":
		s.never, s.others = true, false
	default:
		s.others = false
		s.retries = r.statuses(v, "sender.retries")
	}
}

func (r *report) stops(v *value, s *sender) {
	for _, item := range v.each() {
		if kind, name, ok := splitSelector(item.text); ok {
			if kind != SelectHeader {
				r.err(item.at, "selector", "write header:X-Name", "sender.stops: want a status or a header of our answer")
				continue
			}
			s.stopHeader = append(s.stopHeader, name)
			continue
		}
		s.stops = append(s.stops, r.statuses(item, "sender.stops")...)
	}
}

// acknowledged reports whether the sender takes an answer for received.
func (s *sender) acknowledged(a *Response) bool {
	for _, one := range s.acks {
		if a.Status < one.status.From || a.Status > one.status.To {
			continue
		}
		if one.body == nil {
			return true
		}
		if a.Body != nil {
			if text, ok := a.Body.Literal(); ok && text == *one.body {
				return true
			}
		}
	}
	return false
}

// retried reports whether the sender delivers again after an answer.
func (s *sender) retried(a *Response) bool {
	switch {
	case s.never:
		return false
	case s.others:
		return !s.acknowledged(a) && !s.stopped(a)
	default:
		return inRanges(s.retries, a.Status)
	}
}

// stopped reports whether an answer ends the retries or the subscription.
func (s *sender) stopped(a *Response) bool {
	if inRanges(s.stops, a.Status) {
		return true
	}
	for _, h := range a.Headers {
		for _, name := range s.stopHeader {
			if sameSelector(Selector{Kind: SelectHeader, Name: name}, Selector{Kind: SelectHeader, Name: h.Name}) {
				return true
			}
		}
	}
	return false
}
