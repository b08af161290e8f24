package outbox

import (
	"context"
	"time"
)

// Sender takes one message to the outside. It must be safe for concurrent use
// and must end when ctx does. No error means that the outside has acknowledged.
// An error means that nothing has happened there and is retried by the
// schedule, unless it is marked: Permanent, Uncertain, RetryAfter. A panic, a
// runtime.Goexit and an error after ctx has ended count as Uncertain.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// SenderFunc makes a function a Sender.
type SenderFunc func(ctx context.Context, m Message) error

// Send calls f.
func (f SenderFunc) Send(ctx context.Context, m Message) error { return f(ctx, m) }

// Effect is what the relay knows of one kind of message.
type Effect struct {
	Name      string
	NoKey     bool            // the outside knows no keys: an attempt of unknown fate is never repeated
	Remembers time.Duration   // how long the outside remembers a key, from the first attempt; unused with Always and NoKey
	Always    bool            // repeating does no harm: no fence
	Retry     []time.Duration // delays before attempts 2, 3, ...
	Jitter    float64         // 0..1: a delay is varied by up to this share of it, both ways
	Timeout   time.Duration   // of one attempt; 0: 10 s
	// Concurrency bounds the attempts of the effect that run at once in this
	// process; 0: 16.
	Concurrency int
	Sender      Sender
}

// Options are a relay's; the zero value is good.
type Options struct {
	// Observer is told what happens, from several goroutines at once. It must
	// not block. nil: nobody is told.
	Observer func(Event)
	// Skew is added to the database's clock, for tests with an injected clock.
	Skew func() time.Duration
	// Poll is how often the table is looked at without a Wake; 0: 1 s.
	Poll time.Duration
	// Batch is how many messages one claim takes; 0: 100.
	Batch int
	// Grace is how long running attempts may take when Run is told to stop;
	// 0: 10 s.
	Grace time.Duration
	// Random gives numbers in [0,1) for the jitter; nil: math/rand/v2.
	Random func() float64
}

// EventKind says what an Event tells.
type EventKind string

// The kinds of events. AttemptEnded: an attempt was made (State, Delay, Took,
// Err). Settled: a message ended without an attempt (State, Err). Released: a
// leased message was given back untouched (Delay, Err says why). LeaseLost: the
// end of an attempt came too late, its successor decides. StoreFailed: a claim
// or a finish failed (Err, Count rows) and will be tried again. OutageBegan and
// OutageEnded: an effect's outside is held to be down, or up again.
const (
	AttemptEnded EventKind = "attempt"
	Settled      EventKind = "settled"
	Released     EventKind = "released"
	LeaseLost    EventKind = "lease-lost"
	StoreFailed  EventKind = "store-failed"
	OutageBegan  EventKind = "outage-began"
	OutageEnded  EventKind = "outage-ended"
)

// Event is what an observer is told. It never holds a payload.
type Event struct {
	Kind           EventKind
	ID             int64
	Effect         string
	EventKey       string
	IdempotencyKey string
	Attempt        int
	State          State
	Unknown        bool          // the attempt's fate is not known
	Delay          time.Duration // until the next attempt
	Took           time.Duration
	Count          int
	Err            error
}

type fenceContext struct{}

// Fence is for senders that do slow work before they talk to the outside: it
// reports an error when the outside may have forgotten the message's key by the
// time an answer would come, and then nothing may be sent. The relay itself
// asks right before Send, the HTTP sender right before it writes the request.
func Fence(ctx context.Context) error {
	if check, ok := ctx.Value(fenceContext{}).(func() error); ok {
		return check()
	}
	return nil
}

func withFence(ctx context.Context, check func() error) context.Context {
	return context.WithValue(ctx, fenceContext{}, check)
}
