package conformance

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	whrt "github.com/whgen/whgen/runtime"
)

// races are deliveries at once.
var races = []caseOf{
	{name: "one event at once, at two processes", both: true, run: sameEventAtTwoProcesses, only: quick},
	{name: "one event at once, at two pools", both: true, run: sameEventAtTwoPools},
	{name: "a failing event does not hold up others", run: failingEventAmongOthers},
	{name: "work slower than the answer", run: slowWork},
	{name: "the sender hangs up", run: hangUp},
}

// crowd releases n deliveries at once and gives how often each status came.
func (b *bench) crowd(n int, text string, urls ...string) map[int]int {
	var mu sync.Mutex
	got := map[int]int{}
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			r := signed(b.Context(), urls[i%len(urls)], text)
			<-start
			a := do(r)
			mu.Lock()
			defer mu.Unlock()
			got[a.status]++
		})
	}
	close(start)
	all.Wait()
	return got
}

// sameEventAtTwoProcesses: fifty identical deliveries, a hundred times.
func sameEventAtTwoProcesses(b *bench) {
	rounds, at := 100, 50
	if b.kind == "settled" {
		rounds = 30
	}
	urls := []string{b.start(life{NoRelay: true}).url, b.start(life{NoRelay: true}).url}
	again := 0
	for i := range rounds {
		text := b.body(fmt.Sprintf("evt_2_%d", i), "o-2", 100)
		got := b.crowd(at, text, urls...)
		if got[200]+got[503] != at {
			b.Fatalf("round %d: statuses %v, want 200 and 503 only", i, got)
		}
		for j := range got[503] {
			again++
			b.comesAgain(urls[j%2], text)
		}
		b.rows(i+1, i+1, i+1)
		if b.Failed() {
			return
		}
	}
	b.Logf("%d of %d deliveries had to come again", again, rounds*at)
}

// sameEventAtTwoPools is the same inside one process: nothing but the database
// stands between two receivers with pools of their own.
func sameEventAtTwoPools(b *bench) {
	const rounds, at = 20, 32
	urls := []string{b.url, b.serve(b.receiverOn(b.connect()))}
	for i := range rounds {
		text := b.body(fmt.Sprintf("evt_2_%d", i), "o-2", 100)
		got := b.crowd(at, text, urls...)
		if got[200]+got[503] != at {
			b.Fatalf("round %d: statuses %v, want 200 and 503 only", i, got)
		}
		for range got[503] {
			b.comesAgain(b.url, text)
		}
	}
	b.rows(rounds, rounds, rounds)
	b.outcome(whrt.Processed, rounds)
	b.outcome(whrt.Conflict, 0)
	b.outcome(whrt.Failed, 0)
}

// failingEventAmongOthers.
func failingEventAmongOthers(b *bench) {
	b.work = func(ctx context.Context, o Order) error {
		if o.ID == "o-20" {
			return errors.New("never")
		}
		return credit(ctx, o)
	}
	for i := range 20 {
		if i%5 == 0 {
			b.want(b.body("evt_20", "o-20", 1), 503)
		}
		b.want(b.body(fmt.Sprintf("evt_20_%d", i), "o", 1), 200)
	}
	b.rows(20, 20, 20)
	b.outcome(whrt.Failed, 4)
	if n := b.counters.Class("handler"); n != 4 {
		b.Errorf("%d failures are the handler's, want 4: the rest are statements", n)
	}
	if n := b.number("SELECT attempts FROM credits_inbox_failures WHERE event_key = 'evt_20'"); n != 4 {
		b.Errorf("%d failed attempts in the one row, want 4", n)
	}
}

// slowWork: the work is slower than the answer may be.
func slowWork(b *bench) {
	release := make(chan struct{})
	var calls atomic.Int64
	b.work = func(ctx context.Context, o Order) error {
		calls.Add(1)
		<-release
		return credit(ctx, o)
	}
	text := b.body("evt_65", "o-65", 1)
	b.want(text, 503)
	b.want(text, 503)
	b.rows(0, 0, 0)
	close(release)
	b.until("the end of the work", func() bool { return b.counters.Late(whrt.Processed) == 1 })
	b.want(text, 200)
	b.rows(1, 1, 1)
	b.outcome(whrt.InProgress, 2)
	b.outcome(whrt.Duplicate, 1)
	if calls.Load() != 1 {
		b.Errorf("%d calls, want 1", calls.Load())
	}
}

// hangUp: the sender hangs up while its event is worked on.
func hangUp(b *bench) {
	started, release := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	b.work = func(ctx context.Context, o Order) error {
		if calls.Add(1) == 1 {
			close(started)
		}
		<-release
		return credit(ctx, o)
	}
	text := b.body("evt_66", "o-66", 1)
	ctx, hangUp := context.WithCancel(b.Context())
	gone := make(chan answer)
	go func() { gone <- do(signed(ctx, b.url, text)) }()
	<-started
	hangUp()
	if got := <-gone; got.status != 0 {
		b.Fatalf("status %d before the work was done", got.status)
	}
	close(release)
	b.until("the commit", func() bool { return b.number("SELECT count(*) FROM credits") == 1 })
	b.want(text, 200)
	b.rows(1, 1, 1)
	b.outcome(whrt.Duplicate, 1)
	if calls.Load() != 1 {
		b.Errorf("%d calls, want 1", calls.Load())
	}
}
