package spec

import "time"

// Habits is what the contract says about its sender: what stops its retries,
// what makes it deliver again, for how long.
type Habits struct {
	Acknowledges []Acknowledgement // empty: not declared
	Retries      []StatusRange     // where they are listed; empty with Others and Never
	Others       bool              // retries whatever it neither acknowledges nor stops at
	Never        bool              // never delivers again
	Stops        []StatusRange     // answers that end the retries or the subscription
	StopHeaders  []string          // headers of an answer that do
	Timeout      time.Duration     // of one attempt; 0: not declared
	Horizon      time.Duration     // of its retries; meaningless without HorizonKnown
	HorizonKnown bool
	Redelivers   time.Duration // by hand; 0: not declared
	Resigns      bool          // false: retries repeat the first timestamp

	of *sender
}

// Acknowledgement is an answer that the sender takes for received.
type Acknowledgement struct {
	Status StatusRange
	Body   *string // nil: whatever the body
}

// Reaction is what a sender makes of an answer.
type Reaction string

// The reactions. Unknown: the contract does not say.
const (
	Acknowledges Reaction = "acknowledged"
	Retries      Reaction = "retried"
	Stops        Reaction = "stops"
	Drops        Reaction = "dropped" // neither acknowledged nor delivered again
	UnknownTo    Reaction = "unknown"
)

// Reaction is what the sender makes of an answer, as far as the contract says.
func (h *Habits) Reaction(a Response) Reaction {
	switch s := h.of; {
	case s == nil:
		return UnknownTo
	case s.acknowledged(&a):
		return Acknowledges
	case s.stopped(&a):
		return Stops
	case s.never:
		return Drops
	case s.others && len(s.acks) == 0:
		return UnknownTo
	case s.retried(&a):
		return Retries
	default:
		return Drops
	}
}

func (s *sender) habits() *Habits {
	h := &Habits{
		Retries: s.retries, Others: s.others, Never: s.never, Stops: s.stops, StopHeaders: s.stopHeader, Timeout: s.timeout,
		Horizon: s.horizon, HorizonKnown: s.hasHorizon, Redelivers: s.redelivers, Resigns: s.resigns, of: s,
	}
	for _, a := range s.acks {
		h.Acknowledges = append(h.Acknowledges, Acknowledgement{Status: a.status, Body: a.body})
	}
	return h
}

// LeastRetention is how long event keys must be kept at least, and why.
func (h *Habits) LeastRetention() (time.Duration, string) {
	if !h.HorizonKnown {
		return max(defaultRetention, h.Redelivers), "30d, because sender.retryHorizon is not declared"
	}
	return max(2*h.Horizon, h.Redelivers, leastRetention), "max(2 x sender.retryHorizon, sender.redelivers, 7d)"
}
