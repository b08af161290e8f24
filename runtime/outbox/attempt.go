package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	errCrowded  = errors.New("all places of the effect are taken")
	errDraining = errors.New("the relay is being stopped")
	errOutage   = errors.New("the outside is held to be down")
	errWaited   = errors.New("the lease is nearly over")
	errHung     = errors.New("the sender has not returned in time")
	errCutOff   = errors.New("the relay was stopped during the attempt")
)

// overdue is how long after its timeout a sender may take to return.
const overdue = time.Second

// work makes attempts for a lane until its queue is empty.
func (r *Relay) work(l *lane, m *leased) {
	for ; m != nil; m = l.next() {
		r.begin(l, m)
		signal(r.progress)
	}
}

// begin makes an attempt, unless something has changed since the claim.
func (r *Relay) begin(l *lane, m *leased) {
	elapsed := r.elapsed(m)
	if err := l.effect.admit(m.Message, elapsed); err != nil {
		r.settle(m, err)
		return
	}
	if r.draining.Load() {
		r.release(m, 0, errDraining)
		return
	}
	if time.Since(m.claimed)+l.effect.Timeout+leaseMargin > r.lease {
		r.release(m, 0, errWaited)
		return
	}
	if wait := l.hold(r.now()); wait > 0 {
		r.release(m, wait, errOutage)
		return
	}
	r.attempt(l, m)
}

func (r *Relay) attempt(l *lane, m *leased) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(r.sending, l.effect.Timeout)
	defer cancel()
	ctx = withFence(ctx, func() error { return l.effect.fence(m.Message, r.elapsed(m)) })
	done := make(chan error, 1)
	go call(ctx, l.effect.Sender, m.Message, done)

	late := time.NewTimer(l.effect.Timeout + overdue)
	defer late.Stop()
	select {
	case err := <-done:
		r.ended(l, m, began, fate(ctx, err))
	case <-late.C:
		// The place stays taken until the sender returns, or attempts that
		// nobody waits for would pile up.
		r.ended(l, m, began, Uncertain(errHung))
		select {
		case <-done:
		case <-r.abandon:
		}
	case <-r.abandon:
		r.ended(l, m, began, Uncertain(errCutOff))
	}
}

// fence is asked again right before something is sent.
func (e *Effect) fence(m Message, elapsed time.Duration) error {
	if m.Attempt > 1 && !e.inside(m.SinceFirst+elapsed) {
		return errPastFence
	}
	return nil
}

// call runs the sender and always reports: a panic and a Goexit are attempts of
// unknown fate.
func call(ctx context.Context, s Sender, m Message, done chan<- error) {
	err := Uncertain(errors.New("the sender ended its goroutine"))
	defer func() {
		if p := recover(); p != nil {
			err = Uncertain(fmt.Errorf("the sender panicked: %T", p))
		}
		done <- err
	}()
	err = s.Send(ctx, m)
}

// fate marks an error after ctx has ended as uncertain, unless the sender knows
// better.
func fate(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || IsPermanent(err) || IsUncertain(err) || unsent(err) || errors.Is(err, errPastFence) {
		return err
	}
	return Uncertain(err)
}

func (r *Relay) ended(l *lane, m *leased, began time.Time, err error) {
	end := l.effect.judge(m.Message, r.elapsed(m), err, r.options.Random())
	if errors.Is(err, errPastFence) {
		r.settle(m, err)
		return
	}
	down, up := l.count(r.now(), err)
	if down {
		r.options.Observer(Event{Kind: OutageBegan, Effect: m.Effect, Err: err})
	}
	if up {
		r.options.Observer(Event{Kind: OutageEnded, Effect: m.Effect})
	}
	e := m.event(AttemptEnded)
	e.State, e.Delay, e.Unknown, e.Took, e.Err = end.State, end.Delay, end.Unknown, time.Since(began), err
	r.options.Observer(e)
	r.ends <- settlement{End: end, until: m.claimed.Add(r.lease)}
}

// settle ends a message as uncertain without an attempt.
func (r *Relay) settle(m *leased, why error) {
	e := m.event(Settled)
	e.State, e.Unknown, e.Err = UncertainState, m.Interrupted, why
	r.options.Observer(e)
	end := End{ID: m.ID, Attempt: m.Attempt, State: UncertainState, Error: shorten(why.Error()), Unknown: m.Interrupted}
	r.ends <- settlement{End: end, until: m.claimed.Add(r.lease)}
}

// release gives a lease back: nothing was tried.
func (r *Relay) release(m *leased, delay time.Duration, why error) {
	e := m.event(Released)
	e.State, e.Delay, e.Err = Pending, delay, why
	r.options.Observer(e)
	end := End{ID: m.ID, Attempt: m.Attempt, State: Pending, Delay: delay, Error: shorten(why.Error()), Unknown: m.Interrupted, Unmade: true}
	r.ends <- settlement{End: end, until: m.claimed.Add(r.lease)}
}

func (m *leased) event(kind EventKind) Event {
	return Event{
		Kind: kind, ID: m.ID, Effect: m.Effect, EventKey: m.EventKey,
		IdempotencyKey: m.IdempotencyKey, Attempt: m.Attempt,
	}
}
