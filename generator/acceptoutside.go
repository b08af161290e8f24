package generator

// acceptOutside is how the outside behaves towards a message, attempt by
// attempt, and what must become of the message.
type acceptOutside struct {
	Effect   string
	Attempts []string
	End      string
}

// What the outside does at an attempt, in the kit's words.
const (
	outsideDown  = "down"
	outsideLost  = "lost" // reached, and nobody hears its acknowledgement
	outsideKnown = "acknowledged"
)

// acceptOutsides says for every effect what happens to its messages. Where
// nothing is enqueued in the test nothing is sent either.
func acceptOutsides(p *Plan) []acceptOutside {
	sends := map[string]bool{}
	for _, a := range p.Accept {
		for _, e := range a.Event.Messages {
			sends[e.WireName] = sends[e.WireName] || a.Outbox > 0
		}
		for _, e := range p.Effects {
			sends[e.WireName] = sends[e.WireName] || a.Event.Spec.Handler && e.FromHandler
		}
	}
	var out []acceptOutside
	for _, e := range p.Effects {
		if sends[e.WireName] {
			out = append(out, outsidesOf(e)...)
		}
	}
	return out
}

// outsidesOf takes the effect through being down, losing an acknowledgement and
// coming back, as far as its attempts go. With `key: none` an attempt of unknown
// fate is the last one.
func outsidesOf(e *Effect) []acceptOutside {
	attempts := len(e.Spec.Retry) + 1
	of := func(end string, attempts ...string) acceptOutside {
		return acceptOutside{Effect: e.WireName, Attempts: attempts, End: end}
	}
	switch {
	case attempts == 1:
		return []acceptOutside{of("sent", outsideKnown), of("dead", outsideDown), of("uncertain", outsideLost)}
	case e.Spec.Key.None:
		return []acceptOutside{of("uncertain", outsideDown, outsideLost), of("sent", outsideDown, outsideKnown), of("uncertain", outsideLost)}
	case attempts == 2:
		return []acceptOutside{
			of("sent", outsideLost, outsideKnown), of("sent", outsideDown, outsideKnown),
			of("uncertain", outsideDown, outsideLost), of("dead", outsideDown, outsideDown),
		}
	}
	return []acceptOutside{of("sent", outsideDown, outsideLost, outsideKnown)}
}
