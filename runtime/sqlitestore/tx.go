package sqlitestore

import (
	"context"
	"database/sql"

	"github.com/whgen/whgen/runtime/internal/storage"
)

// Tx is what handlers get: the shape that sqlc's queries want. It remembers the
// first failed statement: a transaction with one is never committed, unless it
// stood inside of a Savepoint that failed. An error that shows only in the Scan
// of QueryRowContext is the handler's to return. Statements are not interrupted;
// with its context over none begins. Not safe for concurrent use.
type Tx struct {
	conn   *sql.Conn
	memory *storage.Memory
}

// begin also refuses a statement whose context is over, and remembers that: it
// was not run.
func (t *Tx) begin(ctx context.Context, query string) (context.Context, error) {
	return context.WithoutCancel(ctx), t.memory.Begin(ctx, query)
}

// ExecContext is *sql.Tx's.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	safe, err := t.begin(ctx, query)
	if err != nil {
		return nil, err
	}
	res, err := t.conn.ExecContext(safe, query, args...)
	t.memory.Note(err)
	return res, err
}

// PrepareContext is *sql.Tx's. Errors of the statement it gives are the handler's to return.
func (t *Tx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	safe, err := t.begin(ctx, query)
	if err != nil {
		return nil, err
	}
	s, err := t.conn.PrepareContext(safe, query)
	t.memory.Note(err)
	return s, err
}

// QueryContext is *sql.Tx's.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	safe, err := t.begin(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := t.conn.QueryContext(safe, query, args...)
	t.memory.Note(err)
	return rows, err
}

// QueryRowContext is *sql.Tx's.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	safe, err := t.begin(ctx, query)
	if err != nil {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		return t.conn.QueryRowContext(done, query, args...)
	}
	row := t.conn.QueryRowContext(safe, query, args...)
	t.memory.Note(row.Err())
	return row
}

// Savepoint runs f; when it fails, what it did is undone and the transaction
// goes on as before it.
func (t *Tx) Savepoint(ctx context.Context, f func(*Tx) error) error {
	safe, err := t.begin(ctx, "")
	if err != nil {
		return err
	}
	exec := func(statement string) error {
		_, err := t.conn.ExecContext(safe, statement)
		return err
	}
	return t.memory.Savepoint(exec, func(inner *storage.Memory) error { return f(&Tx{conn: t.conn, memory: inner}) })
}
