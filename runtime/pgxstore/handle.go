package pgxstore

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// Handle implements whrt.Store. Its error is a *whrt.HandlerError when the
// handler said no or panicked; the failure is recorded then, unless it was a
// rejection. Every other error is a *whrt.StoreError and recorded nowhere.
func (b *DB) Handle(ctx context.Context, d *whrt.Delivery) (whrt.Result, error) {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return whrt.Result{}, unavailable(err)
	}
	kept := false // by rollbackLater
	defer func() {
		if !kept {
			rollback(conn)
			conn.Release()
		}
	}()
	res, err := b.claim(ctx, conn, d)
	if err != nil {
		return whrt.Result{}, err
	}
	if res.Found == whrt.New {
		return res, b.work(ctx, conn, d)
	}
	if res.Found == whrt.Stored && !res.Replayed && !bytes.Equal(res.Fingerprint, d.Fingerprint) {
		if err := finish(ctx, conn, nil, ""); err != nil { // the conflict is recorded
			return whrt.Result{}, err
		}
		return res, nil
	}
	kept = true
	rollbackLater(conn)
	return res, nil
}

// claim is one round trip: BEGIN and the claim.
func (b *DB) claim(ctx context.Context, conn *pgxpool.Conn, d *whrt.Delivery) (whrt.Result, error) {
	ds := []*whrt.Delivery{d}
	res, _ := newResults(ds)
	_, c := b.claimOf(d)
	s := c.of(b.head(ctx, ds, storage.Remaining(ctx)), ds)
	var batch pgx.Batch
	batch.Queue(begin)
	batch.Queue(s.sql, s.args...).Query(func(rows pgx.Rows) error { return collect(rows, res.set) })
	if err := conn.SendBatch(ctx, &batch).Close(); err != nil {
		return whrt.Result{}, classify(conn, err, false)
	}
	return res.all[0], nil
}

// work calls the handler and commits.
func (b *DB) work(ctx context.Context, conn *pgxpool.Conn, d *whrt.Delivery) error {
	if b.schema.Work == nil {
		return &whrt.StoreError{Err: errors.New("the package has no handler")}
	}
	tx := &transaction{conn: conn.Conn(), number: new(atomic.Int64), over: new(atomic.Bool)}
	var rows []whrt.MessageRow
	err := whrt.Protect(func() (err error) {
		rows, err = b.schema.Work(ctx, tx, d)
		return err
	})
	tx.end()
	if err != nil {
		return b.refused(ctx, conn, tx, d, err)
	}
	if err := ready(conn, tx.first); err != nil {
		return contention(conn, tx.first, err)
	}
	var m messages
	m.add(d.Key, rows)
	return finish(ctx, conn, &m, b.schema.Statements.Enqueue)
}

// refused rolls back and records the failure on the same connection: a second
// one could deadlock the pool.
func (b *DB) refused(ctx context.Context, conn *pgxpool.Conn, tx *transaction, d *whrt.Delivery, err error) error {
	if e := contention(conn, cmpError(tx.first, err), nil); e != nil {
		return e
	}
	if conn.Conn().IsClosed() && ctx.Err() == nil {
		return unavailable(err)
	}
	if _, rejected := whrt.IsReject(err); !rejected && rollback(conn) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
		defer cancel()
		_ = b.recordFailure(ctx, conn.Conn(), whrt.Failure{ // the handler's error is the one to tell
			Key: d.Key, Type: d.Type, Fingerprint: d.Fingerprint, Error: told(err), Payload: d.Keepable(), ContentType: d.ContentType,
		})
	}
	return &whrt.HandlerError{Err: err}
}

// contention finds an error that another attempt may cure; otherwise it is err.
func contention(conn *pgxpool.Conn, cause, err error) error {
	var e *whrt.StoreError
	if cause != nil && errors.As(classify(conn, cause, false), &e) && e.Class == whrt.ClassRetry {
		return e
	}
	return err
}

func cmpError(first, otherwise error) error {
	if first != nil {
		return first
	}
	return otherwise
}

// finish is one round trip: the enqueued messages and COMMIT.
func finish(ctx context.Context, conn *pgxpool.Conn, m *messages, enqueue string) error {
	if m == nil || len(m.keys) == 0 {
		tag, err := conn.Exec(ctx, commit)
		if err != nil {
			return classify(conn, err, true)
		}
		return committed(tag.String())
	}
	var batch pgx.Batch
	batch.Queue(enqueue, m.args(nil)...)
	tag := ""
	batch.Queue(commit).Exec(commitTag(&tag))
	if err := conn.SendBatch(ctx, &batch).Close(); err != nil {
		return classify(conn, err, true)
	}
	return committed(tag)
}
