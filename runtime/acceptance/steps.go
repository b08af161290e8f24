package acceptance

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	whrt "github.com/whgen/whgen/runtime"
)

var steps = map[string]func(*protocol) []answer{
	"first": func(p *protocol) []answer { p.n++; return p.deliver(p.c.Body) },
	// The second instance knows nothing but the database.
	"repeat":          func(p *protocol) []answer { return []answer{p.send(1, p.request(delivery{body: p.c.Body}))} },
	"changed-payload": func(p *protocol) []answer { return p.deliver(p.c.Changed) },
	"failure":         (*protocol).failure,
	"retry":           func(p *protocol) []answer { return p.deliver(p.c.Body) },
	"panic":           func(p *protocol) []answer { p.n++; return p.faulty(panicBefore) },
	"after-panic":     func(p *protocol) []answer { return p.deliver(p.c.Body) },
	"response-lost": func(p *protocol) []answer {
		p.n++
		p.deliver(p.c.Body) // committed, and nobody hears the answer
		return p.deliver(p.c.Body)
	},
	"concurrent":        func(p *protocol) []answer { p.n++; return p.atOnce(2) },
	"concurrent-32":     func(p *protocol) []answer { p.n++; return p.atOnce(32) },
	"wrong-signature":   (*protocol).wrongSignature,
	"missing-signature": (*protocol).missingSignature,
	"altered-byte":      (*protocol).alteredByte,
	"missing-key":       (*protocol).missingKey,
}

// atOnce delivers n times behind a barrier, over both instances.
func (p *protocol) atOnce(n int) []answer {
	answers := make([]answer, n)
	barrier := make(chan struct{})
	var all sync.WaitGroup
	for i := range answers {
		req := p.request(delivery{body: p.c.Body})
		all.Go(func() {
			<-barrier
			answers[i] = p.send(i%2, req)
		})
	}
	close(barrier)
	all.Wait()
	return answers
}

// The forged deliveries are of an event that nobody has delivered.
func (p *protocol) forged(warp func(*http.Request)) []answer {
	p.n++
	defer func() { p.n-- }()
	return []answer{p.send(0, p.request(delivery{body: p.c.Body, warp: warp}))}
}

func (p *protocol) wrongSignature() []answer {
	e := p.c.Definition.Endpoints[p.c.Endpoint]
	name := e.Scheme.Secrets[0].Name
	right := p.c.Secrets[name]
	wrong := map[string]string{}
	for k, v := range p.c.Secrets {
		wrong[k] = v
	}
	wrong[name] = strings.ToUpper(right[:1]) + "0" + right[2:]
	if wrong[name] == right {
		wrong[name] = "1" + right[1:]
	}
	secrets := p.c.Secrets
	p.c.Secrets = wrong
	defer func() { p.c.Secrets = secrets }()
	return p.forged(nil)
}

func (p *protocol) missingSignature() []answer {
	if p.c.Unsigned != "" {
		p.n++
		defer func() { p.n-- }()
		return []answer{p.send(0, p.request(delivery{body: p.c.Unsigned}))}
	}
	return p.forged(func(r *http.Request) {
		for _, name := range p.c.Definition.Endpoints[p.c.Endpoint].Scheme.Places("header") {
			r.Header.Del(name)
		}
		r.Header.Del("Authorization")
	})
}

func (p *protocol) alteredByte() []answer {
	return p.forged(func(r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(" " + string(body[:len(body)-1]) + "}"))
		r.ContentLength = int64(len(body)) + 1
	})
}

func (p *protocol) missingKey() []answer {
	p.n++
	defer func() { p.n-- }()
	body := p.c.NoKey
	if body == "" {
		body = p.c.Body
	}
	return []answer{p.send(0, p.request(delivery{body: body, omit: p.c.NoKeyHeader}))}
}

// failure takes the table away that the transaction writes last: what it has
// written before must go with it.
func (p *protocol) failure() []answer {
	p.n++
	last := p.c.Steps[0]
	table := ""
	for i, rows := range last.Tables {
		if rows > 0 {
			table = p.c.Tables[i]
		}
	}
	if last.Outbox > 0 {
		table = p.c.Outbox
	}
	if table == "" {
		return p.faulty(failBefore)
	}
	p.rename(table, "whgen_away")
	defer p.rename("whgen_away", table)
	return p.deliver(p.c.Body)
}

func (p *protocol) rename(from, to string) {
	p.Helper()
	if err := p.c.Exec(p.Context(), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
		p.Fatalf("inject a failure: %v", err)
	}
}

// fault is what goes wrong inside the next transaction.
type fault int32

const (
	noFault fault = iota
	failBefore
	panicBefore
)

// faults is a Store whose next delivery goes wrong before its commit.
type faults struct {
	whrt.Store
	next atomic.Int32
}

func (p *protocol) faulty(f fault) []answer {
	p.faults.next.Store(int32(f))
	defer p.faults.next.Store(int32(noFault))
	return p.deliver(p.c.Body)
}

var errInjected = errors.New("injected by the acceptance test")

func (f *faults) strike() error {
	switch fault(f.next.Load()) {
	case failBefore:
		return &whrt.StoreError{Class: whrt.ClassOther, Err: errInjected}
	case panicBefore:
		panic(errInjected)
	}
	return nil
}

// Deliver strikes, or delivers.
func (f *faults) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	if err := f.strike(); err != nil {
		return nil, err
	}
	return f.Store.Deliver(ctx, ds)
}

// Handle strikes, or handles.
func (f *faults) Handle(ctx context.Context, d *whrt.Delivery) (whrt.Result, error) {
	if err := f.strike(); err != nil {
		return whrt.Result{}, err
	}
	return f.Store.Handle(ctx, d)
}
