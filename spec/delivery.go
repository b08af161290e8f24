package spec

import "time"

const (
	leastRetention   = 7 * 24 * time.Hour
	defaultRetention = 30 * 24 * time.Hour
	defaultMaxBody   = 1 << 20
)

// delivery reads the times of one event.
func (r *report) delivery(v *value, e *Event, s *sender) {
	r.word(v.get("mode"), "delivery.mode", []string{"sync"}, []string{"ack", "jetstream"})
	r.word(v.get("validate"), "delivery.validate", []string{"off"}, []string{"strict"})
	e.AnswerWithin = 8 * time.Second
	if s.timeout > 0 {
		e.AnswerWithin = s.timeout * 8 / 10
	}
	if d, ok := r.duration(v.get("answerWithin"), "delivery.answerWithin"); ok {
		e.AnswerWithin = d
		if s.timeout > 0 && d >= s.timeout {
			r.err(v.get("answerWithin").at, "answer-within", "", "delivery.answerWithin is %s, but the sender gives up after %s", d, s.timeout)
		}
	}
	e.Deadline = 30 * time.Second
	if d, ok := r.duration(v.get("deadline"), "delivery.deadline"); ok {
		e.Deadline = d
	}
	r.inProgressWait(v.get("inProgressWait"), e)
	r.retention(v.get("retention"), e, s)
	e.Redact = r.selectors(v.get("payload").get("redact"), place{"delivery.payload.redact", []SelectorKind{SelectBody, SelectForm}})
	e.PayloadKeep, _ = r.duration(v.get("payload").get("keep"), "delivery.payload.keep")
}

func (r *report) inProgressWait(v *value, e *Event) {
	e.InProgressWait = min(2*time.Second, e.AnswerWithin/2)
	d, ok := r.duration(v, "delivery.inProgressWait")
	if !ok {
		return
	}
	if d > e.AnswerWithin/2 {
		r.err(v.at, "in-progress-wait", "", "delivery.inProgressWait is %s; at most half of answerWithin, %s", d, e.AnswerWithin/2)
		return
	}
	e.InProgressWait = d
}

// retention demands that keys outlive the sender's retries.
func (r *report) retention(v *value, e *Event, s *sender) {
	least, why := s.habits().LeastRetention()
	e.Retention = least
	d, ok := r.duration(v, "delivery.retention")
	if !ok {
		return
	}
	if d < least {
		r.err(v.at, "retention", "write at least "+inDays(least), "delivery.retention is %s; a key must be kept for %s: %s", inDays(d), inDays(least), why)
		return
	}
	e.Retention = d
}

// inDays writes a duration as a contract would.
func inDays(d time.Duration) string {
	if day := 24 * time.Hour; d >= day && d%day == 0 {
		return itoa(int(d/day)) + "d"
	}
	return d.String()
}
