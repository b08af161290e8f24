package conformance

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	whrt "github.com/whgen/whgen/runtime"
)

// habits are what senders do differently; each has an endpoint in golden/habits.
// No relay runs on a clock that jumps: leases end by it.
var habits = []caseOf{
	{name: "one id at two endpoints", run: twoEndpoints, habits: true},
	{name: "a key beside a header that is new in each attempt", run: headerKey, habits: true},
	{name: "a sender without ids", run: derivedKey, habits: true},
	{name: "a counter of attempts that counts as content", run: countedAttempts, habits: true},
	{name: "retries with the first timestamp", run: firstTimestamp, habits: true},
	{name: "clocks that differ", run: clocksDiffer, habits: true},
	{name: "the one status that a sender accepts", run: oneStatus, habits: true},
	{name: "kept bodies are those received", run: keptBodies, habits: true},
	{name: "the work's own deadline", run: ownDeadline, habits: true},
}

// twoEndpoints: equal ids, different bodies, different secrets, one inbox.
func twoEndpoints(b *bench) {
	url, keys := b.habits(nil), habitsSecrets()
	for range 2 {
		for i, name := range []string{"left", "right"} {
			text := fact("evt_12", i, "")
			b.compare(do(b.told(url+"/"+name, keys[strings.ToUpper(name)+"_SECRET"], text)), text, 200)
		}
		b.facts(2)
	}
	b.compare(do(b.told(url+"/left", keys["RIGHT_SECRET"], fact("evt_13", 0, ""))), "the other's signature", 401)
	b.outcome(whrt.Duplicate, 2)
	b.outcome(whrt.Conflict, 0)
}

// headerKey: an event id and an attempt id, both in headers.
func headerKey(b *bench) {
	url, text := b.habits(nil)+"/attempts", fact("ignored", 1, "")
	for i := range 3 {
		r := b.told(url, secret, text)
		r.Header.Set("x-EVENT-id", "E1")
		r.Header.Set("X-Delivery-Id", fmt.Sprint("attempt ", i))
		b.compare(do(r), text, 200)
	}
	for _, id := range []string{"", "-"} { // missing, and empty
		r := b.told(url, secret, text)
		if id != "" {
			r.Header.Set("X-Event-Id", "")
		}
		b.compare(do(r), "without a key", 400)
	}
	b.facts(1)
	b.outcome(whrt.Duplicate, 2)
	if n := b.number("SELECT count(*) FROM habits_inbox_events WHERE event_key = 'attempts|E1'"); n != 1 {
		b.Errorf("%d rows with the key of the header, want 1", n)
	}
}

// derivedKey: the content is the identity, but for the time of sending.
func derivedKey(b *bench) {
	url := b.habits(func(o *Options) { o.NoRelay = true }) + "/derived"
	x := func(at string) string { return `{"type":"fact.told","amount":1,"createdAt":"` + at + `"}` }
	deliver := func(text string) { b.compare(do(b.told(url, secret, text)), text, 200) }
	deliver(x("10:00"))
	deliver(x("10:01"))
	b.facts(1)
	deliver(`{"type":"fact.told","amount":2,"createdAt":"10:00"}`)
	b.facts(2)
	b.clock.Advance(48 * time.Hour)
	deliver(x("two days later"))
	b.facts(2)
	b.outcome(whrt.Duplicate, 2)
	b.outcome(whrt.Conflict, 0)
	b.clock.Advance(-48 * time.Hour)
	b.habits(nil) // its relay sends what there is
}

// countedAttempts: nobody has declared that /attempt changes, so it is content.
func countedAttempts(b *bench) {
	url := b.habits(nil) + "/counted"
	for attempt, status := range []int{200, 422, 422} {
		text := fact("evt_16", 1, fmt.Sprintf(`,"attempt":%d`, attempt))
		b.compare(do(b.told(url, secret, text)), text, status)
	}
	b.facts(1)
	b.outcome(whrt.Conflict, 2)
}

// firstTimestamp: a retry an hour later has the bytes of the first attempt.
func firstTimestamp(b *bench) {
	clock := stoppedAt(time.Now())
	url := b.habits(func(o *Options) { o.Clock, o.NoRelay = clock, true }) + "/tired"
	text, at := fact("evt_33", 1, ""), clock.Now()
	b.breakTable("facts")
	b.compare(do(b.stamped(url, text, at)), text, 503)
	b.mendTable("facts")
	clock.set(at.Add(time.Hour))
	b.compare(do(b.stamped(url, text, at)), text, 200)
	b.facts(1)
	clock.set(at.Add(25 * time.Hour))
	b.compare(do(b.stamped(url, text, at)), "beyond the horizon", 401)
	b.habits(nil) // its relay sends what there is
}

// clocksDiffer: signed times around a tolerance of 300 s back and 60 s ahead.
func clocksDiffer(b *bench) {
	clock := stoppedAt(time.Now())
	url := b.habits(func(o *Options) { o.Clock, o.NoRelay = clock, true }) + "/timed"
	var refused []string
	for i, c := range []struct {
		offset time.Duration
		status int
	}{{-299, 200}, {-300, 200}, {-301, 401}, {59, 200}, {60, 200}, {61, 401}, {86400, 401}} {
		text := fact(fmt.Sprint("evt_32_", i), 1, "")
		b.compare(do(b.stamped(url, text, clock.Now().Add(c.offset*time.Second))), fmt.Sprintf("%+d s", c.offset), c.status)
		if c.status == 401 {
			refused = append(refused, text)
		}
	}
	b.facts(4)
	if n := strings.Count(b.log.String(), `"clock_offset"`); n != len(refused) {
		b.Errorf("the log tells %d offsets, want %d", n, len(refused))
	}
	clock.set(clock.Now().Add(10 * time.Minute))
	for _, text := range refused {
		b.compare(do(b.stamped(url, text, clock.Now())), text, 200)
	}
	b.facts(7)
	b.habits(nil) // its relay sends what there is
}

// oneStatus: first, duplicate and unknown type have the status that the sender takes.
func oneStatus(b *bench) {
	url := b.habits(nil)
	for name, status := range map[string]int{"only200": 200, "only204": 204, "either": 202} {
		first := fact("evt_67", 1, "")
		unheard := `{"id":"evt_68","type":"fact.unheard"}`
		for _, text := range []string{first, first, unheard, unheard} {
			got := b.compare(do(b.told(url+"/"+name, secret, text)), name, status)
			if got.body != "" {
				b.Errorf("%s: body %q, want none", name, got.body)
			}
		}
	}
	b.outcome(whrt.Processed, 3)
	b.outcome(whrt.Duplicate, 6)
	b.outcome(whrt.Ignored, 3)
}

// keptBodies: long ones, one of the full size, and one that any JSON round trip
// would change; digest and signature hold for what is stored.
func keptBodies(b *bench) {
	const limit = 1 << 20
	url := b.habits(nil) + "/kept"
	full := fact("evt_56_full", 1, `,"note":"`) // cut open: the note fills it up
	full = strings.TrimSuffix(full, "}")
	full += strings.Repeat("x", limit-len(full)-2) + `"}`
	for id, text := range map[string]string{
		"evt_56_long": fact("evt_56_long", 1, `,"note":"`+strings.Repeat("é", 35_000)+`"`),
		"evt_56_full": full,
		"evt_58":      "{ \"z\": 1e3, \"n\":1.10,\n \"type\" : \"fact.told\", \"note\": \"a\\/b\\u0000\", \"id\":\"evt_58\",  \"amount\": 1 } \n",
	} {
		b.compare(do(b.told(url, secret, text)), id, 200)
		b.compare(do(b.told(url, secret, text)), id, 200)
		var stored, digest []byte
		b.must(b.db.QueryRowContext(b.Context(), b.dialect(`SELECT p.body, e.payload_sha256 FROM habits_inbox_payloads p
			JOIN habits_inbox_events e ON e.event_key = p.event_key WHERE p.event_key = ?1`), "kept|"+id).Scan(&stored, &digest))
		sum := sha256.Sum256(stored)
		if string(stored) != text || !bytes.Equal(sum[:], digest) {
			b.Errorf("%s: %d bytes are stored that are not the %d received, or another digest", id, len(stored), len(text))
		}
		if signWith(secret, string(stored)) != signWith(secret, text) {
			b.Errorf("%s: the signature does not hold for what is stored", id)
		}
	}
	b.facts(3)
	b.outcome(whrt.Duplicate, 3)
	b.outcome(whrt.Conflict, 0)
}

// ownDeadline: work that cannot go on ends by itself and gives its connection back.
func ownDeadline(b *bench) {
	url := b.habits(nil) + "/brief"
	release := b.hold("facts")
	text := fact("evt_66", 1, "")
	b.compare(do(b.told(url, secret, text)), text, 503)
	b.outcome(whrt.Failed, 1)
	release()
	b.until("all connections to be free", func() bool { return b.db.Stats().InUse == 0 })
	b.until("an answer after the lock", func() bool { return do(b.told(url, secret, text)).status == 200 })
	b.facts(1)
}

// hold keeps everybody else from writing to a table, through a pool of its own.
func (b *bench) hold(table string) (release func()) {
	b.Helper()
	conn, err := b.connect().DB().Conn(b.Context())
	b.must(err)
	statements := []string{"BEGIN IMMEDIATE"}
	if b.backend.Postgres {
		statements = []string{"BEGIN", "LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE"}
	}
	for _, s := range statements {
		_, err = conn.ExecContext(b.Context(), s)
		b.must(err)
	}
	return func() {
		_, err := conn.ExecContext(b.Context(), "ROLLBACK")
		b.must(err)
		b.must(conn.Close())
	}
}
