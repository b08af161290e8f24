package runtime

import (
	"context"
	"time"

	pay "github.com/whgen/whgen/runtime/payload"
)

// Observer is told what happens, for metrics and logs. Its methods are called
// synchronously, by many goroutines at once, and must not block; a panic in one
// is swallowed. What they are given holds no secret, signature, credential or
// body. Embed NoObserver to stay compatible when methods are added.
type Observer interface {
	// Attempt is called once for each HTTP request, for a batch once for each of
	// its elements, and once more (with Late) when work ends after its request
	// was answered `inProgress`.
	Attempt(context.Context, Attempt)
	// Send is called when the relay has ended one attempt at a message.
	Send(context.Context, Send)
	// Warning is called for what a person should look at.
	Warning(context.Context, Warning)
}

// NoObserver observes nothing. The zero value is ready.
type NoObserver struct{}

// Attempt does nothing.
func (NoObserver) Attempt(context.Context, Attempt) {}

// Send does nothing.
func (NoObserver) Send(context.Context, Send) {}

// Warning does nothing.
func (NoObserver) Warning(context.Context, Warning) {}

// Attempt is what one request came to.
type Attempt struct {
	Source     string
	Endpoint   string
	Tenant     string // as in the key; "" without
	Event      string // its name in the contract; "" before it is known
	Type       string // as on the wire, shortened to 200 bytes
	Key        string // encoded event key; "" before it is known
	Outcome    Outcome
	Status     int // 0 when Late
	Duration   time.Duration
	Reason     string // why it was refused or failed, without values of the request
	ErrorClass string // of failed: "handler", "panic", "deadline", "secrets", "keys", "body", or a store error's class
	Err        error  // of failed: the cause; a database's or handler's own words
	Secret     string // name of the secret that verified
	// ClockOffset is set when the signed time was out of tolerance: receiver's
	// time minus signed time.
	ClockOffset time.Duration
	// Deviations are where the body differs from the sender's document: values
	// that no enum lists, and, of events that a Go handler decodes, members that
	// are missing or of another type. The event was taken all the same. An
	// attempt that is Late has those only that were not told with its answer.
	Deviations []Deviation
	Replayed   bool // of duplicate: the body is known under another key
	Late       bool // the request had been answered `inProgress` before
	Reruns     int  // how often contention made the transaction run again
}

// Deviation is a place where a body differs from the sender's document: a JSON
// Pointer, and "enum", "missing" or "type".
type Deviation = pay.Deviation

// Send is the end of one attempt at an outbox message.
type Send struct {
	Source         string
	Effect         string
	EventKey       string
	IdempotencyKey string
	Attempt        int
	State          string        // sent, pending (tried again), dead, uncertain
	Delay          time.Duration // until the next attempt, for pending
	Duration       time.Duration
	Err            error
}

// Warning is something that does not stop the receiver.
type Warning struct {
	Source  string
	Setting string // name of the secret or setting it is about
	Text    string
	Err     error
}
