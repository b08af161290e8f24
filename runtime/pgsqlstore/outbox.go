package pgsqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/whgen/whgen/runtime/outbox"
)

// ClaimMessages implements outbox.Store.
func (b *DB) ClaimMessages(ctx context.Context, limit int, lease, skew time.Duration) ([]outbox.Message, error) {
	var all []outbox.Message
	var m outbox.Message
	var since int64
	to := []any{&m.ID, &m.EventKey, &m.Effect, &m.Element, &m.IdempotencyKey, &m.Target, &m.Payload, &m.Attempt, &since, &m.Interrupted}
	err := each(ctx, b.pool, to, func() {
		m.SinceFirst = time.Duration(max(since, 0)) * time.Microsecond
		all = append(all, m)
		m = outbox.Message{}
	}, b.schema.Statements.Claim, skew.Microseconds(), lease.Microseconds(), int64(limit))
	if err != nil {
		return nil, classify(err, false)
	}
	slices.SortFunc(all, func(a, b outbox.Message) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// end is how one attempt ended, in JSON.
type end struct {
	ID      int64   `json:"id"`
	Attempt int     `json:"attempt"`
	Status  string  `json:"status"`
	Delay   int64   `json:"delay_us"`
	Error   *string `json:"error"`
	Unknown bool    `json:"unknown"`
	Unmade  bool    `json:"unmade"`
}

// FinishMessages implements outbox.Store.
func (b *DB) FinishMessages(ctx context.Context, ends []outbox.End, skew time.Duration) ([]int64, error) {
	if len(ends) == 0 {
		return nil, nil
	}
	rows := make([]end, len(ends))
	for i, e := range ends {
		rows[i] = end{ID: e.ID, Attempt: e.Attempt, Status: string(e.State), Delay: e.Delay.Microseconds(), Unknown: e.Unknown, Unmade: e.Unmade}
		if e.Error != "" {
			rows[i].Error = &e.Error
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return nil, fmt.Errorf("encode the ends of attempts: %w", err)
	}
	var ours []int64
	var id int64
	err = each(ctx, b.pool, []any{&id}, func() { ours = append(ours, id) }, b.schema.Statements.Finish, skew.Microseconds(), string(text))
	if err != nil {
		return nil, classify(err, false)
	}
	return ours, nil
}

// Backlog implements outbox.Store.
func (b *DB) Backlog(ctx context.Context, skew time.Duration) (outbox.Backlog, error) {
	var l outbox.Backlog
	var oldest int64
	err := b.pool.QueryRowContext(ctx, b.schema.Statements.Backlog, skew.Microseconds()).Scan(&l.Pending, &l.Due, &l.Dead, &l.Uncertain, &oldest)
	if err != nil {
		return outbox.Backlog{}, classify(err, false)
	}
	l.OldestDue = time.Duration(max(oldest, 0)) * time.Microsecond
	return l, nil
}

// each scans every row into the same places.
func each(ctx context.Context, pool *sql.DB, to []any, row func(), query string, args ...any) error {
	rows, err := pool.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		row()
	}
	return rows.Err()
}
