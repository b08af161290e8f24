// Package outbox sends what receivers have stored for the outside.
package outbox

import (
	"context"
	"time"
)

// Store is the outbox table. Due times and leases use the database's clock;
// skew is added to it, for tests with an injected clock. Methods are safe for
// concurrent use, also by several processes.
type Store interface {
	// ClaimMessages leases at most limit due messages (attempts + 1, first
	// attempt noted, due again after the lease) and commits before it returns.
	ClaimMessages(ctx context.Context, limit int, lease, skew time.Duration) ([]Message, error)
	// FinishMessages ends attempts. Rows whose attempts have moved on belong to
	// a successor and are left alone: the returned ids are those that were ours.
	FinishMessages(ctx context.Context, ends []End, skew time.Duration) ([]int64, error)
	// Backlog tells what waits, for metrics.
	Backlog(ctx context.Context, skew time.Duration) (Backlog, error)
}

// Message is a leased outbox row.
type Message struct {
	ID             int64
	EventKey       string
	Effect         string
	Element        string
	IdempotencyKey string
	Target         string
	Payload        []byte
	Attempt        int           // from 1
	SinceFirst     time.Duration // since the first attempt was claimed, by the database's clock
	Interrupted    bool          // the attempt before this one was never finished: its fate is unknown
}

// State is the state of an outbox row.
type State string

// Pending rows wait for an attempt; the others are ends.
const (
	Pending        State = "pending"
	Sent           State = "sent"
	Dead           State = "dead"
	UncertainState State = "uncertain"
)

// End is how one attempt ended.
type End struct {
	ID      int64
	Attempt int // the fence
	State   State
	Delay   time.Duration // Pending: until the next attempt
	Error   string        // at most 500 bytes; "" when sent
	// Unknown: the attempt's fate is not known (kept as interrupted).
	Unknown bool
	// Unmade: the message was leased but nothing was tried (State is Pending):
	// the store takes the attempt back (attempts - 1; first_attempt_at NULL
	// again when that was the first) and sets `interrupted` to Unknown.
	Unmade bool
}

// Backlog counts rows by state.
type Backlog struct {
	Pending, Due, Dead, Uncertain int64
	OldestDue                     time.Duration // how long the oldest due row has waited; 0 without one
}
