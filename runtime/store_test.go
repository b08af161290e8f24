package runtime

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/whgen/whgen/runtime/outbox"
)

// memory is a Store in memory: rows, conflicts and failures are counted, and
// hooks make it fail where a test wants it to.
type memory struct {
	mu        sync.Mutex
	rows      map[string]*Delivery
	conflicts map[string]int
	failures  map[string]int
	failed    []Failure
	calls     int
	held      map[string]bool

	handler func(ctx context.Context, d *Delivery) error
	before  func(ctx context.Context, d *Delivery) (*Result, error) // instead of the work
	after   func(ctx context.Context, d *Delivery) error            // after the commit
	verify  error
	lookup  error
}

func newMemory() *memory {
	return &memory{rows: map[string]*Delivery{}, conflicts: map[string]int{}, failures: map[string]int{}, held: map[string]bool{}}
}

func (m *memory) Verify(context.Context) error { return m.verify }

func (m *memory) Lookup(_ context.Context, key string) (Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.lookup != nil {
		return Result{}, m.lookup
	}
	if d := m.rows[key]; d != nil {
		return Result{Found: Stored, Fingerprint: d.Fingerprint, Status: d.Status, Response: d.Response}, nil
	}
	return Result{Found: Absent}, nil
}

func (m *memory) Deliver(ctx context.Context, ds []*Delivery) ([]Result, error) {
	var out []Result
	for i, d := range ds {
		r, err := m.one(ctx, d, nil)
		if err != nil {
			m.undo(ds[:i], out)
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// undo takes back what a transaction has written before it failed.
func (m *memory) undo(ds []*Delivery, out []Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, d := range ds {
		if out[i].Found == New {
			delete(m.rows, d.Key)
		}
	}
}

func (m *memory) Handle(ctx context.Context, d *Delivery) (Result, error) {
	return m.one(ctx, d, m.handler)
}

func (m *memory) one(ctx context.Context, d *Delivery, handler func(context.Context, *Delivery) error) (Result, error) {
	m.mu.Lock()
	m.calls++
	before, after := m.before, m.after
	m.mu.Unlock()
	if before != nil {
		if r, err := before(ctx, d); r != nil || err != nil {
			if r == nil {
				r = &Result{}
			}
			return *r, err
		}
	}
	if r, ok := m.claim(d); !ok {
		return r, nil
	}
	defer m.free(d.Key)
	if handler != nil {
		if err := Protect(func() error { return handler(ctx, d) }); err != nil {
			if _, reject := IsReject(err); !reject {
				m.count(d.Key)
			}
			return Result{}, &HandlerError{Err: err}
		}
	}
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	m.mu.Lock()
	copied := *d
	m.rows[d.Key] = &copied
	m.mu.Unlock()
	if after != nil {
		if err := after(ctx, d); err != nil {
			return Result{}, err
		}
	}
	return Result{Found: New}, nil
}

func (m *memory) claim(d *Delivery) (Result, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := m.rows[d.Key]; old != nil {
		if !bytes.Equal(old.Fingerprint, d.Fingerprint) {
			m.conflicts[d.Key]++
		}
		return Result{Found: Stored, Fingerprint: old.Fingerprint, Status: old.Status, Response: old.Response}, false
	}
	if m.held[d.Key] {
		return Result{Found: Busy}, false
	}
	m.held[d.Key] = true
	return Result{}, true
}

func (m *memory) free(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.held, key)
}

func (m *memory) count(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures[key]++
}

func (m *memory) RecordFailure(_ context.Context, f Failure) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures[f.Key]++
	m.failed = append(m.failed, f)
	return nil
}

func (m *memory) row(key string) *Delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rows[key]
}

func (m *memory) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.rows)
}

func (m *memory) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

func (m *memory) ClaimMessages(context.Context, int, time.Duration, time.Duration) ([]outbox.Message, error) {
	return nil, nil
}

func (m *memory) FinishMessages(context.Context, []outbox.End, time.Duration) ([]int64, error) {
	return nil, nil
}

func (m *memory) Backlog(context.Context, time.Duration) (outbox.Backlog, error) {
	return outbox.Backlog{}, nil
}
