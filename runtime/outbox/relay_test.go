package outbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// table is an outbox table in memory; its clock is the bubble's.
type table struct {
	mu     sync.Mutex
	rows   []*row
	claims int
	broken int // claims that fail
}

type row struct {
	Message
	state State
	due   time.Time
	first time.Time
	open  bool
	note  string
}

func newTable(effect string, n int) *table {
	t := &table{}
	for i := 1; i <= n; i++ {
		id := int64(i)
		t.rows = append(t.rows, &row{state: Pending, Message: Message{ID: id, Effect: effect, IdempotencyKey: fmt.Sprint("key-", i)}})
	}
	return t
}

func (t *table) ClaimMessages(_ context.Context, limit int, lease, skew time.Duration) ([]Message, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claims++
	if t.broken > 0 {
		t.broken--
		return nil, errors.New("no connection")
	}
	now := time.Now().Add(skew)
	slices.SortStableFunc(t.rows, func(a, b *row) int { return a.due.Compare(b.due) })
	var out []Message
	for _, r := range t.rows {
		if len(out) == limit || r.state != Pending || r.due.After(now) {
			continue
		}
		r.Attempt++
		if r.first.IsZero() {
			r.first = now
		}
		r.SinceFirst, r.Interrupted = now.Sub(r.first), r.open
		r.open, r.due = true, now.Add(lease)
		out = append(out, r.Message)
	}
	return out, nil
}

func (t *table) FinishMessages(_ context.Context, ends []End, skew time.Duration) ([]int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ours []int64
	for _, e := range ends {
		for _, r := range t.rows {
			if r.ID != e.ID || r.Attempt != e.Attempt || r.state != Pending {
				continue
			}
			ours = append(ours, e.ID)
			r.state, r.note, r.open, r.due = e.State, e.Error, e.Unknown, time.Now().Add(skew+e.Delay)
			if e.Unmade {
				if r.Attempt--; r.Attempt == 0 {
					r.first = time.Time{}
				}
			}
		}
	}
	return ours, nil
}

func (t *table) Backlog(context.Context, time.Duration) (Backlog, error) { return Backlog{}, nil }

func (t *table) count(s State) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.rows {
		if r.state == s {
			n++
		}
	}
	return n
}

// during runs relays for a time in a bubble and stops them.
func during(t *testing.T, d time.Duration, relays ...*Relay) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for _, r := range relays {
		all.Go(func() {
			if err := r.Run(ctx); err != nil {
				t.Errorf("run: %v", err)
			}
		})
	}
	time.Sleep(d) // the bubble's clock
	stop()
	all.Wait()
}

type tally struct {
	sync.Mutex
	keys map[string]int
}

func (c *tally) note(key string) int {
	c.Lock()
	defer c.Unlock()
	if c.keys == nil {
		c.keys = map[string]int{}
	}
	c.keys[key]++
	return c.keys[key]
}

func (c *tally) calls() (n int) {
	c.Lock()
	defer c.Unlock()
	for _, k := range c.keys {
		n += k
	}
	return n
}

func effect(s SenderFunc) Effect {
	return Effect{Name: "mail", Remembers: 24 * time.Hour, Retry: []time.Duration{5 * time.Second, 30 * time.Second}, Timeout: 2 * time.Second, Sender: s}
}

func TestRelaysShareATable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, calls := newTable("mail", 300), &tally{}
		e := effect(func(_ context.Context, m Message) error {
			calls.note(m.IdempotencyKey)
			time.Sleep(20 * time.Millisecond)
			return nil
		})
		var relays []*Relay
		for range 3 {
			relays = append(relays, NewRelay(rows, []Effect{e}, Options{Batch: 50}))
		}
		during(t, 20*time.Second, relays...)
		if got := calls.calls(); got != 300 || rows.count(Sent) != 300 {
			t.Errorf("got %d calls, %d sent; want 300 each", got, rows.count(Sent))
		}
	})
}

func TestEnds(t *testing.T) {
	failing := errors.New("no")
	for name, c := range map[string]struct {
		send  SenderFunc
		noKey bool
		state State
		calls int
	}{
		"acknowledged":      {send: func(context.Context, Message) error { return nil }, state: Sent, calls: 1},
		"permanent":         {send: func(context.Context, Message) error { return Permanent(failing) }, state: Dead, calls: 1},
		"used up":           {send: func(context.Context, Message) error { return failing }, state: Dead, calls: 3},
		"used up, unknown":  {send: func(context.Context, Message) error { return Uncertain(failing) }, state: UncertainState, calls: 3},
		"unknown, no key":   {send: func(context.Context, Message) error { return Uncertain(failing) }, noKey: true, state: UncertainState, calls: 1},
		"panic, no key":     {send: func(context.Context, Message) error { panic("x") }, noKey: true, state: UncertainState, calls: 1},
		"goexit":            {send: func(context.Context, Message) error { runtime.Goexit(); return nil }, state: UncertainState, calls: 3},
		"timeout, no key":   {send: func(ctx context.Context, _ Message) error { <-ctx.Done(); return ctx.Err() }, noKey: true, state: UncertainState, calls: 1},
		"past the fence":    {send: func(context.Context, Message) error { return RetryAfter(48*time.Hour, failing) }, state: Pending, calls: 1},
		"refused for a key": {send: func(context.Context, Message) error { return failing }, noKey: true, state: Dead, calls: 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rows, calls := newTable("mail", 1), &tally{}
				e := effect(func(ctx context.Context, m Message) error { calls.note(m.IdempotencyKey); return c.send(ctx, m) })
				e.NoKey = c.noKey
				during(t, 10*time.Minute, NewRelay(rows, []Effect{e}, Options{}))
				if got := rows.rows[0].state; got != c.state || calls.calls() != c.calls {
					t.Errorf("got %s after %d calls; want %s after %d", got, calls.calls(), c.state, c.calls)
				}
			})
		})
	}
}

func TestInterruptedWithoutKeyIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, calls := newTable("mail", 1), &tally{}
		rows.rows[0].open, rows.rows[0].Attempt, rows.rows[0].first = true, 1, time.Now()
		e := effect(func(_ context.Context, m Message) error { calls.note(m.IdempotencyKey); return nil })
		e.NoKey = true
		during(t, 5*time.Second, NewRelay(rows, []Effect{e}, Options{}))
		if calls.calls() != 0 || rows.rows[0].state != UncertainState {
			t.Errorf("got %d calls, %s; want none, uncertain", calls.calls(), rows.rows[0].state)
		}
	})
}

func TestFenceEndsOldMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, calls := newTable("mail", 1), &tally{}
		rows.rows[0].Attempt, rows.rows[0].first = 1, time.Now().Add(-25*time.Hour)
		e := effect(func(_ context.Context, m Message) error { calls.note(m.IdempotencyKey); return nil })
		during(t, 5*time.Second, NewRelay(rows, []Effect{e}, Options{}))
		if calls.calls() != 0 || rows.rows[0].state != UncertainState {
			t.Errorf("got %d calls, %s; want none, uncertain", calls.calls(), rows.rows[0].state)
		}
	})
}

func TestStopKeepsWhatRuns(t *testing.T) {
	for name, c := range map[string]struct {
		takes time.Duration
		sent  int
	}{"short": {time.Second, 4}, "long": {time.Hour, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rows, calls := newTable("mail", 10), &tally{}
				e := effect(func(ctx context.Context, m Message) error {
					calls.note(m.IdempotencyKey)
					select {
					case <-time.After(c.takes):
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				})
				e.Concurrency, e.Timeout = 4, time.Minute
				began := time.Now()
				during(t, time.Millisecond, NewRelay(rows, []Effect{e}, Options{Grace: 5 * time.Second}))
				if took := time.Since(began); took > 6*time.Second || calls.calls() != 4 || rows.count(Sent) != c.sent {
					t.Errorf("got %v, %d calls, %d sent; want at most 6 s, 4 calls, %d sent", took, calls.calls(), rows.count(Sent), c.sent)
				}
				for _, r := range rows.rows {
					if r.state == Pending && r.Attempt == 0 && r.due.After(time.Now()) {
						t.Errorf("row %d was not begun and is still leased", r.ID)
					}
				}
			})
		})
	}
}

func TestOutageSendsProbesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, calls := newTable("mail", 200), &tally{}
		e := effect(func(_ context.Context, m Message) error { calls.note(m.IdempotencyKey); return errors.New("refused") })
		e.Concurrency = 1
		during(t, 5*time.Minute, NewRelay(rows, []Effect{e}, Options{}))
		if got := calls.calls(); got < 15 || got > 21 {
			t.Errorf("got %d calls in 5 minutes; want 10 and a probe every 30 s", got)
		}
	})
}

func TestPoisonAndUnknownRowsDoNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newTable("mail", 102)
		rows.rows[100].Effect = "from a newer version"
		rows.broken = 2
		e := effect(func(_ context.Context, m Message) error {
			if m.ID <= 100 {
				return &answeredError{cause: errors.New("500")}
			}
			return nil
		})
		during(t, 4*time.Second, NewRelay(rows, []Effect{e}, Options{Batch: 50}))
		if rows.count(Sent) != 1 || rows.count(Pending) != 101 {
			t.Errorf("got %d sent, %d pending; want 1, 101", rows.count(Sent), rows.count(Pending))
		}
	})
}

func TestIdleAsksOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newTable("mail", 0)
		during(t, time.Minute, NewRelay(rows, nil, Options{}))
		if rows.claims < 59 || rows.claims > 62 {
			t.Errorf("got %d claims in a minute; want 60", rows.claims)
		}
	})
}

func TestScheduleNeverSpins(t *testing.T) {
	for _, retry := range [][]time.Duration{nil, {0}, {-time.Hour}, {1}, {time.Hour, 24 * time.Hour}, {1<<63 - 1}} {
		for attempt := -1; attempt <= 2000; attempt++ {
			for _, random := range []float64{0, 0.5, 0.999999} {
				got := schedule(retry, 1, attempt, random)
				if got < shortestDelay || got > longestDelay {
					t.Fatalf("schedule(%v, 1, %d, %v): got %v", retry, attempt, random, got)
				}
			}
		}
	}
}
