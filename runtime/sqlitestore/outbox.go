package sqlitestore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/whgen/whgen/runtime/internal/storage"
	"github.com/whgen/whgen/runtime/outbox"
)

// modifier is a duration as strftime takes it.
func modifier(d time.Duration) string { return fmt.Sprintf("%+.3f seconds", d.Seconds()) }

func seconds(s float64) time.Duration { return time.Duration(max(s, 0) * float64(time.Second)) }

// ClaimMessages implements outbox.Store. Without due messages nothing is written.
func (b *DB) ClaimMessages(ctx context.Context, limit int, lease, skew time.Duration) ([]outbox.Message, error) {
	if due, err := b.due(ctx, b.pool, 1, skew); err != nil || len(due) == 0 {
		return nil, classify(err)
	}
	var all []outbox.Message
	err := b.write(ctx, func(ctx context.Context, conn *sql.Conn) (err error) {
		if all, err = b.due(ctx, conn, limit, skew); err != nil {
			return classify(err)
		}
		for _, m := range all {
			if _, err := conn.ExecContext(ctx, b.schema.Statements.Lease, modifier(skew), modifier(lease), m.ID); err != nil {
				return classify(err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (b *DB) due(ctx context.Context, q querier, limit int, skew time.Duration) ([]outbox.Message, error) {
	rows, err := q.QueryContext(ctx, b.schema.Statements.Due, modifier(skew), int64(limit))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []outbox.Message
	for rows.Next() {
		var m outbox.Message
		var since float64
		err := rows.Scan(&m.ID, &m.EventKey, &m.Effect, &m.Element, &m.IdempotencyKey, &m.Target, &m.Payload, &m.Attempt, &since, &m.Interrupted)
		if err != nil {
			return nil, err
		}
		m.SinceFirst = seconds(since)
		all = append(all, m)
	}
	return all, rows.Err()
}

// FinishMessages implements outbox.Store.
func (b *DB) FinishMessages(ctx context.Context, ends []outbox.End, skew time.Duration) ([]int64, error) {
	if len(ends) == 0 {
		return nil, nil
	}
	var ours []int64
	err := b.write(ctx, func(ctx context.Context, conn *sql.Conn) error {
		for _, e := range ends {
			n, err := returned(ctx, conn, b.schema.Statements.Finish, string(e.State), flag(e.Unknown), flag(e.Unmade), storage.TextOrNull(e.Error),
				modifier(skew), modifier(e.Delay), e.ID, int64(e.Attempt))
			if err != nil {
				return classify(err)
			}
			if n > 0 {
				ours = append(ours, e.ID)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ours, nil
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Backlog implements outbox.Store.
func (b *DB) Backlog(ctx context.Context, skew time.Duration) (outbox.Backlog, error) {
	var l outbox.Backlog
	var oldest float64
	err := b.pool.QueryRowContext(ctx, b.schema.Statements.Backlog, modifier(skew)).Scan(&l.Pending, &l.Due, &l.Dead, &l.Uncertain, &oldest)
	if err != nil {
		return outbox.Backlog{}, classify(err)
	}
	l.OldestDue = seconds(oldest)
	return l, nil
}
