package main

import (
	"bytes"
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pgxStore is the rival on pgx: the same transaction, a round trip a statement,
// statements prepared by pgx's own cache.
type pgxStore struct {
	pool *pgxpool.Pool
	s    statements
}

func (p *pgxStore) deliver(ctx context.Context, e *event, sum, confirmation, deal []byte) (answer, error) {
	tx, err := p.pool.Begin(ctx)
	if err != nil {
		return answer{}, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	done, err := tx.Exec(ctx, p.s.claim, e.ID, e.Type, sum, okAnswer)
	if err != nil {
		return answer{}, err
	}
	if done.RowsAffected() == 0 {
		return p.repeat(ctx, tx, e.ID, sum)
	}
	if _, err := tx.Exec(ctx, p.s.order, e.ID, e.Order.ID, e.Order.Total.Amount, e.Order.Total.Currency,
		e.Order.Customer.Email, e.CreatedAt); err != nil {
		return answer{}, err
	}
	if confirmation != nil {
		if _, err := tx.Exec(ctx, p.s.outbox, e.ID, "confirmation", "shop:confirmation:"+e.ID, nil, confirmation); err != nil {
			return answer{}, err
		}
	}
	if _, err := tx.Exec(ctx, p.s.outbox, e.ID, "crmDeal", "shop:crmDeal:"+e.ID, "/deals/"+e.Order.ID, deal); err != nil {
		return answer{}, err
	}
	return answer{200, okAnswer}, tx.Commit(ctx)
}

func (p *pgxStore) repeat(ctx context.Context, tx pgx.Tx, key string, sum []byte) (answer, error) {
	var old []byte
	var a answer
	if err := tx.QueryRow(ctx, p.s.known, key).Scan(&old, &a.status, &a.body); err != nil {
		return answer{}, err
	}
	if !bytes.Equal(old, sum) {
		return answer{}, errConflict
	}
	return a, nil
}
