package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	whrt "github.com/whgen/whgen/runtime"
)

// locks are about transactions that stand in each other's way.
var locks = []caseOf{
	{name: "a held key", run: heldKey, only: postgres},
	{name: "the holder of a key fails", run: holderFails},
	{name: "a locked table", run: lockedTable, only: postgres},
	{name: "a session killed in its commit", both: true, run: killedInCommit, only: postgres},
	{name: "many writers of one file", run: manyWriters, only: func(b Backend) bool { return !b.Postgres && !b.Light }},
}

// heldKey: another receiver works on the key. Its repeat does not wait for the
// end of that, and other keys do not wait at all.
func heldKey(b *bench) {
	started, release := make(chan struct{}), make(chan struct{})
	var held atomic.Int64
	b.work = func(ctx context.Context, o Order) error {
		if o.ID == "held" && held.Add(1) == 1 {
			close(started)
			<-release
		}
		return credit(ctx, o)
	}
	elsewhere := b.serve(b.receiverOn(b.connect()))
	text := b.body("evt_held", "held", 1)
	first := make(chan answer)
	go func() { first <- b.deliver(text) }()
	<-started
	b.wantAt(elsewhere, text, 503)
	b.outcome(whrt.InProgress, 1)
	for i := range 20 {
		b.wantAt(elsewhere, b.body(fmt.Sprintf("evt_free_%d", i), "free", 1), 200)
	}
	b.rows(20, 20, 20)
	close(release)
	if got := <-first; got.status != 200 && got.status != 503 { // 503: the others took longer than its answer may
		b.Errorf("the holder: status %d, want 200 or 503", got.status)
	}
	b.until("the holder's commit", func() bool { return b.number("SELECT count(*) FROM credits") == 21 })
	b.wantAt(elsewhere, text, 200)
	b.rows(21, 21, 21)
	b.outcome(whrt.Failed, 0)
	if held.Load() != 1 {
		b.Errorf("the handler was called %d times, want once", held.Load())
	}
}

// holderFails: whoever waited for a key takes over when its holder fails.
func holderFails(b *bench) {
	started, release := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	b.work = func(ctx context.Context, o Order) error {
		if calls.Add(1) == 1 {
			close(started)
			<-release
			return errors.New("the first one fails")
		}
		return credit(ctx, o)
	}
	urls := []string{b.url, b.url, b.serve(b.receiverOn(b.connect()))}
	text := b.body("evt_96", "o-96", 1)
	var all sync.WaitGroup
	answers := make([]answer, len(urls))
	all.Go(func() { answers[0] = do(signed(b.Context(), urls[0], text)) })
	<-started
	for i := 1; i < len(urls); i++ {
		all.Go(func() { answers[i] = do(signed(b.Context(), urls[i], text)) })
	}
	close(release)
	all.Wait()
	if answers[0].status != 503 {
		b.Errorf("status %d, want 503 for the first", answers[0].status)
	}
	for i := range urls {
		b.wantAt(urls[i], text, 200) // who did not take over in time may have been told to come again
	}
	b.rows(1, 1, 1)
	b.outcome(whrt.Processed, 1)
	b.outcome(whrt.Failed, 1)
	if calls.Load() != 2 {
		b.Errorf("%d calls, want 2: who takes over works once", calls.Load())
	}
}

// lockedTable: a row, or here a table, that somebody else holds delays only who
// needs it; who waits is answered in time, and the work is done once it is free.
func lockedTable(b *bench) {
	release := b.hold("settlements")
	text := body("settled", "evt_lock", "o", 1)
	b.want(text, 503)
	b.outcome(whrt.InProgress, 1)
	for i := range 20 {
		b.want(body("paid", fmt.Sprintf("evt_free_%d", i), "free", 1), 200)
	}
	release()
	b.until("the work that had to wait", func() bool { return b.number("SELECT count(*) FROM settlements") == 1 })
	b.want(text, 200)
	b.rows(21, 20, 21)
}

// killedInCommit: the server ends the session while COMMIT runs. The receiver
// cannot know what became of it, looks, and does not acknowledge what is not there.
func killedInCommit(b *bench) {
	b.sql("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(30); RETURN NULL; END'")
	b.sql("CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON credits_inbox_events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()")
	text := b.body("evt_kill", "o", 1)
	got := make(chan answer)
	go func() { got <- b.deliver(text) }()
	kill := func() bool {
		return b.number(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event = 'PgSleep'`) > 0
	}
	b.until("a COMMIT to kill", kill)
	b.sql("CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
	if first := <-got; first.status != 503 && first.status != 200 { // 200: another try was in time
		b.Errorf("status %d, want 503 or 200", first.status)
	}
	b.until("an acknowledgement", func() bool {
		kill() // another try may have begun before the function was replaced
		return b.deliver(text).status == 200
	})
	b.rows(1, 1, 1)
}

// manyWriters: fifty events at once at two processes on one file. The test's
// own receiver has a pool that sets nothing, and a handler that reads first.
func manyWriters(b *bench) {
	b.work = func(ctx context.Context, o Order) error {
		if _, err := o.Count("SELECT count(*) FROM credits WHERE order_id = ?1", o.ID); err != nil {
			return err
		}
		return credit(ctx, o)
	}
	urls := []string{b.url, b.start(life{NoRelay: true}).url}
	const events = 50
	var late atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range events {
		all.Go(func() {
			text := b.body(fmt.Sprintf("evt_64_%d", i), fmt.Sprint("o-", i), 1)
			<-start
			if got := do(signed(b.Context(), urls[i%2], text)); got.status == 503 { // longer than the answer may take
				late.Add(1)
				b.until("an answer", func() bool { return do(signed(b.Context(), urls[i%2], text)).status == 200 })
			} else {
				b.compare(got, text, 200)
			}
		})
	}
	close(start)
	all.Wait()
	b.rows(events, events, events)
	b.outcome(whrt.Failed, 0)
	if strings.Contains(b.log.String(), "database is locked") {
		b.Errorf("the log complains of locks:\n%s", b.log.tail())
	}
	b.Logf("%d of %d deliveries took longer than the answer may", late.Load(), events)
}
