package outbox

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// These bound every delay: zero would spin, and the database adds it to a time.
const (
	shortestDelay = time.Millisecond
	longestDelay  = 365 * 24 * time.Hour
)

// fenceMargin is what a shifted attempt keeps from the fence, for the poll and
// the claim that come before it.
const fenceMargin = 5 * time.Second

var (
	errPastFence   = errors.New("the outside may have forgotten the idempotency key: not sent again")
	errNoKey       = errors.New("the fate of an attempt is unknown and the outside knows no keys: not sent again")
	errInterrupted = errors.New("the last attempt was interrupted: its fate is unknown")
)

// attempts is how many attempts the schedule gives.
func (e *Effect) attempts() int { return len(e.Retry) + 1 }

// inside reports whether an attempt that begins after since ends before the
// outside forgets the key that it has seen first then.
func (e *Effect) inside(since time.Duration) bool {
	return e.Always || e.NoKey || since+e.Timeout < e.Remembers
}

// admit judges a claimed message before anything is sent: nil, or why it must
// not be sent and is uncertain. A first attempt has nothing to repeat.
func (e *Effect) admit(m Message, elapsed time.Duration) error {
	switch {
	case m.Interrupted && e.NoKey:
		return errNoKey
	case m.Interrupted && m.Attempt > e.attempts():
		return errInterrupted
	case m.Attempt > 1 && !e.inside(m.SinceFirst+elapsed):
		return errPastFence
	}
	return nil
}

// judge says how an attempt ended: elapsed is the time since the claim, random
// in [0,1).
func (e *Effect) judge(m Message, elapsed time.Duration, err error, random float64) End {
	end := End{ID: m.ID, Attempt: m.Attempt, State: Sent}
	if err == nil {
		return end
	}
	end.Unknown, end.Error = IsUncertain(err), shorten(err.Error())
	switch {
	case errors.Is(err, errPastFence), end.Unknown && (e.NoKey || IsPermanent(err)):
		end.State = UncertainState
	case IsPermanent(err):
		end.State = Dead
	case m.Attempt >= e.attempts():
		end.State = Dead
		if end.Unknown {
			end.State = UncertainState
		}
	default:
		e.postpone(&end, m.SinceFirst+elapsed, err, random)
	}
	return end
}

// postpone sets the next attempt. One that would come too late for the key is
// moved to the last moment before the fence; without such a moment the message
// is uncertain.
func (e *Effect) postpone(end *End, since time.Duration, err error, random float64) {
	delay := schedule(e.Retry, e.Jitter, end.Attempt, random)
	if after, ok := AsRetryAfter(err); ok {
		delay = clamp(after)
	}
	if !e.inside(since + delay) {
		delay = e.Remembers - e.Timeout - since - fenceMargin
		if delay < time.Second {
			end.State = UncertainState
			end.Error = shorten(errPastFence.Error() + "; the last error: " + end.Error)
			return
		}
	}
	end.State, end.Delay = Pending, delay
}

// schedule is the delay after an attempt (from 1), varied by jitter. It is
// never zero, negative or too long for a time, whatever the numbers are; beyond
// the schedule's ends its first or last delay counts.
func schedule(retry []time.Duration, jitter float64, attempt int, random float64) time.Duration {
	if len(retry) == 0 {
		return shortestDelay
	}
	i := min(max(attempt-1, 0), len(retry)-1)
	jitter = math.Min(math.Max(jitter, 0), 1)
	delay := clamp(retry[i])
	return clamp(time.Duration(float64(delay) * (1 + jitter*(2*random-1))))
}

func clamp(d time.Duration) time.Duration { return min(max(d, shortestDelay), longestDelay) }

// shorten makes text that every engine can store: at most 500 bytes of valid
// UTF-8 without NUL.
func shorten(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	if len(text) <= 500 {
		return text
	}
	cut := 497
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

func unknownEffect(name string) error {
	return fmt.Errorf("this program has no effect %q: left for one that has it", name)
}
