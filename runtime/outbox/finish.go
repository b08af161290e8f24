package outbox

import (
	"context"
	"slices"
	"time"
)

// settlement is an end on its way into the table, worth writing while the lease
// lasts.
type settlement struct {
	End
	until time.Time
}

// finish writes ends as they come, as many at once as are there: one by one
// when idle, batches under load.
func (r *Relay) finish() {
	for first := range r.ends {
		batch := []settlement{first}
		for more := true; more && len(batch) < r.options.Batch; {
			select {
			case s, ok := <-r.ends:
				if ok {
					batch = append(batch, s)
				}
				more = ok
			default:
				more = false
			}
		}
		r.write(batch)
	}
}

// write keeps trying until the leases are over; what it cannot write is then
// claimed again as interrupted. A release is tried once: should it have been
// committed all the same, a second one could take the lease of a successor,
// which bears the same number.
func (r *Relay) write(batch []settlement) {
	for failures := 1; len(batch) > 0; failures++ {
		err := r.writeOnce(batch)
		if err == nil {
			return
		}
		r.options.Observer(Event{Kind: StoreFailed, Count: len(batch), Err: err})
		if r.draining.Load() && failures >= 3 {
			return
		}
		time.Sleep(min(backoff(failures, r.options.Random()), 2*time.Second))
		now := time.Now()
		batch = slices.DeleteFunc(batch, func(s settlement) bool { return s.Unmade || now.After(s.until) })
	}
}

func (r *Relay) writeOnce(batch []settlement) error {
	limit := storeTimeout
	if r.draining.Load() {
		limit = time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ends := make([]End, len(batch))
	for i, s := range batch {
		ends[i] = s.End
	}
	ours, err := r.store.FinishMessages(ctx, ends, r.options.Skew())
	if err != nil {
		return err
	}
	for _, e := range ends {
		if !slices.Contains(ours, e.ID) {
			r.options.Observer(Event{Kind: LeaseLost, ID: e.ID, Attempt: e.Attempt, State: e.State})
		}
	}
	return nil
}
