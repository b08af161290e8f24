package conformance

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// outsides are about messages between their enqueueing and their mark.
var outsides = []caseOf{
	{name: "killed between the outside's answer and the mark", both: true, quiet: true, run: killedBeforeMark, only: quick},
	{name: "killed before the request is written", quiet: true, run: killedBeforeRequest, only: quick},
	{name: "killed half-way through the request", quiet: true, run: killedInRequest, only: quick},
}

// pastLease is how far the clock of the next process is ahead: leases of the
// dead one have ended by then.
const pastLease = 5 * time.Minute

// killedBeforeMark: the outside has answered 200, and the process dies before
// its next statement. The next one sends the same again, under the same key.
func killedBeforeMark(b *bench) {
	b.want(b.body("evt_75", "o-75", 1), 200)
	var p *process
	var once sync.Once
	ready := make(chan struct{})
	l := life{}
	var proxy *wire
	if b.backend.Postgres {
		proxy = newWire(b.T, b.dsn)
		l.DSN = proxy.dsn
	}
	l.Warehouse = b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-ready
		once.Do(func() {
			if proxy != nil {
				proxy.arm(1, false, p.kill)
			} else {
				p.fuse(1)
			}
		})
		b.warehouse.ServeHTTP(w, r)
	}))
	p = b.start(l)
	close(ready)
	<-p.ended
	b.resent(2)
}

func killedBeforeRequest(b *bench) { b.killedWhere("dial", 1) }

func killedInRequest(b *bench) { b.killedWhere("half", 1) }

func (b *bench) killedWhere(hang string, calls int) {
	b.want(b.body("evt_75", "o-75", 1), 200)
	p := b.start(life{Hang: hang})
	if got := p.line(); got != hang {
		b.Fatalf("the process says %q, want %q", got, hang)
	}
	p.kill()
	b.resent(calls)
}

// resent lets another process send what the dead one left, and counts.
func (b *bench) resent(calls int) {
	b.Helper()
	if n := b.number("SELECT count(*) FROM credits_outbox_messages WHERE status = 'pending' AND attempts = 1"); n != 1 {
		b.Fatalf("%d messages are left behind, want 1", n)
	}
	p := b.start(life{Offset: pastLease})
	b.until("the message to be sent", func() bool {
		return b.number("SELECT count(*) FROM credits_outbox_messages WHERE status = 'sent'") == 1
	})
	p.kill()
	b.warehouse.mu.Lock()
	defer b.warehouse.mu.Unlock()
	if len(b.warehouse.bodies) != 1 {
		b.Errorf("%d keys, want 1", len(b.warehouse.bodies))
	}
	for key, bodies := range b.warehouse.bodies {
		if len(bodies) != calls || fmt.Sprint(bodies) != fmt.Sprint(repeat(`{"order":"o-75"}`, calls)) {
			b.Errorf("key %s: calls %v, want %d equal ones", key, bodies, calls)
		}
	}
}

func repeat(text string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = text
	}
	return all
}
