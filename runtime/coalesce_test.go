package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// gatedStore is a store whose transactions wait until they are let go.
type gatedStore struct {
	*memory
	mu      sync.Mutex
	batches [][]string    // keys of each transaction, in the order of their begin
	began   chan []string // one a transaction
	free    chan struct{} // one lets one transaction go
	fail    func(ds []*Delivery) error
	single  bool
}

func newGatedStore() *gatedStore {
	return &gatedStore{memory: newMemory(), began: make(chan []string, 1000), free: make(chan struct{}, 1000)}
}

func (g *gatedStore) SingleWriter() bool { return g.single }

func (g *gatedStore) Deliver(ctx context.Context, ds []*Delivery) ([]Result, error) {
	var keys []string
	for _, d := range ds {
		keys = append(keys, d.Key)
	}
	g.mu.Lock()
	g.batches = append(g.batches, keys)
	fail := g.fail
	g.mu.Unlock()
	g.began <- keys
	<-g.free
	if fail != nil {
		if err := fail(ds); err != nil {
			return nil, err
		}
	}
	return g.memory.Deliver(ctx, ds)
}

// flight is deliveries in a coalescer, each in a goroutine of its own.
type flight struct {
	t     *testing.T
	c     *coalescer
	ended sync.WaitGroup
	mu    sync.Mutex
	got   map[string]string
}

func (f *flight) send(key string, rows ...string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	f.ended.Go(func() {
		defer cancel()
		res, alone, err := f.c.deliver(ctx, &Delivery{Key: key, Event: -1, Fingerprint: []byte(key)}, rows)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.got[key] = fmt.Sprint(res.Found, alone, err)
	})
}

// wait until n deliveries stand in line.
func (f *flight) waiting(n int) {
	f.t.Helper()
	eventually(f.t, fmt.Sprintf("%d waiting deliveries", n), func() bool {
		f.c.mu.Lock()
		defer f.c.mu.Unlock()
		return len(f.c.waiting) == n
	})
}

// limit waits until no transaction runs and at most n deliveries may share the next.
func (f *flight) limit(n int) {
	f.t.Helper()
	eventually(f.t, fmt.Sprintf("a limit of %d", n), func() bool {
		f.c.mu.Lock()
		defer f.c.mu.Unlock()
		return f.c.flying == 0 && f.c.size == n
	})
}

func newFlight(t *testing.T, g *gatedStore, limit int) *flight {
	return &flight{t: t, c: newCoalescer(g, limit), got: map[string]string{}}
}

const committed = "0 false <nil>"

func (f *flight) want(key, want string) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.got[key] != want {
		f.t.Errorf("%s: got %q, want %q", key, f.got[key], want)
	}
}

func TestWhatWaitsSharesATransaction(t *testing.T) {
	g := newGatedStore()
	f := newFlight(t, g, 3)
	f.send("a")
	first := <-g.began
	f.send("b")
	second := <-g.began // the second flusher
	for _, key := range []string{"c", "d", "e", "f"} {
		f.send(key)
	}
	f.waiting(4)
	g.free <- struct{}{}
	third := <-g.began
	if len(first) != 1 || len(second) != 1 || len(third) != 3 {
		t.Errorf("transactions of %v, %v, %v, want one, one and three deliveries", first, second, third)
	}
	for range 3 {
		g.free <- struct{}{}
	}
	f.ended.Wait()
	for _, key := range []string{"a", "b", "c", "d", "e", "f"} {
		f.want(key, committed)
	}
	if g.size() != 6 {
		t.Errorf("%d rows, want 6", g.size())
	}
}

func TestOneWriterHasOneFlusher(t *testing.T) {
	g := newGatedStore()
	g.single = true
	f := newFlight(t, g, 64)
	f.send("a")
	<-g.began
	f.send("b")
	f.send("c")
	f.waiting(2)
	g.free <- struct{}{}
	if got := <-g.began; len(got) != 2 {
		t.Errorf("the next transaction has %v, want b and c", got)
	}
	g.free <- struct{}{}
	f.ended.Wait()
}

func TestOneDeliveryForABusinessRowFlies(t *testing.T) {
	g := newGatedStore()
	f := newFlight(t, g, 64)
	f.send("a", "order 1")
	<-g.began
	f.send("b", "order 2", "order 1") // waits although a flusher is free
	f.waiting(1)
	f.send("c", "order 3") // does not
	if got := <-g.began; !slices.Equal(got, []string{"c"}) {
		t.Fatalf("%v flies, want c", got)
	}
	f.send("d", "order 3")
	f.send("e", "order 4")
	f.send("f", "order 4")
	f.waiting(4)
	for range 2 {
		g.free <- struct{}{}
	}
	for range 4 { // b, d, e, f in whatever order, none beside its row's
		select {
		case g.free <- struct{}{}:
		case <-time.After(time.Minute):
			t.Fatal("stuck")
		}
	}
	f.ended.Wait()
	rows := map[string]string{"a": "1", "b": "1 2", "c": "3", "d": "3", "e": "4", "f": "4"}
	for _, batch := range g.batches {
		seen := ""
		for _, key := range batch {
			for row := range strings.SplitSeq(rows[key], " ") {
				if strings.Contains(seen, row) {
					t.Errorf("a transaction writes order %s twice: %v", row, batch)
				}
				seen += row
			}
		}
	}
	if g.size() != 6 {
		t.Errorf("%d rows, want 6", g.size())
	}
}

func TestABatchThatFailsRunsOneByOne(t *testing.T) {
	for name, fail := range map[string]func(ds []*Delivery) error{
		"error": func([]*Delivery) error { return &StoreError{Class: ClassViolation, Err: errors.New("refused")} },
		"panic": func([]*Delivery) error { panic("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGatedStore()
			g.single = true
			g.fail = func(ds []*Delivery) error {
				if slices.ContainsFunc(ds, func(d *Delivery) bool { return d.Key == "poison" }) {
					return fail(ds)
				}
				return nil
			}
			f := newFlight(t, g, 8)
			f.send("a")
			<-g.began
			for _, key := range []string{"b", "poison", "c", "d"} {
				f.send(key)
			}
			f.waiting(4)
			g.free <- struct{}{}
			<-g.began
			g.free <- struct{}{}
			f.ended.Wait()
			for _, key := range []string{"b", "poison", "c", "d"} {
				f.want(key, "0 true <nil>")
			}
			f.limit(2)
			f.send("g")
			<-g.began
			g.free <- struct{}{}
			f.ended.Wait()
			f.want("g", committed)
			f.limit(3)
		})
	}
}

func TestAServerThatIsAwayFailsTheBatchAtOnce(t *testing.T) {
	g := newGatedStore()
	g.single = true
	g.fail = func([]*Delivery) error { return &StoreError{Class: ClassUnavailable, Err: errors.New("gone")} }
	f := newFlight(t, g, 8)
	f.send("a")
	<-g.began
	f.send("b")
	f.send("c")
	f.waiting(2)
	g.free <- struct{}{}
	<-g.began
	g.free <- struct{}{}
	f.ended.Wait()
	for _, key := range []string{"a", "b", "c"} {
		if got := f.got[key]; !strings.HasPrefix(got, "0 false ") || !strings.Contains(got, "gone") {
			t.Errorf("%s: got %q, want the error", key, got)
		}
	}
}

func TestADeliveryInAHurrySharesNothing(t *testing.T) {
	f := newFlight(t, newGatedStore(), 8)
	ctx, cancel := context.WithTimeout(context.Background(), aloneBelow/2)
	defer cancel()
	if _, alone, err := f.c.deliver(ctx, &Delivery{Key: "a"}, nil); !alone || err != nil {
		t.Errorf("alone %v, %v; want alone", alone, err)
	}
}

func TestADeliveryLeavesTheLineWithItsContext(t *testing.T) {
	g := newGatedStore()
	g.single = true
	f := newFlight(t, g, 8)
	f.send("a")
	<-g.began
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan error)
	go func() {
		_, _, err := f.c.deliver(ctx, &Delivery{Key: "b"}, nil)
		gone <- err
	}()
	f.waiting(1)
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	g.free <- struct{}{}
	f.ended.Wait()
	if g.row("b") != nil {
		t.Error("what has left the line was written")
	}
}

// The whole path, with every limit: nothing is lost or doubled, and a poison
// event fails alone.
func TestDeliveriesInParallelWithEveryBatchLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 64} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			h := newHarness(t, nil)
			h.store.before = func(_ context.Context, d *Delivery) (*Result, error) {
				if strings.HasSuffix(d.Key, "13") {
					return nil, &StoreError{Class: ClassOther, Err: errors.New("poison")}
				}
				return nil, nil
			}
			h.rcv = h.start(Options{MaxBatch: limit, AnswerBytes: -1})
			var all sync.WaitGroup
			for i := range 200 {
				for range 2 {
					all.Go(func() { h.send(paid(fmt.Sprint("e", i), fmt.Sprint("o", i), i)) })
				}
			}
			all.Wait()
			h.wantRows(198) // 13 and 113 are poison
			if p, d, f := h.counters.Outcome(Processed), h.counters.Outcome(Duplicate), h.counters.Outcome(Failed); p != 198 || d != 198 || f != 4 {
				t.Errorf("processed %d, duplicate %d, failed %d; want 198, 198, 4", p, d, f)
			}
		})
	}
}
