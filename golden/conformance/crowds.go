package conformance

import (
	"fmt"
	"sync"

	whrt "github.com/whgen/whgen/runtime"
)

// crowds are many events at once: a receiver may share transactions between
// them, and nobody must notice.
var crowds = []caseOf{
	{name: "bad ones in a crowd", run: badOnesInCrowd, habits: true},
	{name: "a crowd of all sorts", run: allSorts},
	{name: "a crowd loses its connection", both: true, run: crowdLosesConnection, only: postgres},
	{name: "a crowd meets a table that is broken", both: true, run: crowdMeetsBrokenTable},
}

const crowd = 40

// atOnce delivers texts at once and gives their statuses.
func (b *bench) atOnce(url string, texts []string) []int {
	got := make([]int, len(texts))
	var all sync.WaitGroup
	start := make(chan struct{})
	for i, text := range texts {
		all.Go(func() {
			r := signed(b.Context(), url, text)
			<-start
			got[i] = do(r).status
		})
	}
	close(start)
	all.Wait()
	return got
}

// badOnesInCrowd: every eighth event collides with a row that is there, at an
// endpoint that quarantines it, and at one that fails. The others do not suffer.
func badOnesInCrowd(b *bench) {
	url := b.habits(nil)
	for name, c := range map[string]struct {
		status  int
		outcome whrt.Outcome
		table   string
	}{"rejects": {200, whrt.Rejected, "rejected_items"}, "fails": {503, whrt.Failed, "failing_items"}} {
		taken := item("first", "taken", "1", "")
		b.compare(do(b.told(url+"/"+name, secret, taken)), taken, 200)
		texts := make([]string, crowd)
		for i := range texts {
			label := fmt.Sprint("free ", i)
			if i%8 == 7 {
				label = "taken"
			}
			texts[i] = item(fmt.Sprint("e-", i), label, "1", "")
		}
		for i, status := range b.atOnce(url+"/"+name, texts) {
			want := 200
			if i%8 == 7 {
				want = c.status
			}
			if status != want {
				b.Errorf("%s: event %d: status %d, want %d; the end of the log:\n%s", name, i, status, want, b.log.tail())
			}
		}
		b.outcome(c.outcome, crowd/8)
		if n, want := b.number("SELECT count(*) FROM "+c.table), 1+crowd-crowd/8; n != want {
			b.Errorf("%s: %d rows, want %d", c.table, n, want)
		}
	}
	b.outcome(whrt.Processed, 2*(1+crowd-crowd/8))
}

// allSorts: new events of both kinds, repeats, conflicts and types that nobody
// listed, each of them twice at the same time.
func allSorts(b *bench) {
	var first, texts []string
	for i := range crowd / 4 {
		known := body("settled", fmt.Sprint("known_", i), "o", 1)
		first = append(first, known)
		texts = append(texts, known, known, body("settled", fmt.Sprint("known_", i), "changed", 1), body("settled", fmt.Sprint("known_", i), "changed", 1))
		for _, kind := range []string{"paid", "settled", "unheard"} {
			text := body(kind, fmt.Sprintf("%s_%d", kind, i), "o", 1)
			texts = append(texts, text, text)
		}
	}
	for i, status := range b.atOnce(b.url, first) {
		if status != 200 {
			b.Errorf("event %d: status %d, want 200", i, status)
		}
	}
	for i, status := range b.atOnce(b.url, texts) {
		if status == 503 { // its twin was still worked on
			status = b.deliver(texts[i]).status
		}
		if status != 200 {
			b.Errorf("%s: status %d, want 200; the end of the log:\n%s", texts[i], status, b.log.tail())
		}
	}
	n := crowd / 4
	b.rows(4*n, n, 3*n)
	if got := b.number("SELECT count(*) FROM settlements"); got != 2*n {
		b.Errorf("%d settlements, want %d", got, 2*n)
	}
	b.outcome(whrt.Processed, int64(3*n))
	b.outcome(whrt.Failed, 0)
	if got := b.number("SELECT sum(deliveries) FROM credits_inbox_conflicts"); int64(got) != b.counters.Outcome(whrt.Conflict) {
		b.Errorf("%d conflicting deliveries are stored, %d were answered", got, b.counters.Outcome(whrt.Conflict))
	}
}

// crowdLosesConnection: whatever was acknowledged is there, whatever the
// connection was lost at, and everything is there once after the next delivery.
func crowdLosesConnection(b *bench) {
	proxy := newWire(b.T, b.dsn)
	url := b.serve(b.quietReceiver(proxy.dsn))
	done := 0
	for n := 1; n <= 4; n++ {
		texts := make([]string, crowd/2)
		for i := range texts {
			texts[i] = b.body(fmt.Sprintf("evt_%d_%d", n, i), "o", 1)
		}
		proxy.arm(n, n%2 == 0, proxy.close) // everybody loses theirs
		acknowledged := 0
		for i, status := range b.atOnce(url, texts) {
			switch status {
			case 200:
				acknowledged++
			case 503:
			default:
				b.Errorf("%s: status %d, want 200 or 503", texts[i], status)
			}
		}
		proxy.heal()
		if got := b.number("SELECT count(*) FROM " + b.effects()); got < done+acknowledged {
			b.Errorf("round %d: %d effects for %d acknowledged events", n, got-done, acknowledged)
		}
		for _, text := range texts {
			b.want(text, 200)
		}
		done += len(texts)
		b.rows(done, done, done)
	}
	b.outcome(whrt.Conflict, 0)
}

// quietReceiver starts a receiver on a pool of its own whose relay does not run.
func (b *bench) quietReceiver(dsn string) *whrt.Receiver {
	b.Helper()
	r, err := b.connectTo(dsn).Credits(b.Context(), b.options())
	b.must(err)
	return r
}

// crowdMeetsBrokenTable: all fail, and all succeed later.
func crowdMeetsBrokenTable(b *bench) {
	texts := make([]string, crowd)
	for i := range texts {
		texts[i] = b.body(fmt.Sprint("evt_", i), "o", 1)
	}
	b.breakTable(b.effects())
	for i, status := range b.atOnce(b.url, texts) {
		if status != 503 {
			b.Errorf("%s: status %d, want 503", texts[i], status)
		}
	}
	b.rows(0, 0, 0)
	b.mendTable(b.effects())
	for i, status := range b.atOnce(b.url, texts) {
		if status != 200 {
			b.Errorf("%s: status %d, want 200; the end of the log:\n%s", texts[i], status, b.log.tail())
		}
	}
	b.rows(crowd, crowd, crowd)
}
