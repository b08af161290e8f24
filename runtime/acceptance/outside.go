package acceptance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/whgen/whgen/runtime/outbox"
)

// outside is the downstream of every effect, inside the process. Each key is
// first met while it is down, then reached without an acknowledgement, then
// acknowledged.
type outside struct {
	mu    sync.Mutex
	calls map[string][]string // idempotency key -> bodies, in order
	docs  map[string]bool
	wrong []string
}

func newOutside() *outside { return &outside{calls: map[string][]string{}, docs: map[string]bool{}} }

var errDown = errors.New("the outside is down")

// take notes a call: 1 is down, 2 reached without an acknowledgement, 3 acknowledged.
func (o *outside) take(key, body string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	bodies := append(o.calls[key], body)
	o.calls[key] = bodies
	if bodies[0] != body {
		o.wrong = append(o.wrong, fmt.Sprintf("key %s came with other bytes than before", key))
	}
	if len(bodies) > 1 {
		o.docs[key] = true
	}
	return len(bodies)
}

func (o *outside) call(_ context.Context, m outbox.Message) error {
	switch o.take(m.Effect+" "+m.IdempotencyKey, string(m.Payload)) {
	case 1:
		return errDown
	case 2:
		return outbox.Uncertain(errors.New("the acknowledgement is lost"))
	}
	return nil
}

// RoundTrip is the same for http effects.
func (o *outside) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return nil, err
		}
		body = string(b)
	}
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		key = keyOf(r.Header)
	}
	status := http.StatusOK
	switch o.take(r.Method+" "+key, body) {
	case 1:
		status = http.StatusServiceUnavailable
	case 2:
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r,
	}, nil
}

// keyOf finds the key under a name of the contract's own.
func keyOf(h http.Header) string {
	for name, values := range h {
		if strings.Contains(strings.ToLower(name), "idempotency") {
			return values[0]
		}
	}
	return ""
}

// relay starts a fresh receiver, as after a restart between delivery and relay,
// and lets it send everything to an outside that fails in turn.
func (p *protocol) relay() {
	p.Helper()
	r := p.receiver(p.c.Store, false)
	ctx, stop := context.WithCancel(p.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	rows := p.count("SELECT count(*) FROM " + p.c.Outbox)
	before := -1
	p.within(time.Minute, "step relay: the outbox is sent", func() bool {
		// Time passes only while nothing is sent: leases are not to run out.
		if n := p.outside.total(); n == before {
			p.clock.Advance(3 * time.Second)
		} else {
			before = n
		}
		r.Wake()
		return before > 3*rows || p.count("SELECT count(*) FROM "+p.c.Outbox+" WHERE status = 'pending'") == 0
	})
	stop()
	if err := <-ended; err != nil {
		p.Errorf("step relay: %v", err)
	}
	p.outside.judge(p, rows, p.count("SELECT count(*) FROM "+p.c.Outbox+" WHERE status = 'sent'"))
}

func (o *outside) total() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, bodies := range o.calls {
		n += len(bodies)
	}
	return n
}

func (o *outside) judge(p *protocol, rows, sent int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	calls := 0
	for key, bodies := range o.calls {
		calls += len(bodies)
		if len(bodies) != 3 {
			o.wrong = append(o.wrong, fmt.Sprintf("key %s came %d times; want 3: down, acknowledgement lost, acknowledged", key, len(bodies)))
		}
	}
	fmt.Printf("%-18s %-20s outbox %d  sent %d  keys %d  calls %d  documents %d\n", "relay", "sent", rows, sent, len(o.calls), calls, len(o.docs))
	if sent != rows || len(o.calls) != rows || len(o.docs) != rows {
		p.Errorf("step relay: %d rows, %d sent, %d keys, %d documents; want all the same", rows, sent, len(o.calls), len(o.docs))
	}
	for _, w := range o.wrong {
		p.Errorf("step relay: %s", w)
	}
}
