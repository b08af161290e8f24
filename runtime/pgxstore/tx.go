package pgxstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// transaction is the pgx.Tx that handlers get. It remembers the first error of
// the server: a transaction with one is never committed, unless a savepoint
// around the statement was rolled back. Like every pgx.Tx it is for one
// goroutine at a time.
type transaction struct {
	conn   *pgx.Conn
	parent *transaction
	number *atomic.Int64 // names savepoints
	name   string
	closed bool
	first  error
}

var errNotYours = errors.New("the receiver commits or rolls back this transaction: return nil or an error, or use Begin for a savepoint")

func (t *transaction) note(err error) {
	var pg *pgconn.PgError
	if t.first == nil && (errors.As(err, &pg) || err != nil && t.conn.IsClosed()) {
		t.first = err
	}
}

// Begin makes a savepoint.
func (t *transaction) Begin(ctx context.Context) (pgx.Tx, error) {
	if t.closed {
		return nil, pgx.ErrTxClosed
	}
	if t.number == nil {
		t.number = new(atomic.Int64)
	}
	inner := &transaction{conn: t.conn, parent: t, number: t.number, name: fmt.Sprintf("whgen_%d", t.number.Add(1))}
	if _, err := t.Exec(ctx, "savepoint "+inner.name); err != nil {
		return nil, err
	}
	return inner, nil
}

// Commit releases a savepoint, or undoes it where a statement in it has failed,
// and says so; the outermost transaction refuses.
func (t *transaction) Commit(ctx context.Context) error {
	if t.parent == nil {
		return errNotYours
	}
	if t.closed {
		return pgx.ErrTxClosed
	}
	t.closed = true
	if t.first == nil {
		_, err := t.conn.Exec(ctx, "release savepoint "+t.name)
		t.note(err)
	}
	if t.first != nil {
		_, err := t.conn.Exec(ctx, "rollback to savepoint "+t.name)
		t.parent.note(err)
		return fmt.Errorf("release a savepoint: %w", t.first)
	}
	return nil
}

// Rollback goes back to a savepoint; the outermost transaction refuses, and
// will not be committed.
func (t *transaction) Rollback(ctx context.Context) error {
	if t.parent == nil {
		if t.first == nil {
			t.first = errNotYours
		}
		return errNotYours
	}
	if t.closed {
		return pgx.ErrTxClosed
	}
	t.closed = true
	_, err := t.conn.Exec(ctx, "rollback to savepoint "+t.name)
	t.parent.note(err)
	return err
}

// Exec implements pgx.Tx.
func (t *transaction) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if t.closed {
		return pgconn.CommandTag{}, pgx.ErrTxClosed
	}
	tag, err := t.conn.Exec(ctx, sql, args...)
	t.note(err)
	return tag, err
}

// Query implements pgx.Tx.
func (t *transaction) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if t.closed {
		return nil, pgx.ErrTxClosed
	}
	found, err := t.conn.Query(ctx, sql, args...)
	t.note(err)
	if found == nil {
		return nil, err
	}
	return &rows{Rows: found, tx: t}, err
}

// QueryRow implements pgx.Tx.
func (t *transaction) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if t.closed {
		return failedRow{pgx.ErrTxClosed}
	}
	return row{t.conn.QueryRow(ctx, sql, args...), t}
}

// CopyFrom implements pgx.Tx.
func (t *transaction) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	if t.closed {
		return 0, pgx.ErrTxClosed
	}
	n, err := t.conn.CopyFrom(ctx, table, columns, src)
	t.note(err)
	return n, err
}

// SendBatch implements pgx.Tx. Its errors are seen by the state of the
// transaction before COMMIT.
func (t *transaction) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if t.closed {
		return failedBatch{pgx.ErrTxClosed}
	}
	return t.conn.SendBatch(ctx, b)
}

// Prepare implements pgx.Tx.
func (t *transaction) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if t.closed {
		return nil, pgx.ErrTxClosed
	}
	d, err := t.conn.Prepare(ctx, name, sql)
	t.note(err)
	return d, err
}

// LargeObjects implements pgx.Tx. pgx ties large objects to its own kind of
// transaction, so they are for lo_* functions in SQL here.
func (t *transaction) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn implements pgx.Tx.
func (t *transaction) Conn() *pgx.Conn { return t.conn }
