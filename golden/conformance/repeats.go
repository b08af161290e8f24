package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	whrt "github.com/whgen/whgen/runtime"
)

// repeats are deliveries of what is known already.
var repeats = []caseOf{
	{name: "repeats do nothing, across restarts", both: true, run: repeatsAcrossRestarts, only: quick},
	{name: "the first answer again after a lost one", both: true, run: lostAnswer},
	{name: "a volatile member is no conflict", run: volatileMember},
	{name: "a conflict leaves the first alone", both: true, run: conflict},
	{name: "conflicts do not fill the disk", both: true, run: manyConflicts},
	{name: "two events about one fact", both: true, run: twoEventsOneFact},
}

// repeatsAcrossRestarts: many deliveries, to three lives of a process.
func repeatsAcrossRestarts(b *bench) {
	text := b.body("evt_1", "o-1", 100)
	counts := map[string]int{}
	p := b.start(life{NoRelay: true})
	add := func() {
		for outcome, n := range p.counted() {
			counts[outcome] += n
		}
		p.kill()
	}
	for i := range 46 {
		if i == 10 || i == 30 {
			add()
			p = b.start(life{NoRelay: true})
		}
		b.wantAt(p.url, text, 200)
	}
	add()
	b.rows(1, 1, 1)
	if want := map[string]int{"processed": 1, "duplicate": 45}; fmt.Sprint(counts) != fmt.Sprint(want) {
		b.Errorf("outcomes %v, want %v", counts, want)
	}
}

// lostAnswer: a proxy loses the first answer after the receiver gave it.
func lostAnswer(b *bench) {
	text := b.body("evt_7", "o-7", 1)
	r := b.receiver()
	losing := b.serve(http.HandlerFunc(func(_ http.ResponseWriter, hr *http.Request) {
		r.ServeHTTP(httptest.NewRecorder(), hr)
		panic(http.ErrAbortHandler)
	}))
	if got := do(signed(b.Context(), losing, text)); got.status != 0 {
		b.Errorf("status %d came through", got.status)
	}
	for range 20 {
		if got, want := b.deliver(text), (answer{200, `{"ok":true}`}); got != want {
			b.Errorf("got %v, want %v", got, want)
		}
	}
	b.rows(1, 1, 1)
	b.outcome(whrt.Processed, 1)
	b.outcome(whrt.Duplicate, 20)
	if strings.Contains(b.log.String(), `"level":"ERROR"`) {
		b.Errorf("duplicates are logged as errors:\n%s", b.log.tail())
	}
}

// volatileMember: a counter of attempts is not content.
func volatileMember(b *bench) {
	b.work = func(context.Context, Order) error { return errors.New("not yet") }
	text := `{"id":"evt_16","type":"order.paid","data":{"order_id":"o-16","amount":1},"attempt":%d}`
	b.want(fmt.Sprintf(text, 1), 503)
	b.work = credit
	b.want(fmt.Sprintf(text, 2), 200)
	b.want(fmt.Sprintf(text, 3), 200)
	b.rows(1, 1, 1)
	b.outcome(whrt.Duplicate, 1)
	b.outcome(whrt.Conflict, 0)
}

// conflict: a key that comes with other content.
func conflict(b *bench) {
	first := b.body("evt_18", "o-18", 100)
	b.want(first, 200)
	for range 3 {
		b.want(b.body("evt_18", "o-99", 999), 200)
	}
	b.want(first, 200)
	b.rows(1, 1, 1)
	b.outcome(whrt.Conflict, 3)
	b.outcome(whrt.Duplicate, 1)
	if n := b.number("SELECT count(*) FROM " + b.effects() + " WHERE order_id = 'o-18' AND amount = 100"); n != 1 {
		b.Errorf("%d effects of the first content, want 1", n)
	}
	if n := b.number(`SELECT c.deliveries FROM credits_inbox_conflicts c JOIN credits_inbox_events e
		ON e.event_key = c.event_key AND e.payload_sha256 <> c.payload_sha256`); n != 3 {
		b.Errorf("%d conflicting deliveries stored, want 3", n)
	}
}

// manyConflicts: the seventeenth different content of a key and all after it are
// counted in one row.
func manyConflicts(b *bench) {
	const contents = 20
	b.want(b.body("evt_19", "o-19", 0), 200)
	for range 2 {
		for i := range contents {
			b.want(b.body("evt_19", "o-19", i+1), 200)
		}
	}
	b.rows(1, 1, 1)
	b.outcome(whrt.Conflict, 2*contents)
	if n, sum := b.number("SELECT count(*) FROM credits_inbox_conflicts"), b.number("SELECT sum(deliveries) FROM credits_inbox_conflicts"); n != 17 || sum != 2*contents {
		b.Errorf("%d rows with %d conflicting deliveries, want 17 with %d", n, sum, 2*contents)
	}
}

// twoEventsOneFact: without a declared business key, which whgen
// refuses as not supported yet, two ids are two events.
func twoEventsOneFact(b *bench) {
	rounds := 50
	if b.kind == "settled" {
		rounds = 10
	}
	for i := range rounds {
		var both sync.WaitGroup
		for _, id := range []string{"evt_10", "evt_11"} {
			both.Go(func() { b.want(b.body(fmt.Sprintf("%s_%d", id, i), "o-10", 1), 200) })
		}
		both.Wait()
	}
	b.rows(2*rounds, 2*rounds, 2*rounds)
	b.outcome(whrt.Processed, int64(2*rounds))
}
