package runtime

import (
	"context"
	"sync"
)

// Counters counts what it observes: for tests, and for metrics that are read
// from time to time. The zero value is ready.
type Counters struct {
	NoObserver
	mu         sync.Mutex
	outcomes   [outcomes]int64
	late       [outcomes]int64
	replayed   int64
	sends      map[string]int64
	secrets    map[string]int64
	deviations map[string]int64
	classes    map[string]int64
	warnings   []Warning
}

// Attempt counts an attempt.
func (c *Counters) Attempt(_ context.Context, a Attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.Outcome < 0 || a.Outcome >= outcomes {
		return
	}
	for _, d := range a.Deviations {
		count(&c.deviations, d.Pointer)
	}
	if a.Late {
		c.late[a.Outcome]++
		return
	}
	c.outcomes[a.Outcome]++
	if a.Replayed {
		c.replayed++
	}
	count(&c.secrets, a.Secret)
	count(&c.classes, a.ErrorClass)
}

// Send counts an attempt at a message.
func (c *Counters) Send(_ context.Context, s Send) {
	c.mu.Lock()
	defer c.mu.Unlock()
	count(&c.sends, s.State)
}

// Warning keeps a warning.
func (c *Counters) Warning(_ context.Context, w Warning) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnings = append(c.warnings, w)
}

func count(m *map[string]int64, name string) {
	if name == "" {
		return
	}
	if *m == nil {
		*m = map[string]int64{}
	}
	(*m)[name]++
}

// Outcome is how many requests were answered with an outcome.
func (c *Counters) Outcome(o Outcome) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o < 0 || o >= outcomes {
		return 0
	}
	return c.outcomes[o]
}

// Late is how many pieces of work ended with an outcome after their request was
// answered `inProgress`.
func (c *Counters) Late(o Outcome) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o < 0 || o >= outcomes {
		return 0
	}
	return c.late[o]
}

// Replayed is how many of the duplicates were known bodies under a new key.
func (c *Counters) Replayed() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.replayed
}

// Sent is how many attempts at messages ended in a state: sent, pending, dead, uncertain.
func (c *Counters) Sent(state string) int64 { return c.look(&c.sends, state) }

// Secret is how many requests a secret has verified, by its name.
func (c *Counters) Secret(name string) int64 { return c.look(&c.secrets, name) }

// Class is how many requests failed with an error class.
func (c *Counters) Class(name string) int64 { return c.look(&c.classes, name) }

// Deviations is how many attempts deviated from the document at pointer.
func (c *Counters) Deviations(pointer string) int64 { return c.look(&c.deviations, pointer) }

func (c *Counters) look(m *map[string]int64, name string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return (*m)[name]
}

// Warnings are the warnings so far.
func (c *Counters) Warnings() []Warning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Warning(nil), c.warnings...)
}

// Outcomes are the counts of all outcomes that occurred, by name.
func (c *Counters) Outcomes() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := map[string]int64{}
	for o, n := range c.outcomes {
		if n > 0 {
			m[Outcome(o).String()] = n
		}
	}
	return m
}

// Observers tells each of several observers, in order.
func Observers(list ...Observer) Observer { return observers(list) }

type observers []Observer

func (l observers) Attempt(ctx context.Context, a Attempt) {
	for _, o := range l {
		o.Attempt(ctx, a)
	}
}

func (l observers) Send(ctx context.Context, s Send) {
	for _, o := range l {
		o.Send(ctx, s)
	}
}

func (l observers) Warning(ctx context.Context, w Warning) {
	for _, o := range l {
		o.Warning(ctx, w)
	}
}
