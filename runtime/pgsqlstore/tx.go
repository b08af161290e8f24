package pgsqlstore

import (
	"context"
	"database/sql"

	"github.com/whgen/whgen/runtime/internal/storage"
)

// Tx is what handlers get: the shape that sqlc's queries want. It remembers the
// first failed statement: a transaction with one is never committed, unless it
// stood inside of a Savepoint that failed. What only Scan or Next tell the
// server remembers, and refuses the COMMIT. Not safe for concurrent use.
type Tx struct {
	tx     *sql.Tx
	memory *storage.Memory
}

// ExecContext is *sql.Tx's.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := t.memory.Begin(ctx, query); err != nil {
		return nil, err
	}
	res, err := t.tx.ExecContext(ctx, query, args...)
	t.memory.Note(err)
	return res, err
}

// PrepareContext is *sql.Tx's.
func (t *Tx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if err := t.memory.Begin(ctx, query); err != nil {
		return nil, err
	}
	s, err := t.tx.PrepareContext(ctx, query)
	t.memory.Note(err)
	return s, err
}

// QueryContext is *sql.Tx's.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := t.memory.Begin(ctx, query); err != nil {
		return nil, err
	}
	rows, err := t.tx.QueryContext(ctx, query, args...)
	t.memory.Note(err)
	return rows, err
}

// QueryRowContext is *sql.Tx's.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if err := t.memory.Begin(ctx, query); err != nil {
		over, cancel := context.WithCancel(context.Background())
		cancel() // not run: a *sql.Row with an error of ours cannot be made
		return t.tx.QueryRowContext(over, query, args...)
	}
	row := t.tx.QueryRowContext(ctx, query, args...)
	t.memory.Note(row.Err())
	return row
}

// Savepoint runs f; when it fails, what it did is undone and the transaction
// goes on as before it.
func (t *Tx) Savepoint(ctx context.Context, f func(*Tx) error) error {
	exec := func(statement string) error {
		_, err := t.tx.ExecContext(ctx, statement)
		return err
	}
	return t.memory.Savepoint(exec, func(inner *storage.Memory) error { return f(&Tx{tx: t.tx, memory: inner}) })
}
