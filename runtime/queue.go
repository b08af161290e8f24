package runtime

import (
	"bytes"
	"slices"
	"sync"
)

// maxWaiters is how many deliveries of one key may wait in one receiver.
const maxWaiters = 64

// defaultQueueBytes bounds the bodies of waiting deliveries in one receiver.
const defaultQueueBytes = 64 << 20

// queue lines up the deliveries of one key inside this process, so that a hot
// key holds one database connection and not all of them.
type queue struct {
	mu    sync.Mutex
	lines map[string]*line
	bytes int64 // of bodies that wait
	limit int64
}

// line is one key: a leader that works, and who waits for it.
type line struct {
	leader  *Delivery
	waiting []*waiter
}

// waiter is a delivery that waits. One with the leader's fingerprint keeps no
// body: it takes over with the leader's delivery.
type waiter struct {
	fingerprint []byte
	own         *Delivery // nil where the leader's will do; guarded by the queue
	bodyless    bool      // joined without a body of its own
	size        int64
	wake        chan turn // buffered: never blocks the leader
}

// turn ends a wait: with a settled answer, or by taking over.
type turn struct {
	settled *verdict
	lead    *Delivery
}

func newQueue(limit int64) *queue {
	if limit <= 0 {
		limit = defaultQueueBytes
	}
	return &queue{lines: map[string]*line{}, limit: limit}
}

// join makes d the leader of its key (nil, true), or gives it a place in the
// line (w, false); (nil, false) where the line or the budget is full.
func (q *queue) join(d *Delivery) (*waiter, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[d.Key]
	if l == nil {
		q.lines[d.Key] = &line{leader: d}
		return nil, true
	}
	w := &waiter{fingerprint: d.Fingerprint, wake: make(chan turn, 1)}
	if w.bodyless = bytes.Equal(d.Fingerprint, l.leader.Fingerprint); !w.bodyless {
		w.own, w.size = d, d.size()
	}
	if len(l.waiting) >= maxWaiters || q.bytes+w.size > q.limit {
		return nil, false
	}
	q.bytes += w.size
	l.waiting = append(l.waiting, w)
	return w, false
}

// leave takes a waiter out of the line. It is too late (false) when it has been
// woken: then its turn is in the channel and has to be taken.
func (q *queue) leave(key string, w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[key]
	if l == nil {
		return false
	}
	i := slices.Index(l.waiting, w)
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	q.bytes -= w.size
	return true
}

// done ends the leader's turn. Where it left a settled row, waiters with the
// row's fingerprint are answered at once, without the database; the first of
// the others takes over, so that what it delivers is recorded.
func (q *queue) done(d *Delivery, v verdict, fingerprint []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[d.Key]
	if fingerprint != nil {
		l.waiting = slices.DeleteFunc(l.waiting, func(w *waiter) bool {
			if !bytes.Equal(w.fingerprint, fingerprint) {
				return false
			}
			q.bytes -= w.size
			w.wake <- turn{settled: &v}
			return true
		})
	}
	if len(l.waiting) == 0 {
		delete(q.lines, d.Key)
		return
	}
	next := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	q.bytes -= next.size
	l.lead(d, next)
}

// lead hands the line over to next.
func (l *line) lead(before *Delivery, next *waiter) {
	l.leader = next.own
	if l.leader == nil {
		l.leader = before
	} else {
		// Waiters without a body counted on the leader's: it is theirs now.
		for _, w := range l.waiting {
			if w.own == nil {
				w.own = before
			}
		}
	}
	next.wake <- turn{lead: l.leader}
}

// size is what a waiting delivery holds, in bytes.
func (d *Delivery) size() int64 {
	n := len(d.Body) + len(d.Redacted)
	if len(d.Document) > 0 && (len(d.Body) == 0 || &d.Document[0] != &d.Body[0]) {
		n += len(d.Document)
	}
	return int64(n)
}
