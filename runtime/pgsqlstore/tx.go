package pgsqlstore

import (
	"context"
	"database/sql"
	"fmt"
)

// Tx is what handlers get: the shape that sqlc's queries want. It remembers the
// first failed statement: a transaction with one is never committed, unless it
// stood inside of a Savepoint that failed. What only Scan or Next tell the
// server remembers, and refuses the COMMIT. Not safe for concurrent use.
type Tx struct {
	tx    *sql.Tx
	first error
	depth int
	over  bool
}

func (t *Tx) note(err error) {
	if t.first == nil && err != nil {
		t.first = err
	}
}

// ExecContext is *sql.Tx's.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if t.over {
		return nil, sql.ErrTxDone
	}
	res, err := t.tx.ExecContext(ctx, query, args...)
	t.note(err)
	return res, err
}

// PrepareContext is *sql.Tx's.
func (t *Tx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if t.over {
		return nil, sql.ErrTxDone
	}
	s, err := t.tx.PrepareContext(ctx, query)
	t.note(err)
	return s, err
}

// QueryContext is *sql.Tx's.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if t.over {
		return nil, sql.ErrTxDone
	}
	rows, err := t.tx.QueryContext(ctx, query, args...)
	t.note(err)
	return rows, err
}

// QueryRowContext is *sql.Tx's.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	row := t.tx.QueryRowContext(ctx, query, args...)
	t.note(row.Err())
	return row
}

// Savepoint runs f; when it fails, what it did is undone and the transaction
// goes on as before it.
func (t *Tx) Savepoint(ctx context.Context, f func(*Tx) error) error {
	name := fmt.Sprintf("whgen_%d", t.depth+1)
	if _, err := t.ExecContext(ctx, "SAVEPOINT "+name); err != nil {
		return err
	}
	inner := &Tx{tx: t.tx, depth: t.depth + 1}
	failed := true
	defer func() {
		inner.over = true
		if failed { // also on a panic
			_, err := t.ExecContext(ctx, "ROLLBACK TO SAVEPOINT "+name)
			t.note(err)
		}
	}()
	err := f(inner)
	if err == nil {
		err = inner.first
	}
	if err != nil {
		return err
	}
	_, err = t.tx.ExecContext(ctx, "RELEASE SAVEPOINT "+name)
	failed = err != nil
	return err
}
