package outbox

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultTimeout = 10 * time.Second
	defaultAtOnce  = 16
	defaultBatch   = 100
	defaultPoll    = time.Second
	defaultGrace   = 10 * time.Second

	// storeTimeout bounds one claim or finish; what it leaves behind, the lease ends.
	storeTimeout = 5 * time.Second
	// longestBackoff bounds the pause after claims that failed.
	longestBackoff = 30 * time.Second
	// leaseMargin is what must be left of a lease, beside the attempt's
	// timeout, when an attempt begins: for marking its end.
	leaseMargin = 5 * time.Second
	// crowded is how soon a message is looked at again when its effect is busy.
	crowded = time.Second
	// foreign is how soon a message of an unknown effect is looked at again.
	foreign = 5 * time.Minute
)

// Relay sends what is due in an outbox table. Several may share a table, in one
// process or in many: a message is leased by one of them at a time.
type Relay struct {
	store    Store
	options  Options
	lease    time.Duration
	lanes    map[string]*lane
	wake     chan struct{}
	progress chan struct{}
	ends     chan settlement
	sending  context.Context // of all attempts; ended when the grace is over
	cutOff   context.CancelFunc
	abandon  chan struct{} // closed: attempts that have not returned are left behind
	draining atomic.Bool
	working  sync.WaitGroup
}

// NewRelay makes a relay for the effects; nothing runs before Run. A message of
// an effect that is not among them is left pending, for a program that has it.
func NewRelay(store Store, effects []Effect, options Options) *Relay {
	r := &Relay{
		store: store, options: options.filled(), lanes: map[string]*lane{},
		wake: make(chan struct{}, 1), progress: make(chan struct{}, 1), abandon: make(chan struct{}),
	}
	longest := defaultTimeout
	for _, e := range effects {
		if e.Timeout <= 0 {
			e.Timeout = defaultTimeout
		}
		if e.Concurrency <= 0 {
			e.Concurrency = defaultAtOnce
		}
		longest = max(longest, e.Timeout)
		r.lanes[e.Name] = &lane{effect: e, room: r.options.Batch}
	}
	// Twice: a message may wait for a place as long as an attempt takes.
	r.lease = 2*longest + 2*leaseMargin
	r.ends = make(chan settlement, r.options.Batch)
	return r
}

func (o Options) filled() Options {
	if o.Observer == nil {
		o.Observer = func(Event) {}
	}
	if o.Skew == nil {
		o.Skew = func() time.Duration { return 0 }
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	o.Poll = orDefault(o.Poll, defaultPoll)
	o.Grace = orDefault(o.Grace, defaultGrace)
	if o.Batch <= 0 {
		o.Batch = defaultBatch
	}
	return o
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// Wake says that messages may be due: call it after a commit that stored some.
// It never blocks, and a nil Relay ignores it.
func (r *Relay) Wake() {
	if r == nil {
		return
	}
	signal(r.wake)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run claims and sends until ctx ends; call it once. Then it claims no more,
// gives back what was not begun, lets running attempts end within the grace,
// and returns nil. Attempts that are still running then are cancelled and left
// pending, as of unknown fate. Failures of the database are reported and tried
// again; they never end Run.
func (r *Relay) Run(ctx context.Context) error {
	r.sending, r.cutOff = context.WithCancel(context.WithoutCancel(ctx))
	defer r.cutOff()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		r.finish()
	}()
	for failures := 0; ctx.Err() == nil; {
		n, err := r.claim(ctx)
		switch {
		case err != nil:
			failures++
			r.options.Observer(Event{Kind: StoreFailed, Err: err})
			r.pause(ctx, backoff(failures, r.options.Random()), nil, nil)
		case n < r.options.Batch:
			failures = 0
			r.pause(ctx, r.options.Poll, r.wake, nil)
		default:
			failures = 0
			r.awaitRoom(ctx)
		}
	}
	r.drain()
	close(r.ends)
	<-finished
	return nil
}

// claim leases a batch and hands it out.
func (r *Relay) claim(ctx context.Context) (int, error) {
	// A claim that is cut off half-way would leave leases that nobody knows of.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(storeTimeout, r.options.Grace))
	defer cancel()
	claimed, skew := time.Now(), r.options.Skew()
	messages, err := r.store.ClaimMessages(ctx, r.options.Batch, r.lease, skew)
	if err != nil {
		return 0, err
	}
	for _, m := range messages {
		r.hand(&leased{Message: m, claimed: claimed, skew: skew})
	}
	return len(messages), nil
}

// hand gives a message to its effect's lane.
func (r *Relay) hand(m *leased) {
	l := r.lanes[m.Effect]
	if l == nil {
		r.release(m, foreign, unknownEffect(m.Effect))
		return
	}
	if err := l.effect.admit(m.Message, r.elapsed(m)); err != nil {
		r.settle(m, err)
		return
	}
	begin, queued := l.take(m)
	switch {
	case begin:
		r.working.Go(func() { r.work(l, m) })
	case !queued:
		r.release(m, crowded, errCrowded)
	}
}

// elapsed is the time since the message was claimed; a moved clock counts.
func (r *Relay) elapsed(m *leased) time.Duration {
	return max(0, time.Since(m.claimed)+r.options.Skew()-m.skew)
}

// awaitRoom waits while any lane has a full queue: claiming more would only
// give it back.
func (r *Relay) awaitRoom(ctx context.Context) {
	for _, l := range r.lanes {
		if l.full() {
			r.pause(ctx, r.options.Poll, nil, r.progress)
			return
		}
	}
}

func (r *Relay) pause(ctx context.Context, d time.Duration, wake, progress chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
	case <-progress:
	}
}

// backoff doubles from 250 ms to longestBackoff and varies by a quarter.
func backoff(failures int, random float64) time.Duration {
	d := longestBackoff
	if failures < 8 {
		d = 250 * time.Millisecond << max(failures-1, 0)
	}
	return time.Duration(float64(d) * (0.75 + random/2))
}

// drain ends what was begun and gives back what was not.
func (r *Relay) drain() {
	r.draining.Store(true)
	for _, l := range r.lanes {
		for _, m := range l.empty() {
			r.release(m, 0, errDraining)
		}
	}
	idle := make(chan struct{})
	go func() {
		r.working.Wait()
		close(idle)
	}()
	if waitFor(idle, r.options.Grace) {
		return
	}
	r.cutOff()
	if waitFor(idle, 500*time.Millisecond) {
		return
	}
	close(r.abandon)
	<-idle
}

func waitFor(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// now is the time that outages are judged by: a moved clock moves it.
func (r *Relay) now() time.Time { return time.Now().Add(r.options.Skew()) }
