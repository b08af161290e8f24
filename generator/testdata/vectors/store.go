package main

import (
	"context"
	"sync"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/outbox"
)

// store takes the deliveries of one request and remembers them.
type store struct {
	mu    sync.Mutex
	taken []taken
}

// taken is one event: its key, and what tells a repeat from a conflict.
type taken struct{ key, fingerprint string }

func (s *store) Verify(context.Context) error { return nil }

func (s *store) Lookup(context.Context, string) (whrt.Result, error) {
	return whrt.Result{Found: whrt.Absent}, nil
}

func (s *store) Deliver(_ context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]whrt.Result, len(ds))
	for i, d := range ds {
		s.taken = append(s.taken, taken{d.Key, string(d.Fingerprint)})
		out[i] = whrt.Result{Found: whrt.New}
	}
	return out, nil
}

func (s *store) Handle(ctx context.Context, d *whrt.Delivery) (whrt.Result, error) {
	all, err := s.Deliver(ctx, []*whrt.Delivery{d})
	return all[0], err
}

func (s *store) RecordFailure(context.Context, whrt.Failure) error { return nil }

func (s *store) ClaimMessages(context.Context, int, time.Duration, time.Duration) ([]outbox.Message, error) {
	return nil, nil
}

func (s *store) FinishMessages(context.Context, []outbox.End, time.Duration) ([]int64, error) {
	return nil, nil
}

func (s *store) Backlog(context.Context, time.Duration) (outbox.Backlog, error) {
	return outbox.Backlog{}, nil
}
