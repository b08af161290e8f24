package outbox

import (
	"errors"
	"time"
)

// permanentError, uncertainError and retryAfterError keep the sender's error
// as it is: text and chain are the cause's own.
type permanentError struct{ cause error }

func (e *permanentError) Error() string { return e.cause.Error() }
func (e *permanentError) Unwrap() error { return e.cause }

type uncertainError struct{ cause error }

func (e *uncertainError) Error() string { return e.cause.Error() }
func (e *uncertainError) Unwrap() error { return e.cause }

type retryAfterError struct {
	cause error
	after time.Duration
}

func (e *retryAfterError) Error() string { return e.cause.Error() }
func (e *retryAfterError) Unwrap() error { return e.cause }

// Permanent marks an error that no retry will cure: the message is dead at
// once. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{cause: err}
}

// Uncertain marks an error of an attempt that may have reached the outside all
// the same, such as a lost connection after the request was written. It is
// retried under the same idempotency key while the outside remembers keys, and
// never where the outside knows none. Uncertain(nil) is nil.
func Uncertain(err error) error {
	if err == nil {
		return nil
	}
	return &uncertainError{cause: err}
}

// RetryAfter asks for the next attempt after d instead of what the schedule
// says; a d of zero or less leaves the schedule alone. It does not add
// attempts, and never leads past the time the outside remembers keys.
// RetryAfter(d, nil) is nil.
func RetryAfter(d time.Duration, err error) error {
	if err == nil {
		return nil
	}
	return &retryAfterError{cause: err, after: d}
}

// IsPermanent reports whether err, or an error that it wraps, is marked Permanent.
func IsPermanent(err error) bool {
	var p *permanentError
	return errors.As(err, &p)
}

// IsUncertain reports whether err, or an error that it wraps, is marked Uncertain.
func IsUncertain(err error) bool {
	var u *uncertainError
	return errors.As(err, &u)
}

// AsRetryAfter gives the delay that err, or an error that it wraps, asks for.
func AsRetryAfter(err error) (time.Duration, bool) {
	var r *retryAfterError
	if !errors.As(err, &r) || r.after <= 0 {
		return 0, false
	}
	return r.after, true
}

// answeredError is a failure that the outside has answered for one message: it
// is up. unsentError is one before a byte of the request was written.
type answeredError struct{ cause error }

func (e *answeredError) Error() string { return e.cause.Error() }
func (e *answeredError) Unwrap() error { return e.cause }

type unsentError struct{ cause error }

func (e *unsentError) Error() string { return e.cause.Error() }
func (e *unsentError) Unwrap() error { return e.cause }

func answered(err error) bool {
	var a *answeredError
	return errors.As(err, &a)
}

func unsent(err error) bool {
	var u *unsentError
	return errors.As(err, &u)
}
