package runtime

import (
	"bytes"
	"context"
	"time"
)

// process brings a delivery into the database, behind whoever works on the same
// key in this process. The work runs on when the sender hangs up, or when its
// patience ends and the answer is inProgress.
func (rq *request) process(d *Delivery) verdict {
	if row, ok := rq.rcv.answers.find(d); ok {
		return duplicateOf(d, row)
	}
	place, leads := rq.rcv.queue.join(d)
	if !leads {
		if place == nil {
			return decided(InProgress, "too many deliveries of this key are waiting")
		}
		rq.release(place)
		key := d.Key
		d = nil // a waiting delivery holds no body of its own
		v, lead := rq.await(place, key)
		if lead == nil {
			return v
		}
		d = lead
	}
	return rq.lead(d)
}

// release lets go of the body while the leader's is the same.
func (rq *request) release(w *waiter) {
	if w.bodyless && !rq.responses().usesBody {
		rq.wire, rq.body, rq.doc, rq.slots, rq.around, rq.form, rq.typed = nil, nil, nil, nil, nil, nil, nil
	}
}

// await waits for its turn, at most inProgressWait.
func (rq *request) await(w *waiter, key string) (verdict, *Delivery) {
	wait := time.NewTimer(until(rq.start.Add(rq.timing().InProgressWait)))
	defer wait.Stop()
	var t turn
	select {
	case t = <-w.wake:
	case <-wait.C:
		if rq.rcv.queue.leave(key, w) {
			return decided(InProgress, "another delivery of this key is being worked on"), nil
		}
		t = <-w.wake
	case <-rq.http.Context().Done():
		if rq.rcv.queue.leave(key, w) {
			return decided(InProgress, "the sender hung up while its delivery waited"), nil
		}
		t = <-w.wake
	}
	if t.settled != nil {
		return *t.settled, nil
	}
	return verdict{}, t.lead
}

// lead works on d in a goroutine of its own and waits for it, at most answerWithin.
func (rq *request) lead(d *Delivery) verdict {
	timing := rq.timing()
	work := *d
	work.Deadline = time.Now().Add(timing.Deadline)
	ctx, cancel := context.WithDeadline(context.WithoutCancel(rq.http.Context()), work.Deadline)
	j := &job{rq: rq, ctx: ctx, d: &work, done: make(chan verdict, 1), busyUntil: rq.start.Add(timing.InProgressWait)}
	late := *rq // what the goroutine may read after the request has been answered
	j.rq = &late
	rq.rcv.working.Add(1)
	go func() {
		defer rq.rcv.working.Done()
		defer cancel()
		j.run(d)
	}()
	patience := time.NewTimer(until(rq.start.Add(timing.AnswerWithin)))
	defer patience.Stop()
	select {
	case v := <-j.done:
		return v
	case <-patience.C:
	}
	if !j.abandon() {
		return <-j.done
	}
	return decided(InProgress, "the work takes longer than the sender waits, and goes on")
}

// duplicateOf judges a stored row: equal fingerprints are a repeat.
func duplicateOf(d *Delivery, res Result) verdict {
	if res.Replayed {
		return verdict{outcome: Duplicate, status: res.Status, stored: res.Response, replayed: true, reason: "the body is known under another key"}
	}
	v := verdict{outcome: Conflict, status: res.Status, reason: "the key is known with another fingerprint"}
	if bytes.Equal(d.Fingerprint, res.Fingerprint) {
		v = verdict{outcome: Duplicate, status: res.Status, stored: res.Response}
	}
	return v
}
