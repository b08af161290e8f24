package pgsqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// afterwards bounds the record of a failure, once the deadline may have passed.
const afterwards = 2 * time.Second

// Handle implements whrt.Store. Its error is a *whrt.HandlerError when the
// handler said no or panicked; the failure is recorded then, unless it was a
// rejection. Every other error is a *whrt.StoreError and recorded nowhere.
func (b *DB) Handle(ctx context.Context, d *whrt.Delivery) (whrt.Result, error) {
	conn, err := b.pool.Conn(ctx)
	if err != nil {
		return whrt.Result{}, unavailable(err)
	}
	// The transaction outlives ctx a little: database/sql would throw the
	// connection away if ctx ended while it is being rolled back.
	bound, end := context.WithTimeout(context.WithoutCancel(ctx), storage.Remaining(ctx)+afterwards)
	kept := false // by the goroutine that rolls back
	defer func() {
		if !kept {
			_ = conn.Close()
			end()
		}
	}()
	tx, err := conn.BeginTx(bound, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return whrt.Result{}, unavailable(err)
	}
	defer func() {
		if !kept {
			_ = tx.Rollback() // after COMMIT it does nothing
		}
	}()
	res, err := b.claim(ctx, tx, d, storage.Remaining(ctx))
	switch {
	case err != nil:
		return whrt.Result{}, classify(err, false)
	case res.Found == whrt.New:
		return res, b.work(ctx, conn, tx, d)
	case res.Found == whrt.Stored && !bytes.Equal(res.Fingerprint, d.Fingerprint):
		return res, commit(ctx, tx) // the conflict is recorded
	}
	kept = true
	go func() { // the answer does not wait for it
		defer end()
		defer conn.Close()
		_ = tx.Rollback()
	}()
	return res, nil
}

// work calls the handler and commits.
func (b *DB) work(ctx context.Context, conn *sql.Conn, tx *sql.Tx, d *whrt.Delivery) error {
	if b.schema.Work == nil {
		return &whrt.StoreError{Err: errors.New("the package has no handler")}
	}
	memory := &storage.Memory{}
	var rows []whrt.MessageRow
	err := whrt.Protect(func() (err error) {
		rows, err = b.schema.Work(ctx, &Tx{tx: tx, memory: memory}, d)
		return err
	})
	memory.End()
	for _, cause := range []error{memory.First(), err} {
		var e *whrt.StoreError
		if cause != nil && errors.As(classify(cause, false), &e) && e.Class == whrt.ClassRetry {
			return e
		}
	}
	if err != nil {
		return b.refused(ctx, conn, tx, d, err)
	}
	if memory.First() != nil {
		return notCommitted(fmt.Errorf("the handler went on after a failed statement: %w", memory.First()))
	}
	if len(rows) > 0 {
		messages, err := encode(rows)
		if err == nil {
			_, err = tx.ExecContext(ctx, b.schema.Statements.Enqueue, d.Key, messages)
		}
		if err != nil {
			return classify(err, false)
		}
	}
	return commit(ctx, tx)
}

// refused rolls back and records the failure on the same connection: a second
// one could deadlock the pool.
func (b *DB) refused(ctx context.Context, conn *sql.Conn, tx *sql.Tx, d *whrt.Delivery, said error) error {
	err := tx.Rollback()
	if _, rejected := whrt.IsReject(said); rejected {
		return &whrt.HandlerError{Err: said}
	}
	if err != nil && !errors.Is(err, sql.ErrTxDone) {
		if ctx.Err() == nil { // the connection is lost, not by us: another may do
			return unavailable(said)
		}
		return &whrt.HandlerError{Err: said}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	_ = b.recordFailure(ctx, conn, whrt.Failure{ // the handler's error is the one to tell
		Key: d.Key, Type: d.Type, Fingerprint: d.Fingerprint, Error: told(said), Payload: d.Keepable(), ContentType: d.ContentType,
	})
	return &whrt.HandlerError{Err: said}
}

// commit counts only with the server's own word: drivers turn the tag ROLLBACK,
// which answers a COMMIT after a failed statement, into an error of their own.
func commit(ctx context.Context, tx *sql.Tx) error {
	if err := ctx.Err(); err != nil {
		return unavailable(fmt.Errorf("commit: %w", err))
	}
	err := tx.Commit()
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "commit unexpectedly resulted in rollback"), // pgx
		strings.Contains(err.Error(), "Could not complete operation in a failed transaction"): // lib/pq
		return notCommitted(err)
	}
	return classify(err, true)
}

// Lookup implements whrt.Store.
func (b *DB) Lookup(ctx context.Context, key string) (whrt.Result, error) {
	res, err := read(ctx, b.pool, whrt.Absent, b.schema.Statements.Lookup, key)
	return res, classify(err, false)
}

// RecordFailure implements whrt.Store.
func (b *DB) RecordFailure(ctx context.Context, f whrt.Failure) error {
	return classify(b.recordFailure(ctx, b.pool, f), false)
}

func (b *DB) recordFailure(ctx context.Context, q querier, f whrt.Failure) error {
	_, err := q.ExecContext(ctx, b.schema.Statements.RecordFailure,
		f.Key, f.Type, f.Fingerprint, storage.Short(f.Error, maxError), f.ContentType, storage.BytesOrNull(f.Payload))
	return err
}
