package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// gate holds the handler until it is opened, and counts who is inside.
type gate struct {
	open    chan error
	mu      sync.Mutex
	entered int
}

func (g *gate) handler(ctx context.Context, d *Delivery) error {
	g.mu.Lock()
	g.entered++
	g.mu.Unlock()
	return <-g.open
}

func (g *gate) inside() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entered
}

// waiting is how many deliveries wait for a key.
func (q *queue) waitingFor(key string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.lines[key]; l != nil {
		return len(l.waiting)
	}
	return 0
}

func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lines) == 0 && q.bytes == 0
}

func crowd(h *harness, n int, text string) (statuses func() []int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var got []int
	for range n {
		r := h.signed(text)
		wg.Go(func() {
			status := h.do(r).status
			mu.Lock()
			got = append(got, status)
			mu.Unlock()
		})
	}
	return func() []int { wg.Wait(); slices.Sort(got); return got }
}

func TestOneKeyIsWorkedOnOnce(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	g := &gate{open: make(chan error)}
	h.store.handler = g.handler
	done := crowd(h, 40, paid("e1", "o1", 1))
	eventually(t, "the line", func() bool { return h.rcv.queue.waitingFor("e1") == 39 })
	eventually(t, "the leader", func() bool { return g.inside() == 1 })
	if h.store.asked() != 1 {
		t.Errorf("%d asked the store", h.store.asked())
	}
	g.open <- nil
	if got := done(); got[0] != 200 || got[39] != 200 {
		t.Errorf("answered %v", got)
	}
	// Waiters with the same fingerprint are answered without the database.
	if h.store.asked() != 1 || h.counters.Outcome(Processed) != 1 || h.counters.Outcome(Duplicate) != 39 {
		t.Errorf("the store was asked %d times: %v", h.store.asked(), h.counters.Outcomes())
	}
	if !h.rcv.queue.idle() {
		t.Error("the queue is not empty")
	}
}

func TestWaiterTakesOver(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	g := &gate{open: make(chan error)}
	h.store.handler = g.handler
	done := crowd(h, 3, paid("e1", "o1", 1))
	eventually(t, "the line", func() bool { return h.rcv.queue.waitingFor("e1") == 2 })
	g.open <- errors.New("boom")
	g.open <- nil
	if got := done(); !slices.Equal(got, []int{200, 200, 500}) {
		t.Errorf("answered %v", got)
	}
	if g.inside() != 2 || string(h.store.row("e1").Body) != paid("e1", "o1", 1) {
		t.Errorf("the handler ran %d times", g.inside())
	}
}

func TestWaitingConflictIsRecorded(t *testing.T) {
	for _, fails := range []bool{false, true} {
		h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
		g := &gate{open: make(chan error)}
		h.store.handler = g.handler
		first := crowd(h, 2, paid("e1", "o1", 1))
		eventually(t, "the first line", func() bool { return h.rcv.queue.waitingFor("e1") == 1 })
		second := crowd(h, 1, paid("e1", "o2", 2))
		eventually(t, "the second line", func() bool { return h.rcv.queue.waitingFor("e1") == 2 })
		if fails { // the one with the same content takes over, then the other conflicts
			g.open <- errors.New("boom")
		}
		g.open <- nil
		if got := second(); got[0] != 409 || h.store.conflicts["e1"] != 1 {
			t.Errorf("fails %v: answered %v, %d conflicts", fails, got, h.store.conflicts["e1"])
		}
		want := []int{200, 200}
		if fails {
			want = []int{200, 500}
		}
		if got := first(); !slices.Equal(got, want) || !h.rcv.queue.idle() {
			t.Errorf("fails %v: answered %v", fails, got)
		}
	}
}

func TestOtherContentTakesOver(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	g := &gate{open: make(chan error)}
	h.store.handler = g.handler
	var all []func() []int
	for i, text := range []string{paid("e1", "o1", 1), paid("e1", "o2", 2), paid("e1", "o1", 1)} {
		all = append(all, crowd(h, 1, text))
		eventually(t, "the line", func() bool { return g.inside() == 1 && h.rcv.queue.waitingFor("e1") == i })
	}
	g.open <- errors.New("boom") // o1 failed: o2 takes over and wins; the third is a conflict
	g.open <- nil
	for i, want := range []int{500, 200, 409} {
		if got := all[i](); got[0] != want {
			t.Errorf("delivery %d is answered %v, want %d", i, got, want)
		}
	}
}

func TestLineAndBytesAreBounded(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	g := &gate{open: make(chan error)}
	h.store.handler = g.handler
	done := crowd(h, 1+maxWaiters, paid("e1", "o1", 1))
	eventually(t, "the line", func() bool { return h.rcv.queue.waitingFor("e1") == maxWaiters })
	h.want(h.send(paid("e1", "o1", 1)), InProgress, 503)
	close(g.open)
	done()

	h = newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	h.rcv = h.start(Options{QueueBytes: 10})
	g = &gate{open: make(chan error)}
	h.store.handler = g.handler
	done = crowd(h, 2, paid("e1", "o1", 1))
	eventually(t, "the line", func() bool { return h.rcv.queue.waitingFor("e1") == 1 })
	h.want(h.send(paid("e1", "o2", 1)), InProgress, 503) // its body is over the budget
	close(g.open)
	done()
	if !h.rcv.queue.idle() {
		t.Error("the queue is not empty")
	}
}

func TestWaitersLeaveByTheirOwnClock(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Events[0].Handler = true
		d.Events[0].Timing.InProgressWait = 20 * time.Millisecond
	})
	g := &gate{open: make(chan error)}
	h.store.handler = g.handler
	done := crowd(h, 1, paid("e1", "o1", 1))
	eventually(t, "the leader", func() bool { return g.inside() == 1 })
	h.want(h.send(paid("e1", "o1", 1)), InProgress, 503)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.want(h.do(h.signed(paid("e1", "o1", 1)).WithContext(ctx)), InProgress, 503)
	// Other keys are not held up.
	other := crowd(h, 1, paid("e2", "o1", 1))
	eventually(t, "another key", func() bool { return g.inside() == 2 })
	close(g.open)
	if got := append(done(), other()...); !slices.Equal(got, []int{200, 200}) {
		t.Errorf("answered %v", got)
	}
}

func TestManyKeysAtOnce(t *testing.T) {
	h := newHarness(t, nil)
	var all []func() []int
	for i := range 30 {
		all = append(all, crowd(h, 8, paid(string(rune('a'+i)), "o", 1)))
	}
	for _, done := range all {
		if got := done(); got[0] != 200 || got[7] != 200 {
			t.Errorf("answered %v", got)
		}
	}
	if h.counters.Outcome(Processed) != 30 || h.counters.Outcome(Duplicate) != 210 {
		t.Errorf("outcomes are %v", h.counters.Outcomes())
	}
}
