package runtime

import (
	"context"
	"errors"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestFirstRepeatAndConflict(t *testing.T) {
	h := newHarness(t, nil)
	first := h.send(paid("e1", "o1", 7))
	h.want(first, Processed, 200)
	if first.body != `{"ok":true}` || first.header.Get("Content-Type") != "application/json" {
		t.Errorf("first answer is %+v", first)
	}
	repeat := h.send(paid("e1", "o1", 7))
	h.want(repeat, Duplicate, 200)
	if repeat.body != first.body || repeat.header.Get("Content-Type") != first.header.Get("Content-Type") {
		t.Errorf("repeat is answered %+v, want %+v", repeat, first)
	}
	other := h.send(paid("e1", "o2", 9))
	h.want(other, Conflict, 409)
	if other.body != "" || h.store.conflicts["e1"] != 1 {
		t.Errorf("conflict: body %q, recorded %d times", other.body, h.store.conflicts["e1"])
	}
	h.wantRows(1)
	row := h.store.row("e1")
	if got := row.Records[0].Columns; got[0].Text != "o1" || got[1].Int != 7 {
		t.Errorf("columns are %+v", got)
	}
	if row.Payload != nil || row.LockKey != LockKey("shop_inbox_events", "e1") {
		t.Errorf("row is %+v", row)
	}
}

func TestHandlerOutcomes(t *testing.T) {
	boom := errors.New("boom")
	cases := []struct {
		name     string
		handler  func(context.Context, *Delivery) error
		outcome  Outcome
		status   int
		class    string
		rows     int
		failures int
		after    string
	}{
		{"success", func(context.Context, *Delivery) error { return nil }, Processed, 200, "", 1, 0, ""},
		{"error", func(context.Context, *Delivery) error { return boom }, Failed, 500, "handler", 0, 1, ""},
		{"retry after", func(context.Context, *Delivery) error { return RetryAfter(1500*time.Millisecond, boom) }, Failed, 500, "handler", 0, 1, "2"},
		{"reject", func(context.Context, *Delivery) error { return Reject("no such customer") }, Rejected, 202, "", 1, 0, ""},
		{"panic", func(context.Context, *Delivery) error { panic("x") }, Failed, 500, "panic", 0, 1, ""},
		{"panic nil", func(context.Context, *Delivery) error { panic(nil) }, Failed, 500, "panic", 0, 1, ""},
		{"goexit", func(context.Context, *Delivery) error { runtime.Goexit(); return nil }, Failed, 500, "panic", 0, 1, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
			h.store.handler = c.handler
			got := h.send(paid("e1", "o1", 7))
			h.want(got, c.outcome, c.status)
			h.wantRows(c.rows)
			if h.store.failures["e1"] != c.failures {
				t.Errorf("%d failures are recorded, want %d", h.store.failures["e1"], c.failures)
			}
			if c.class != "" && h.counters.Class(c.class) != 1 {
				t.Errorf("class %s was not counted", c.class)
			}
			if got.header.Get("Retry-After") != c.after {
				t.Errorf("Retry-After is %q, want %q", got.header.Get("Retry-After"), c.after)
			}
			h.store.handler = nil
			want := Processed
			if c.rows == 1 {
				want = Duplicate
			}
			again := h.send(paid("e1", "o1", 7))
			if h.counters.Outcome(want) == 0 || again.status/100 != 2 {
				t.Errorf("the next delivery is %d, %v; want %s", again.status, h.counters.Outcomes(), want)
			}
			h.wantRows(1)
		})
	}
}

func TestRejectedKeepsReasonAndPayload(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	h.store.handler = func(context.Context, *Delivery) error { return Reject("no such customer") }
	h.send(paid("e1", "o1", 7))
	row := h.store.row("e1")
	if row.Status != StatusRejected || row.Reason != "no such customer" || string(row.Payload) != paid("e1", "o1", 7) {
		t.Errorf("row is %+v", row)
	}
	if row.Records[0].On || len(row.Messages) != 0 || row.Response.Status != 202 {
		t.Errorf("row has effects or another answer: %+v", row)
	}
	h.want(h.send(paid("e1", "o1", 7)), Duplicate, 202)
}

func TestStoreErrors(t *testing.T) {
	cause := errors.New("cause")
	fail := func(c StoreErrorClass, constraint string) error {
		return &StoreError{Class: c, Constraint: constraint, Err: cause}
	}
	cases := []struct {
		name     string
		errs     []error // of the attempts, in order; then success
		outcome  Outcome
		failures int
		rows     int
	}{
		{"contention", []error{fail(ClassRetry, ""), fail(ClassRetry, "")}, Processed, 0, 1},
		{"unavailable once", []error{fail(ClassUnavailable, "")}, Processed, 0, 1},
		{"unavailable twice", []error{fail(ClassUnavailable, ""), fail(ClassUnavailable, "")}, Failed, 0, 0},
		{"unknown and nothing kept", []error{fail(ClassUnknown, "")}, Processed, 0, 1},
		{"own constraint", []error{fail(ClassViolation, "credits_order_id_key")}, Rejected, 0, 1},
		{"foreign constraint", []error{fail(ClassViolation, "users_pkey")}, Failed, 1, 0},
		{"swallowed", []error{fail(ClassNotCommitted, "")}, Failed, 1, 0},
		{"other", []error{fail(ClassOther, "")}, Failed, 1, 0},
		{"plain error", []error{cause}, Failed, 1, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, nil)
			next := 0
			h.store.before = func(context.Context, *Delivery) (*Result, error) {
				if next == len(c.errs) {
					return nil, nil
				}
				next++
				return nil, c.errs[next-1]
			}
			h.send(paid("e1", "o1", 7))
			if h.counters.Outcome(c.outcome) != 1 {
				t.Errorf("outcomes are %v, want %s", h.counters.Outcomes(), c.outcome)
			}
			h.wantRows(c.rows)
			if h.store.failures["e1"] != c.failures || next != len(c.errs) {
				t.Errorf("%d failures, %d attempts failed", h.store.failures["e1"], next)
			}
		})
	}
}

func TestUnknownFateOfCommit(t *testing.T) {
	lost := &StoreError{Class: ClassUnknown, Err: errors.New("connection lost")}
	for _, handler := range []bool{false, true} {
		h := newHarness(t, func(d *Definition) { d.Events[0].Handler = handler })
		calls := 0
		h.store.handler = func(context.Context, *Delivery) error { calls++; return nil }
		h.store.after = func(context.Context, *Delivery) error { return lost }
		h.want(h.send(paid("e1", "o1", 7)), Processed, 200)
		h.wantRows(1)
		if handler && calls != 1 {
			t.Errorf("the handler ran %d times", calls)
		}
	}
	// With a handler nothing is done twice: what was not kept is failed.
	h := newHarness(t, func(d *Definition) { d.Events[0].Handler = true })
	h.store.before = func(context.Context, *Delivery) (*Result, error) { return nil, lost }
	h.want(h.send(paid("e1", "o1", 7)), Failed, 500)
	h.wantRows(0)
}

func TestLostIsBounded(t *testing.T) {
	h := newHarness(t, nil)
	h.store.before = func(context.Context, *Delivery) (*Result, error) { return &Result{Found: Lost}, nil }
	h.want(h.send(paid("e1", "o1", 7)), Failed, 500)
	if got := h.store.asked(); got != maxLost+1 {
		t.Errorf("the store was asked %d times, want %d", got, maxLost+1)
	}
}

func TestBusyElsewhere(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Timing.InProgressWait = 60 * time.Millisecond })
	h.store.held["e1"] = true
	got := h.send(paid("e1", "o1", 7))
	h.want(got, InProgress, 503)
	if got.header.Get("Retry-After") != "5" || h.store.asked() < 2 {
		t.Errorf("Retry-After %q after %d looks", got.header.Get("Retry-After"), h.store.asked())
	}
	h.def.Events[0].Timing.InProgressWait = 10 * time.Second
	h.rcv = h.start(Options{})
	polls := h.store.asked()
	go func() {
		for h.store.asked() < polls+2 {
			time.Sleep(time.Millisecond)
		}
		h.store.free("e1")
	}()
	h.want(h.send(paid("e1", "o1", 7)), Processed, 200)
}

func TestDeadlineEndsTheWork(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Events[0].Handler = true
		d.Events[0].Timing.Deadline = 20 * time.Millisecond
	})
	h.store.handler = func(ctx context.Context, d *Delivery) error { <-ctx.Done(); return ctx.Err() }
	h.want(h.send(paid("e1", "o1", 7)), Failed, 500)
	if h.counters.Class("deadline") != 1 {
		t.Errorf("it is not counted as a deadline")
	}
}

func TestWorkOutlivesPatienceAndSender(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Events[0].Handler = true
		d.Events[0].Timing.AnswerWithin = 20 * time.Millisecond
	})
	release := make(chan struct{})
	h.store.handler = func(ctx context.Context, d *Delivery) error {
		select {
		case <-release:
			return ctx.Err()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := h.signed(paid("e1", "o1", 7)).WithContext(ctx)
	cancel() // the sender has hung up
	h.want(h.do(r), InProgress, 503)
	h.wantRows(0)
	close(release)
	if err := h.rcv.Drain(context.Background()); err != nil {
		t.Fatal(err)
	}
	h.wantRows(1)
	if h.counters.Late(Processed) != 1 {
		t.Errorf("the late end was not observed")
	}
	h.want(h.send(paid("e1", "o1", 7)), Duplicate, 200)
}

func TestDrainGivesUp(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Events[0].Handler = true
		d.Events[0].Timing.AnswerWithin = time.Millisecond
	})
	release := make(chan struct{})
	h.store.handler = func(context.Context, *Delivery) error { <-release; return nil }
	h.send(paid("e1", "o1", 7))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := h.rcv.Drain(ctx); err == nil {
		t.Error("Drain did not say that work is left")
	}
	close(release)
	h.rcv.working.Wait()
}

func TestNothingBeforeTheSignatureTouchesTheDatabase(t *testing.T) {
	h := newHarness(t, nil)
	r := httptest.NewRequest("POST", "/", strings.NewReader(paid("e1", "o1", 7)))
	r.Header.Set("Content-Type", "application/json")
	h.want(h.do(r), Unauthenticated, 401)
	if h.store.asked() != 0 {
		t.Error("the store was asked")
	}
}
