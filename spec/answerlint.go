package spec

import (
	"strconv"
	"time"
)

// lintAnswers holds what is declared against what the sender makes of it.
// Defaults are not linted.
func (r *report) lintAnswers(set *outcomeSet, s *sender) {
	for _, o := range outcomes {
		declared := set.from.get(string(o))
		if declared == nil || declared.preset {
			continue
		}
		a := set.resolve(o)
		if a == nil {
			continue
		}
		r.lintStop(o, a, declared, s)
		r.lintAcknowledged(o, a, s)
		r.lintRetried(o, a, s)
	}
}

func (r *report) lintStop(o Outcome, a *Response, declared *value, s *sender) {
	if s.stopped(a) && !isTrue(declared.get("stop")) {
		r.err(a.Pos, "outcome-stops", "use another status, or say stop: true", "outcome %q answers %d, which ends the sender's retries or the subscription", o, a.Status)
	}
}

func (r *report) lintAcknowledged(o Outcome, a *Response, s *sender) {
	switch o {
	case Processed, Duplicate, Accepted:
		if len(s.acks) > 0 && !s.acknowledged(a) {
			r.err(a.Pos, "outcome-not-acknowledged", "use a status of sender.acknowledges",
				"outcome %q answers %d, which the sender does not take for an acknowledgement", o, a.Status)
		}
	}
}

func (r *report) lintRetried(o Outcome, a *Response, s *sender) {
	if s.never || len(s.acks) == 0 && s.others && len(s.stops) == 0 {
		return
	}
	switch o {
	case Failed, InProgress:
		if !s.retried(a) && !s.stopped(a) {
			r.err(a.Pos, "outcome-not-retried", "use a status that the sender retries, such as 503",
				"outcome %q answers %d, after which the sender does not deliver again: the event would be lost", o, a.Status)
		}
	case Conflict, Rejected:
		if len(s.acks) > 0 && s.retried(a) {
			r.warn(a.Pos, string(o)+"-is-retried", "use a status that ends the retries",
				"outcome %q answers %d, which the sender retries until its horizon", o, a.Status)
		}
	}
}

// lintSync warns of senders for which working before the answer is a risk.
func (r *report) lintSync(s *sender, at Pos) {
	if s.never {
		r.warn(at, "sync-never-retried", "", "the sender never retries: an event whose work fails is lost unless it is delivered again by hand")
	}
	if s.timeout > 0 && s.timeout <= 5*time.Second {
		r.warn(at, "sync-short-timeout", "keep handlers short, and send to the outside through outbox effects", "the sender waits only %s for the answer", s.timeout)
	}
}

// lintResponses tells where an answer is not declared in the document.
func (r *report) lintResponses(label string, declared []string, set *outcomeSet) {
	if len(declared) == 0 || contains(declared, "default") {
		return
	}
	for _, o := range outcomes {
		a := set.resolve(o)
		if a == nil || set.from.get(string(o)) == nil || o.early() || a.Status >= 500 || declares(declared, a.Status) {
			continue
		}
		r.info(a.Pos, "status-undeclared", "", "event %q: outcome %q answers %d, which the document does not declare", label, o, a.Status)
	}
}

func declares(declared []string, status int) bool {
	for _, text := range declared {
		if s, ok := parseStatus(text); ok && inRanges([]StatusRange{s}, status) {
			return true
		}
	}
	return contains(declared, strconv.Itoa(status))
}
