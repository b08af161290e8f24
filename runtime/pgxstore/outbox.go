package pgxstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/whgen/whgen/runtime/outbox"
)

// ClaimMessages implements outbox.Store.
func (b *DB) ClaimMessages(ctx context.Context, limit int, lease, skew time.Duration) ([]outbox.Message, error) {
	found, err := b.pool.Query(ctx, b.schema.Statements.Claim, skew.Microseconds(), lease.Microseconds(), int32(limit))
	if err != nil {
		return nil, classify(nil, err, false)
	}
	all, err := pgx.CollectRows(found, func(row pgx.CollectableRow) (m outbox.Message, err error) {
		var since int64
		err = row.Scan(&m.ID, &m.EventKey, &m.Effect, &m.Element, &m.IdempotencyKey, &m.Target, &m.Payload, &m.Attempt, &since, &m.Interrupted)
		m.SinceFirst = time.Duration(max(since, 0)) * time.Microsecond
		return m, err
	})
	if err != nil {
		return nil, classify(nil, err, false)
	}
	slices.SortFunc(all, func(a, b outbox.Message) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// FinishMessages implements outbox.Store.
func (b *DB) FinishMessages(ctx context.Context, ends []outbox.End, skew time.Duration) ([]int64, error) {
	n := len(ends)
	if n == 0 {
		return nil, nil
	}
	ids, attempts, states := make([]int64, n), make([]int32, n), make([]string, n)
	delays, unknown, unmade := make([]int64, n), make([]bool, n), make([]bool, n)
	texts := make([]pgtype.Text, n)
	for i, e := range ends {
		ids[i], attempts[i], states[i] = e.ID, int32(e.Attempt), string(e.State)
		delays[i], unknown[i], unmade[i] = e.Delay.Microseconds(), e.Unknown, e.Unmade
		texts[i] = optional(e.Error)
	}
	found, err := b.pool.Query(ctx, b.schema.Statements.Finish, skew.Microseconds(), ids, attempts, states, delays, texts, unknown, unmade)
	if err != nil {
		return nil, classify(nil, err, false)
	}
	ours, err := pgx.CollectRows(found, pgx.RowTo[int64])
	return ours, classify(nil, err, false)
}

// Backlog implements outbox.Store.
func (b *DB) Backlog(ctx context.Context, skew time.Duration) (outbox.Backlog, error) {
	var l outbox.Backlog
	var oldest int64
	err := b.pool.QueryRow(ctx, b.schema.Statements.Backlog, skew.Microseconds()).Scan(&l.Pending, &l.Due, &l.Dead, &l.Uncertain, &oldest)
	if err != nil {
		return outbox.Backlog{}, classify(nil, err, false)
	}
	l.OldestDue = time.Duration(max(oldest, 0)) * time.Microsecond
	return l, nil
}
