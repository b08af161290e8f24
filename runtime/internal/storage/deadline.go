package storage

import (
	"context"
	"strconv"
	"time"
)

const (
	// LockWait bounds waits in PostgreSQL for rows that record effects of
	// different events share.
	LockWait = 200 * time.Millisecond
	// noDeadline stands in for a context without one.
	noDeadline = 30 * time.Second
)

// Remaining is the time until the context's deadline, at least a millisecond.
func Remaining(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return noDeadline
	}
	return max(time.Until(deadline), time.Millisecond)
}

// Millis is a duration as PostgreSQL's settings want it, at least a millisecond:
// zero would mean no limit.
func Millis(d time.Duration) string {
	return strconv.FormatInt(max(d.Milliseconds(), 1), 10) + "ms"
}
