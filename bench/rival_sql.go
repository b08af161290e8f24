package main

import (
	"bytes"
	"context"
	"database/sql"
)

// sqlStore is the rival on database/sql: one transaction, a round trip a
// statement, statements prepared once.
type sqlStore struct {
	db                          *sql.DB
	claim, known, order, outbox *sql.Stmt
}

func newSQLStore(ctx context.Context, db *sql.DB, s statements) (*sqlStore, error) {
	out := &sqlStore{db: db}
	for _, p := range []struct {
		to   **sql.Stmt
		text string
	}{{&out.claim, s.claim}, {&out.known, s.known}, {&out.order, s.order}, {&out.outbox, s.outbox}} {
		stmt, err := db.PrepareContext(ctx, p.text)
		if err != nil {
			return nil, err
		}
		*p.to = stmt
	}
	return out, nil
}

func (s *sqlStore) deliver(ctx context.Context, e *event, sum, confirmation, deal []byte) (answer, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return answer{}, err
	}
	defer tx.Rollback()
	done, err := tx.StmtContext(ctx, s.claim).ExecContext(ctx, e.ID, e.Type, sum, okAnswer)
	if err != nil {
		return answer{}, err
	}
	if n, err := done.RowsAffected(); err != nil {
		return answer{}, err
	} else if n == 0 {
		return s.repeat(ctx, tx, e.ID, sum)
	}
	if _, err := tx.StmtContext(ctx, s.order).ExecContext(ctx, e.ID, e.Order.ID, e.Order.Total.Amount,
		e.Order.Total.Currency, e.Order.Customer.Email, e.CreatedAt); err != nil {
		return answer{}, err
	}
	if confirmation != nil {
		if _, err := tx.StmtContext(ctx, s.outbox).ExecContext(ctx, e.ID, "confirmation", "shop:confirmation:"+e.ID, nil, confirmation); err != nil {
			return answer{}, err
		}
	}
	if _, err := tx.StmtContext(ctx, s.outbox).ExecContext(ctx, e.ID, "crmDeal", "shop:crmDeal:"+e.ID, "/deals/"+e.Order.ID, deal); err != nil {
		return answer{}, err
	}
	return answer{200, okAnswer}, tx.Commit()
}

func (s *sqlStore) repeat(ctx context.Context, tx *sql.Tx, key string, sum []byte) (answer, error) {
	var old []byte
	var a answer
	if err := tx.StmtContext(ctx, s.known).QueryRowContext(ctx, key).Scan(&old, &a.status, &a.body); err != nil {
		return answer{}, err
	}
	if !bytes.Equal(old, sum) {
		return answer{}, errConflict
	}
	return a, nil
}
