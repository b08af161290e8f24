package acceptance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// relay sends the outbox to an outside that fails, from receivers that know
// nothing but the database, as after a restart between delivery and relay. When
// every message has been tried once, the process is restarted again.
func (p *protocol) relay() {
	p.Helper()
	o := newOutside(&p.c.Definition, p.clock, p.c.Outside)
	defer o.server.Close()
	waiting := rows(p.c.Outbox) + " WHERE status = 'pending'"
	p.relayUntil(o, func() bool { return p.count(waiting+" AND attempts = 0") == 0 })
	p.relayUntil(o, func() bool { return p.count(waiting) == 0 })
	p.judge(o)
}

// relayUntil runs a new receiver's relay until something holds. Time passes only
// while nothing is on its way: leases are not to run out.
func (p *protocol) relayUntil(o *outside, holds func() bool) {
	p.Helper()
	o.Store = p.store()
	r := p.receiver(o, o)
	ctx, stop := context.WithCancel(p.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	p.within(time.Minute, "step relay: the outbox is sent", func() bool {
		defer r.Wake()
		o.claims.Lock()
		defer o.claims.Unlock()
		if !o.idle() {
			return false
		}
		if holds() {
			return true
		}
		p.awaken()
		return false
	})
	stop()
	if err := <-ended; err != nil {
		p.Errorf("step relay: %v", err)
	}
}

// untilDue is how long it is until the next message is due, in milliseconds of
// the database's own clock.
var untilDue = map[string]string{
	"postgres": `SELECT coalesce(ceil(extract(epoch FROM min(due_at) - now()) * 1000), 0)::bigint FROM {outbox} WHERE status = 'pending'`,
	"sqlite":   `SELECT coalesce(CAST((julianday(min(due_at)) - julianday('now')) * 86400000 + 1 AS INTEGER), 0) FROM {outbox} WHERE status = 'pending'`,
}

// awaken moves the clock to when the next message is due.
func (p *protocol) awaken() {
	p.Helper()
	due := p.count(strings.ReplaceAll(untilDue[p.c.Engine], "{outbox}", p.c.Outbox))
	if ahead := time.Duration(due)*time.Millisecond - p.clock.Offset(); ahead > 0 {
		p.clock.Advance(ahead + 10*time.Millisecond)
	}
}

// judge holds what the outside has seen against what it should have.
func (p *protocol) judge(o *outside) {
	p.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	ends, calls, reached := map[string]int{}, 0, 0
	for _, id := range slices.Sorted(maps.Keys(o.story)) {
		s := o.story[id]
		var end, why string
		of := fmt.Sprintf(" FROM %s WHERE id = %d", p.c.Outbox, id)
		if err := errors.Join(p.scan("SELECT status"+of, &end), p.scan("SELECT coalesce(last_error, '')"+of, &why)); err != nil {
			p.Fatalf("step relay: read a message: %v", err)
		}
		ends[end]++
		calls += len(s.keys)
		reached += min(s.reached, 1)
		o.wrong = append(o.wrong, s.faults(end, why)...)
	}
	outbox := p.count(rows(p.c.Outbox))
	words := slices.Sorted(maps.Keys(ends))
	fmt.Printf("%-17s %-20s outbox %d", "relay", strings.Join(words, " "), outbox)
	for _, end := range words {
		fmt.Printf("  %s %d", end, ends[end])
	}
	fmt.Printf("  calls %d  documents %d\n", calls, len(o.docs))
	if outbox != len(o.story) {
		p.Errorf("step relay: the outside was called for %d messages of %d", len(o.story), outbox)
	}
	if len(o.docs) != reached {
		p.Errorf("step relay: the outside has made %d documents for %d messages that reached it: a key was new at a repetition, or two messages had one key", len(o.docs), reached)
	}
	slices.Sort(o.wrong)
	for _, w := range slices.Compact(o.wrong) {
		p.Errorf("step relay: %s", w)
	}
}

// faults are what is wrong with the story of a message.
func (s *story) faults(end, why string) (all []string) {
	if why != "" {
		why = " (" + why + ")"
	}
	if end != s.End || len(s.keys) != len(s.Attempts) {
		all = append(all, fmt.Sprintf("a message of %s was tried %d times and is %s%s; want %d (%s) and %s",
			s.Effect, len(s.keys), end, why, len(s.Attempts), strings.Join(s.Attempts, ", "), s.End))
	}
	for i := range s.keys {
		if s.keys[i] != s.keys[0] {
			all = append(all, fmt.Sprintf("a message of %s came with the idempotency key %q, then with %q; want the same at every attempt", s.Effect, s.keys[0], s.keys[i]))
			break
		}
		if s.bodies[i] != s.bodies[0] {
			all = append(all, fmt.Sprintf("a message of %s came with other bytes than before; want the same at every attempt", s.Effect))
			break
		}
	}
	return all
}
