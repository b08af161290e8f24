package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	// defaultBatch is how many deliveries share a transaction at most.
	defaultBatch = 64
	// defaultFlushers is how many shared transactions run at once: while one
	// waits for its commit, the other one is worked on.
	defaultFlushers = 2
	// aloneBelow is the time to the deadline under which a delivery shares
	// nothing: it would make the whole batch hurry.
	aloneBelow = time.Second
)

// coalescer lets deliveries that are waiting at the same moment share a
// transaction. There is no timer: a delivery that comes while a flusher is free
// goes at once, what comes meanwhile goes with the next flush.
type coalescer struct {
	store    Store
	limit    int // most deliveries a transaction
	flushers int // most transactions at once

	mu      sync.Mutex
	size    int // the limit now: halved by a failing batch, grown by one by a good one
	flying  int
	waiting []*ticket
	rows    map[string]struct{} // business rows of what flies: one delivery each
}

// ticket is one delivery in the coalescer.
type ticket struct {
	ctx  context.Context
	d    *Delivery
	rows []string
	done chan flushed // buffered: never blocks a flusher
}

// flushed is what a transaction came to for one delivery. alone: the batch
// failed, perhaps because of another delivery; nothing of it was kept.
type flushed struct {
	res      Result
	err      error
	alone    bool
	panicked any
}

// A SingleWriter is a Store on an engine with one writer: shared transactions
// run one at a time there.
type SingleWriter interface{ SingleWriter() bool }

// newCoalescer is nil where every delivery has its own transaction.
func newCoalescer(store Store, limit int) *coalescer {
	if limit == 0 {
		limit = defaultBatch
	}
	if limit <= 1 {
		return nil
	}
	c := &coalescer{store: store, limit: limit, size: limit, flushers: defaultFlushers, rows: map[string]struct{}{}}
	if s, ok := store.(SingleWriter); ok && s.SingleWriter() {
		c.flushers = 1
	}
	return c
}

// deliver brings d into the database, with others or at once. It does not return
// before d's fate is known, unless d is still waiting when ctx ends. alone asks
// for another attempt in a transaction of its own.
func (c *coalescer) deliver(ctx context.Context, d *Delivery, rows []string) (res Result, alone bool, err error) {
	if hurries(ctx) {
		return Result{}, true, nil
	}
	t := &ticket{ctx: ctx, d: d, rows: rows, done: make(chan flushed, 1)}
	if batch := c.enter(t); batch != nil {
		c.fly(batch)
	}
	var f flushed
	select {
	case f = <-t.done:
	case <-ctx.Done():
		if c.leave(t) {
			return Result{}, false, ctx.Err()
		}
		f = <-t.done
	}
	if f.panicked != nil {
		panic(f.panicked)
	}
	return f.res, f.alone, f.err
}

// enter puts t in line; where a flusher is free, it is the caller.
func (c *coalescer) enter(t *ticket) []*ticket {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, t)
	if c.flying >= c.flushers {
		return nil
	}
	return c.take()
}

// leave takes t out of the line; false when it flies already.
func (c *coalescer) leave(t *ticket) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.waiting, t)
	if i < 0 {
		return false
	}
	c.waiting = slices.Delete(c.waiting, i, i+1)
	return true
}

// take makes the next batch, in the order of arrival. A delivery whose business
// row is being written waits: two in one statement would fail it, two at once
// would wait for each other. nil: nothing can fly now.
func (c *coalescer) take() []*ticket {
	var batch []*ticket
	left := c.waiting[:0]
	for i, t := range c.waiting {
		if len(batch) == c.size {
			left = append(left, c.waiting[i:]...)
			break
		}
		switch {
		case hurries(t.ctx):
			t.done <- flushed{alone: true}
		case c.reserve(t.rows):
			batch = append(batch, t)
		default:
			left = append(left, t)
		}
	}
	clear(c.waiting[len(left):])
	c.waiting = left
	if batch != nil {
		c.flying++
	}
	return batch
}

func hurries(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < aloneBelow
}

// reserve marks business rows as being written, all or none.
func (c *coalescer) reserve(rows []string) bool {
	for _, r := range rows {
		if _, busy := c.rows[r]; busy {
			return false
		}
	}
	for _, r := range rows {
		c.rows[r] = struct{}{}
	}
	return true
}

// fly flushes a batch; what has come meanwhile goes on in a goroutine of its
// own, so that the caller can answer.
func (c *coalescer) fly(batch []*ticket) {
	good := c.flush(batch)
	if next := c.land(batch, good); next != nil {
		go func() {
			for next != nil {
				next = c.land(next, c.flush(next))
			}
		}()
	}
}

// land ends a flight and takes the next batch. A delivery that waited for a
// business row of this batch may need a second flusher.
func (c *coalescer) land(batch []*ticket, good bool) []*ticket {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying--
	for _, t := range batch {
		for _, r := range t.rows {
			delete(c.rows, r)
		}
	}
	if good {
		c.size = min(c.size+1, c.limit)
	} else {
		c.size = max(len(batch)/2, 1)
	}
	return c.take()
}

// flush is one transaction; every ticket gets its answer.
func (c *coalescer) flush(batch []*ticket) (good bool) {
	ctx, cancel := batchContext(batch)
	defer cancel()
	ds := make([]*Delivery, len(batch))
	for i, t := range batch {
		ds[i] = t.d
	}
	res, panicked, err := c.try(ctx, ds)
	if panicked == nil && err == nil && len(res) != len(ds) {
		err = errors.New("deliver: the store gave another number of results than deliveries")
	}
	alone := len(batch) > 1 && (panicked != nil || err != nil && !noneWouldWork(err))
	for i, t := range batch {
		switch {
		case alone:
			t.done <- flushed{alone: true}
		case err != nil || panicked != nil:
			t.done <- flushed{err: err, panicked: panicked}
		default:
			t.done <- flushed{res: res[i]}
		}
	}
	return !alone
}

func (c *coalescer) try(ctx context.Context, ds []*Delivery) (res []Result, panicked any, err error) {
	defer func() { panicked = recover() }()
	res, err = c.store.Deliver(ctx, ds)
	return res, nil, err
}

// batchContext ends with the first deadline of the batch.
func batchContext(batch []*ticket) (context.Context, context.CancelFunc) {
	if len(batch) == 1 {
		return context.WithCancel(batch[0].ctx)
	}
	var first time.Time
	for _, t := range batch {
		if d, ok := t.ctx.Deadline(); ok && (first.IsZero() || d.Before(first)) {
			first = d
		}
	}
	if first.IsZero() {
		return context.WithCancel(context.Background())
	}
	return context.WithDeadline(context.Background(), first)
}

// noneWouldWork tells errors of the connection or the server as a whole from
// those that one delivery can cause.
func noneWouldWork(err error) bool {
	var e *StoreError
	return errors.As(err, &e) && (e.Class == ClassUnavailable || e.Class == ClassUnknown)
}
