package runtime

import (
	"errors"
	"fmt"
	"time"

	"github.com/whgen/whgen/runtime/outbox"
)

// StoreErrorClass says what a database error means for the transaction.
type StoreErrorClass int

// ClassOther: the statement is wrong or refused, nothing was kept. ClassRetry:
// rolled back by contention (40001, 40P01, 55P03, 57014, BUSY), the whole
// transaction can run again. ClassViolation: a constraint of a declared
// effect. ClassUnavailable: no connection or no room, nothing was kept.
// ClassUnknown: the fate of the COMMIT is not known. ClassNotCommitted: the
// server answered COMMIT with a rollback, or a statement's error was swallowed.
const (
	ClassOther StoreErrorClass = iota
	ClassRetry
	ClassViolation
	ClassUnavailable
	ClassUnknown
	ClassNotCommitted
)

var classNames = [...]string{"other", "retry", "violation", "unavailable", "unknown", "notCommitted"}

// String is the class's word in logs and metrics.
func (c StoreErrorClass) String() string {
	if c < 0 || int(c) >= len(classNames) {
		return "other"
	}
	return classNames[c]
}

// StoreError is a database error with its meaning.
type StoreError struct {
	Class      StoreErrorClass
	Constraint string // for ClassViolation: as Record.Constraint spells it
	Err        error
}

func (e *StoreError) Error() string { return e.Err.Error() }

// Unwrap gives the driver's error.
func (e *StoreError) Unwrap() error { return e.Err }

// HandlerError is the error that the user's handler returned.
type HandlerError struct{ Err error }

func (e *HandlerError) Error() string { return e.Err.Error() }

// Unwrap gives the handler's error.
func (e *HandlerError) Unwrap() error { return e.Err }

// RejectError says that an event can never succeed.
type RejectError struct{ Reason string }

func (e *RejectError) Error() string { return "rejected: " + e.Reason }

// Reject is what a handler returns for an event that can never succeed: its
// effects are rolled back, the event is kept as `rejected` with the reason, and
// answered as the contract says. The reason is stored: no payload in it.
func Reject(reason string) error { return &RejectError{Reason: reason} }

// IsReject reports whether err is a rejection.
func IsReject(err error) (*RejectError, bool) {
	var r *RejectError
	ok := errors.As(err, &r)
	return r, ok
}

// PanicError is a panic of user code (or a runtime.Goexit), turned into an error.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %T", e.Value) }

// Permanent marks an error of a call effect that no retry will cure.
func Permanent(err error) error { return outbox.Permanent(err) }

// Uncertain marks an error of a call effect that may have happened all the same.
func Uncertain(err error) error { return outbox.Uncertain(err) }

// RetryAfter asks for the next attempt after d: from a call effect it shifts the
// schedule, from a handler it is the Retry-After of the failed answer.
func RetryAfter(d time.Duration, err error) error { return outbox.RetryAfter(d, err) }
