package runtime

import (
	"sync/atomic"
	"time"
)

// Clock tells the time that signatures, secrets and stored times are judged by.
// Deadlines and waits always use the machine's monotonic clock. Implementations
// must be safe for concurrent use.
type Clock interface {
	Now() time.Time
}

// SystemClock is the machine's clock, and what a nil Clock means.
func SystemClock() Clock { return systemClock{} }

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// OffsetClock is the machine's clock moved by an offset: for tests that travel
// in time. It goes on running, so that towards the database it is an offset to
// the database's own clock. The zero value shows the machine's time.
type OffsetClock struct{ offset atomic.Int64 }

// Now is the moved time.
func (c *OffsetClock) Now() time.Time { return time.Now().Add(c.Offset()) }

// Offset is what Now adds to the machine's time.
func (c *OffsetClock) Offset() time.Duration { return time.Duration(c.offset.Load()) }

// Advance moves the clock by d, which may be negative.
func (c *OffsetClock) Advance(d time.Duration) { c.offset.Add(int64(d)) }

// Set makes the clock show t now.
func (c *OffsetClock) Set(t time.Time) { c.offset.Store(int64(time.Until(t))) }

// Skew is what the database's clock must be moved by to agree with c: zero for
// the system clock.
func Skew(c Clock) time.Duration {
	switch c := c.(type) {
	case nil, systemClock:
		return 0
	case *OffsetClock:
		return c.Offset()
	default:
		return time.Until(c.Now())
	}
}
