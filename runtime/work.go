package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/whgen/whgen/runtime/outbox"
)

const (
	maxLost        = 5 // reruns after a holder committed between look and claim
	pollMin        = 10 * time.Millisecond
	pollMax        = 50 * time.Millisecond
	failureTimeout = 2 * time.Second // to record a failure after the deadline
)

// job is the work on one delivery: as many transactions as it takes until its
// deadline.
type job struct {
	rq        *request
	ctx       context.Context
	d         *Delivery
	done      chan verdict
	ended     atomic.Int32 // 1: the verdict is in done; 2: nobody waits for it
	busyUntil time.Time

	row     Result // the row that is there now; its fingerprint is nil without one
	lost    int
	reruns  int
	reconns int
	alone   bool // no longer with others
	unknown bool // a COMMIT's fate was unknown: a row like ours may be ours
	rescue  error
}

// abandon says that the request was answered; false when the verdict came first.
func (j *job) abandon() bool { return j.ended.CompareAndSwap(0, 2) }

// run works, wakes whoever waits for the key, and hands the verdict over.
// queued is the delivery as it stands in the line.
func (j *job) run(queued *Delivery) {
	v := j.guarded()
	v.reruns, v.deviations = j.reruns, j.d.Deviations
	if v.first && (len(j.d.Messages) > 0 || j.handled()) {
		j.rq.rcv.relay.Wake()
	}
	if j.row.Fingerprint != nil {
		j.rq.rcv.answers.keep(j.d.Key, j.row)
	}
	next := verdict{outcome: Duplicate, stored: j.row.Response, status: j.row.Status, replayed: j.row.Replayed}
	j.rq.rcv.queue.done(queued, next, j.row.Fingerprint)
	if j.ended.CompareAndSwap(0, 1) {
		j.done <- v
		return
	}
	j.rq.observe(v, 0, true)
}

// guarded is work that survives a panic of the store.
func (j *job) guarded() (v verdict) {
	defer func() {
		if p := recover(); p != nil {
			err := &PanicError{Value: p}
			v = verdict{outcome: Failed, class: "panic", reason: "the store panicked", err: err}
		}
	}()
	return j.work()
}

func (j *job) work() verdict {
	for {
		res, err := j.attempt()
		var v verdict
		var over bool
		if err != nil {
			v, over = j.failed(err)
		} else {
			v, over = j.found(res)
		}
		if over {
			return v
		}
	}
}

// attempt is one transaction.
func (j *job) attempt() (Result, error) {
	store := j.rq.rcv.store
	if j.unknown && j.handled() {
		return store.Lookup(j.ctx, j.d.Key)
	}
	if j.handled() {
		return store.Handle(j.ctx, j.d)
	}
	if c := j.rq.rcv.coalescer; c != nil && !j.alone {
		j.alone = true // a second attempt waits for nobody and fails nobody
		res, again, err := c.deliver(j.ctx, j.d, j.rq.businessRows(j.d))
		if !again {
			return res, err
		}
	}
	res, err := store.Deliver(j.ctx, []*Delivery{j.d})
	if err != nil {
		return Result{}, err
	}
	if len(res) != 1 {
		return Result{}, fmt.Errorf("deliver: the store gave %d results for one delivery", len(res))
	}
	return res[0], nil
}

func (j *job) handled() bool {
	return j.d.Status == StatusDone && j.rq.event != nil && j.rq.event.Handler
}

// found judges what the store met; false asks for another attempt.
func (j *job) found(res Result) (verdict, bool) {
	switch res.Found {
	case New:
		j.row = Result{Fingerprint: j.d.Fingerprint, Status: j.d.Status, Response: j.d.Response}
		return j.committed(), true
	case Stored:
		j.row = res
		v := duplicateOf(j.d, res)
		if res.Replayed {
			j.row.Fingerprint = j.d.Fingerprint // the same request again gets the same answer
		} else if j.unknown && v.outcome == Duplicate {
			return j.committed(), true
		}
		return v, true
	case Busy:
		if time.Until(j.busyUntil) <= 0 {
			return decided(InProgress, "another worker holds this key"), true
		}
		return j.pause(min(poll(), until(j.busyUntil)))
	case Lost:
		if j.lost++; j.lost > maxLost {
			return verdict{outcome: Failed, class: "lost", reason: "the key was neither free nor found: a trigger or row security may hide rows of the inbox"}, true
		}
		return verdict{}, false
	default: // Absent, after a COMMIT of unknown fate
		return j.fail(verdict{outcome: Failed, class: "unknown", reason: "the connection was lost in COMMIT, and nothing was kept", err: j.rescue}), true
	}
}

// committed is a confirmed commit: the answer is the stored one.
func (j *job) committed() verdict {
	s := j.row.Status
	v := verdict{outcome: outcomeOf(s), stored: j.row.Response, status: s, first: true}
	if v.outcome == Rejected {
		v.reason = j.d.Reason
	}
	return v
}

// failed judges an error; false asks for another attempt.
func (j *job) failed(err error) (verdict, bool) {
	var handler *HandlerError
	if errors.As(err, &handler) {
		return j.handlerSaid(handler.Err)
	}
	if gone := new(StoreError); j.ctx.Err() != nil && (errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &gone) && gone.Class == ClassUnavailable) { // the server ends a session that overruns too
		return j.fail(verdict{outcome: Failed, class: "deadline", reason: "the work did not end before its deadline", err: err}), true
	}
	var se *StoreError
	if !errors.As(err, &se) {
		return j.fail(verdict{outcome: Failed, class: "store", reason: "the database refused the work", err: err}), true
	}
	switch se.Class {
	case ClassRetry:
		j.reruns++
		if _, over := j.pause(backoff(j.reruns)); !over {
			return verdict{}, false
		}
	case ClassUnavailable, ClassUnknown:
		j.unknown = j.unknown || se.Class == ClassUnknown
		j.rescue = err
		j.reconns++
		if j.reconns == 1 {
			if _, over := j.pause(poll()); !over {
				return verdict{}, false
			}
		}
	case ClassViolation:
		if r := j.quarantines(se.Constraint); r != nil {
			j.d = j.rq.rejection(j.d, "effect "+r.Effect+": its unique values belong to another event")
			return verdict{}, false
		}
	}
	return j.fail(verdict{outcome: Failed, class: se.Class.String(), reason: classReasons[se.Class], err: err}), true
}

var classReasons = map[StoreErrorClass]string{
	ClassOther:        "the database refused a statement",
	ClassRetry:        "contention in the database did not end before the deadline",
	ClassViolation:    "a constraint of a declared effect is violated",
	ClassUnavailable:  "the database is not available",
	ClassUnknown:      "the connection was lost in COMMIT, and its fate is not known",
	ClassNotCommitted: "the transaction was not committed: the handler hid a database error",
}

// handlerSaid judges the error of the user's handler. Its failure has been
// recorded with the rollback already.
func (j *job) handlerSaid(err error) (verdict, bool) {
	if r, ok := IsReject(err); ok {
		j.d = j.rq.rejection(j.d, r.Reason)
		return verdict{}, false
	}
	v := verdict{outcome: Failed, class: "handler", reason: "the handler failed", err: err}
	var p *PanicError
	switch {
	case errors.As(err, &p):
		v.class, v.reason = "panic", "the handler panicked"
	case j.ctx.Err() != nil:
		v.class, v.reason = "deadline", "the handler did not end before the deadline"
	}
	v.retryAfter, _ = outbox.AsRetryAfter(err)
	return v, true
}

// quarantines finds the record effect whose violated constraint rejects the event.
func (j *job) quarantines(constraint string) *record {
	if j.rq.event == nil || constraint == "" || j.d.Status != StatusDone {
		return nil
	}
	for i := range j.rq.event.records {
		if r := &j.rq.event.records[i]; r.Reject && r.Constraint == constraint {
			return r
		}
	}
	return nil
}

// fail records a failure that the store has not recorded itself, where the
// database can take it.
func (j *job) fail(v verdict) verdict {
	if v.class == ClassUnavailable.String() || j.d.Event < 0 {
		return v
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), failureTimeout)
	defer cancel()
	text := v.reason
	if v.err != nil {
		text = v.err.Error()
	}
	f := Failure{
		Key: j.d.Key, Type: j.d.Type, Fingerprint: j.d.Fingerprint, Error: shorten(text, maxReason),
		Payload: j.d.Keepable(), ContentType: j.d.ContentType,
	}
	if err := j.rq.rcv.store.RecordFailure(ctx, f); err != nil {
		j.rq.rcv.warn(ctx, Warning{Text: "a failure could not be recorded", Err: err})
	}
	return v
}

// pause waits; true when the deadline comes first.
func (j *job) pause(d time.Duration) (verdict, bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return verdict{}, false
	case <-j.ctx.Done():
		return verdict{outcome: Failed, class: "deadline", reason: "the work did not end before its deadline", err: j.ctx.Err()}, true
	}
}

// poll is how long a held key is left alone between two looks.
func poll() time.Duration { return pollMin + rand.N(pollMax-pollMin) }

// backoff grows with contention, with full jitter.
func backoff(n int) time.Duration {
	return time.Millisecond + rand.N(min(5*time.Millisecond<<min(n, 6), 200*time.Millisecond))
}
