package outbox

import (
	"sync"
	"time"
)

// An outside that failed outageAfter times in a row is held to be down: from
// then on one probe every probeEvery, until one gets through.
const (
	outageAfter = 10
	probeEvery  = 30 * time.Second
)

// leased is a message with what its lease is judged by.
type leased struct {
	Message
	claimed time.Time
	skew    time.Duration
}

// lane bounds the attempts of one effect and knows whether its outside is up.
type lane struct {
	effect Effect
	room   int // of the queue

	mu      sync.Mutex
	running int
	queue   []*leased
	fails   int // in a row
	probe   time.Time
}

// take accepts a message: to begin at once, or into the queue.
func (l *lane) take(m *leased) (begin, queued bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running < l.effect.Concurrency {
		l.running++
		return true, false
	}
	if len(l.queue) >= l.room {
		return false, false
	}
	l.queue = append(l.queue, m)
	return false, true
}

// next gives a worker its next message; without one the worker ends.
func (l *lane) next() *leased {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.running--
		return nil
	}
	m := l.queue[0]
	l.queue = l.queue[1:]
	return m
}

func (l *lane) empty() []*leased {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := l.queue
	l.queue = nil
	return queue
}

func (l *lane) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) >= l.room
}

// hold is how long a message must wait because the outside is down: 0 for now.
// The one that is let through is the probe.
func (l *lane) hold(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fails < outageAfter {
		return 0
	}
	if wait := l.probe.Sub(now); wait > 0 {
		return wait
	}
	l.probe = now.Add(probeEvery)
	return 0
}

// count notes how an attempt went and says when an outage has begun or ended. A
// refusal (Permanent) is an answer: the outside is up. So is an answer about one
// message only, such as a 500: many broken messages are no outage.
func (l *lane) count(now time.Time, err error) (began, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil || IsPermanent(err) || answered(err) {
		ended = l.fails >= outageAfter
		l.fails = 0
		return false, ended
	}
	l.fails++
	if l.fails == outageAfter {
		l.probe = now.Add(probeEvery)
		return true, false
	}
	return false, false
}
