package pgxstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/whgen/whgen/runtime/internal/storage"
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
	over   *atomic.Bool // the handler has returned: shared with savepoints
	first  error
}

// end is for the handler's return: what it has kept of the transaction would run
// inside of another event's.
func (t *transaction) end() { t.over.Store(true) }

// begin refuses what comes too late and what would end the transaction.
func (t *transaction) begin(statement string) error {
	if t.closed || t.over.Load() {
		return pgx.ErrTxClosed
	}
	if storage.Controls(statement) {
		t.failed(storage.ErrControl)
		return storage.ErrControl
	}
	return nil
}

// failed notes a statement that was not run, for whatever reason.
func (t *transaction) failed(err error) {
	if t.first == nil {
		t.first = err
	}
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
	if err := t.begin(""); err != nil {
		return nil, err
	}
	inner := &transaction{conn: t.conn, parent: t, number: t.number, over: t.over, name: fmt.Sprintf("whgen_%d", t.number.Add(1))}
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
	if err := t.begin(""); err != nil {
		return err
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
	if err := t.begin(""); err != nil {
		return err
	}
	t.closed = true
	_, err := t.conn.Exec(ctx, "rollback to savepoint "+t.name)
	t.parent.note(err)
	return err
}

// Exec implements pgx.Tx.
func (t *transaction) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := t.begin(sql); err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := t.conn.Exec(ctx, sql, args...)
	t.failed(err)
	return tag, err
}

// Query implements pgx.Tx.
func (t *transaction) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := t.begin(sql); err != nil {
		return nil, err
	}
	found, err := t.conn.Query(ctx, sql, args...)
	t.failed(err)
	if found == nil {
		return nil, err
	}
	return &rows{Rows: found, tx: t}, err
}

// QueryRow implements pgx.Tx.
func (t *transaction) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := t.begin(sql); err != nil {
		return failedRow{err}
	}
	return row{t.conn.QueryRow(ctx, sql, args...), t}
}

// CopyFrom implements pgx.Tx.
func (t *transaction) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	if err := t.begin(""); err != nil {
		return 0, err
	}
	n, err := t.conn.CopyFrom(ctx, table, columns, src)
	t.failed(err)
	return n, err
}

// SendBatch implements pgx.Tx. Its errors are seen by the state of the
// transaction before COMMIT.
func (t *transaction) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	for _, q := range b.QueuedQueries {
		if err := t.begin(q.SQL); err != nil {
			return failedBatch{err}
		}
	}
	if err := t.begin(""); err != nil {
		return failedBatch{err}
	}
	return t.conn.SendBatch(ctx, b)
}

// Prepare implements pgx.Tx.
func (t *transaction) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if err := t.begin(sql); err != nil {
		return nil, err
	}
	d, err := t.conn.Prepare(ctx, name, sql)
	t.failed(err)
	return d, err
}

// LargeObjects implements pgx.Tx. pgx ties large objects to its own kind of
// transaction, so they are for lo_* functions in SQL here.
func (t *transaction) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn implements pgx.Tx.
func (t *transaction) Conn() *pgx.Conn { return t.conn }
