package sqlitestore

import (
	"context"
	"database/sql"
	"fmt"
)

// Tx is what handlers get: the shape that sqlc's queries want. It remembers the
// first failed statement: a transaction with one is never committed, unless it
// stood inside of a Savepoint that failed. An error that shows only in the Scan
// of QueryRowContext is the handler's to return. Statements are not interrupted;
// with its context over none begins. Not safe for concurrent use.
type Tx struct {
	conn  *sql.Conn
	first error
	depth int
	over  bool
}

func (t *Tx) begin(ctx context.Context) (context.Context, error) {
	if t.over {
		return nil, sql.ErrTxDone
	}
	return context.WithoutCancel(ctx), ctx.Err()
}

func (t *Tx) note(err error) {
	if t.first == nil && err != nil {
		t.first = err
	}
}

// ExecContext is *sql.Tx's.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	safe, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	res, err := t.conn.ExecContext(safe, query, args...)
	t.note(err)
	return res, err
}

// PrepareContext is *sql.Tx's. Errors of the statement it gives are the handler's to return.
func (t *Tx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	safe, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	s, err := t.conn.PrepareContext(safe, query)
	t.note(err)
	return s, err
}

// QueryContext is *sql.Tx's.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	safe, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := t.conn.QueryContext(safe, query, args...)
	t.note(err)
	return rows, err
}

// QueryRowContext is *sql.Tx's.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	safe, err := t.begin(ctx)
	if err != nil {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		return t.conn.QueryRowContext(done, query, args...)
	}
	row := t.conn.QueryRowContext(safe, query, args...)
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
	inner := &Tx{conn: t.conn, depth: t.depth + 1}
	failed := true
	defer func() {
		inner.over = true
		if failed { // also on a panic
			_, err := t.ExecContext(context.WithoutCancel(ctx), "ROLLBACK TO "+name+"; RELEASE "+name)
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
	failed = false
	_, err = t.ExecContext(context.WithoutCancel(ctx), "RELEASE "+name)
	return err
}
