package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// batchOf makes the definition's endpoint one of batches.
func batchOf(items string) func(*Definition) {
	return func(d *Definition) {
		d.Endpoints[0].Items = items
		d.Endpoints[0].Responses[Processed].Body = literal("[accepted]")
		d.Events[0].Key = []Selector{{Kind: Envelope, Name: "/shop", Optional: true}, body("/id")}
		d.Endpoints[0].UnknownKey = []Selector{body("/id")}
	}
}

func events(all ...string) string { return `{"shop":"s1","events":[` + strings.Join(all, ",") + `]}` }

func TestABatchIsItsElements(t *testing.T) {
	h := newHarness(t, batchOf("/events/*"))
	got := h.send(events(paid("e1", "o1", 1), paid("e2", "o2", 2), paid("e1", "o1", 1), paid("e2", "o2", 3),
		`{"id":"e3","type":"unheard.of"}`, `{"type":"order.paid"}`, `null`))
	if got.status != 200 || got.body != "[accepted]" {
		t.Errorf("answer is %d %q, want the endpoint's for processed", got.status, got.body)
	}
	for o, want := range map[Outcome]int64{Processed: 2, Duplicate: 1, Conflict: 1, Ignored: 1, Rejected: 2} {
		if n := h.counters.Outcome(o); n != want {
			t.Errorf("%s: %d, want %d", o, n, want)
		}
	}
	if d := h.store.row("s1|e2"); d == nil || string(d.Body) != paid("e2", "o2", 2) || d.Records[0].Columns[0].Text != "o2" {
		t.Errorf("row of e2 is %+v", d)
	}
	h.wantRows(5)
	for key, d := range h.store.rows {
		if d.Status == StatusRejected && (d.Payload == nil || !strings.HasPrefix(key, `\!`)) {
			t.Errorf("rejected row %q has payload %q, want the element", key, d.Payload)
		}
	}
}

func TestASenderBatchesAnew(t *testing.T) {
	h := newHarness(t, batchOf("/*"))
	h.send("[" + paid("e1", "o1", 1) + "," + paid("e2", "o2", 2) + "]")
	h.send("[" + paid("e2", "o2", 2) + "," + paid("e3", "o3", 3) + "]")
	if p, d := h.counters.Outcome(Processed), h.counters.Outcome(Duplicate); p != 3 || d != 1 {
		t.Errorf("processed %d, duplicate %d; want 3, 1", p, d)
	}
}

func TestElementsBehindATail(t *testing.T) {
	h := newHarness(t, batchOf("/items/*/Item"))
	got := h.send(`{"items":[{"Item":` + paid("e1", "o1", 1) + `},{"other":1}]}`)
	if got.status != 200 || h.counters.Outcome(Processed) != 1 || h.counters.Outcome(Rejected) != 1 {
		t.Errorf("answer %d, outcomes %v; want one processed, one rejected", got.status, h.counters.Outcomes())
	}
}

func TestArraysInArrays(t *testing.T) {
	h := newHarness(t, batchOf("/entry/*/changes/*"))
	got := h.send(`{"entry":[{"changes":[` + paid("e1", "o1", 1) + "," + paid("e2", "o2", 2) + `]},{"changes":[]},{"changes":[` + paid("e3", "o3", 3) + `]},{"other":1},{"changes":1},7]}`)
	if got.status != 200 || h.counters.Outcome(Processed) != 3 || h.counters.Outcome(Rejected) != 3 {
		t.Errorf("answer %d, outcomes %v; want three processed, three rejected", got.status, h.counters.Outcomes())
	}
}

func TestAnEmptyBatchIsAcknowledged(t *testing.T) {
	h := newHarness(t, batchOf("/events/*"))
	if got := h.send(events()); got.status != 200 || got.body != "[accepted]" || h.counters.Outcome(Processed) != 0 || h.counters.Outcome(Ignored) != 1 {
		t.Errorf("answer %d %q, outcomes %v", got.status, got.body, h.counters.Outcomes())
	}
	for _, text := range []string{`{}`, `{"events":{}}`, `{"events":null}`, `[]`, `1`} {
		if got := h.send(text); got.status != 400 {
			t.Errorf("%s: answer %d, want 400", text, got.status)
		}
	}
	h.wantRows(0)
}

func TestOneElementFailsAndTheRetryDoesTheRest(t *testing.T) {
	h := newHarness(t, batchOf("/events/*"))
	h.store.before = func(_ context.Context, d *Delivery) (*Result, error) {
		if d.Key == "s1|e7" {
			return nil, &StoreError{Class: ClassOther, Err: errors.New("refused")}
		}
		return nil, nil
	}
	var all []string
	for i := range 250 {
		all = append(all, paid(fmt.Sprint("e", i), fmt.Sprint("o", i), i))
	}
	if got := h.send(events(all...)); got.status != 500 {
		t.Errorf("answer %d, want 500: one element failed", got.status)
	}
	h.wantRows(249)
	h.store.mu.Lock()
	h.store.before = nil
	h.store.mu.Unlock()
	if got := h.send(events(all...)); got.status != 200 {
		t.Errorf("answer %d, want 200", got.status)
	}
	h.wantRows(250)
	if p, d := h.counters.Outcome(Processed), h.counters.Outcome(Duplicate); p != 250 || d != 249 {
		t.Errorf("processed %d, duplicate %d; want 250, 249", p, d)
	}
}

func TestABatchSharesTransactions(t *testing.T) {
	g := newGatedStore()
	h := newHarness(t, batchOf("/events/*"))
	rcv := newReceiver(&h.def, g, Options{Observer: h.counters, Clock: h.clock})
	if err := rcv.compile(context.Background(), Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret}, Settings: SettingsMap{}}); err != nil {
		t.Fatal(err)
	}
	h.rcv = rcv
	var all []string
	for i := range 250 {
		all = append(all, paid(fmt.Sprint("e", i), fmt.Sprint("o", i), i))
	}
	answers := make(chan answered)
	go func() { answers <- h.send(events(all...)) }()
	for range 2 {
		<-g.began
	}
	(&flight{t: t, c: rcv.coalescer}).waiting(batchWorkers - 2)
	for range len(all) {
		g.free <- struct{}{}
	}
	if got := <-answers; got.status != 200 || h.counters.Outcome(Processed) != 250 {
		t.Errorf("answer %d, outcomes %v", got.status, h.counters.Outcomes())
	}
	longest := 0
	for _, keys := range g.batches {
		longest = max(longest, len(keys))
	}
	if longest != defaultBatch {
		t.Errorf("of %d transactions the longest has %d elements, want %d", len(g.batches), longest, defaultBatch)
	}
}

func TestElementsOfOneBusinessRowKeepTheirOrder(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		batchOf("/events/*")(d)
		d.Events[0].Records[0].Table, d.Events[0].Records[0].Unique = "credits", [][]int{{0}}
	})
	var order []string
	h.store.after = func(_ context.Context, d *Delivery) error {
		h.store.mu.Lock()
		defer h.store.mu.Unlock()
		if d.Records[0].Columns[0].Text == "o" {
			order = append(order, d.Key)
		}
		return nil
	}
	var all, want []string
	for i := range 40 {
		all = append(all, paid(fmt.Sprint("e", i), "o", i), paid(fmt.Sprint("x", i), fmt.Sprint("other", i), i))
		want = append(want, fmt.Sprint("s1|e", i))
	}
	h.send(events(all...))
	if got := strings.Join(order, " "); got != strings.Join(want, " ") {
		t.Errorf("the order was %s", got)
	}
}

func TestAHandlerTakesTheElementsInOrder(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		batchOf("/events/*")(d)
		d.Events[0].Handler = true
	})
	var order []string
	h.store.handler = func(_ context.Context, d *Delivery) error {
		order = append(order, d.Key) // the race detector tells when two are at work
		return nil
	}
	var all, want []string
	for i := range 20 {
		all = append(all, paid(fmt.Sprint("e", i), fmt.Sprint("o", i), i))
		want = append(want, fmt.Sprint("s1|e", i))
	}
	h.send(events(all...))
	if got := strings.Join(order, " "); got != strings.Join(want, " ") {
		t.Errorf("the order was %s", got)
	}
}

func TestItemsThatAreNoPointer(t *testing.T) {
	for _, items := range []string{"/events", "/*x", "events/*", "/~2/*"} {
		def := definition()
		batchOf(items)(&def)
		_, err := NewReceiver(context.Background(), def, newMemory(), Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret}, Settings: SettingsMap{}})
		if err == nil || !strings.Contains(err.Error(), items) {
			t.Errorf("%s: got %v, want an error that names it", items, err)
		}
	}
}
