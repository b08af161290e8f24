package sqlitestore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

const (
	maxError   = 500 // bytes
	afterwards = 2 * time.Second
)

// Handle implements whrt.Store. Its error is a *whrt.HandlerError when the
// handler said no or panicked; the failure is recorded then, unless it was a
// rejection. Every other error is a *whrt.StoreError and recorded nowhere.
func (b *DB) Handle(ctx context.Context, d *whrt.Delivery) (whrt.Result, error) {
	res, err := b.Lookup(ctx, d.Key)
	if err != nil || res.Found == whrt.Stored && bytes.Equal(res.Fingerprint, d.Fingerprint) {
		return res, err
	}
	var said error
	err = b.write(ctx, func(safe context.Context, conn *sql.Conn) error {
		res, err = b.claim(safe, conn, d)
		if err != nil {
			return classify(err)
		}
		if res.Found != whrt.New {
			return nil
		}
		if said, err = b.work(ctx, safe, conn, d); said == nil {
			return err
		}
		if !rollback(safe, conn) {
			return errUndo
		}
		if _, rejected := whrt.IsReject(said); !rejected {
			b.refused(safe, conn, d, said)
		}
		_, err := conn.ExecContext(safe, "BEGIN") // write ends it
		return cmpUndo(err)
	})
	if said != nil {
		return whrt.Result{}, &whrt.HandlerError{Err: said}
	}
	if err != nil {
		return whrt.Result{}, err
	}
	return res, nil
}

func cmpUndo(err error) error {
	if err != nil {
		return classify(err)
	}
	return errUndo
}

// work calls the handler: said is its own error, err the database's.
func (b *DB) work(ctx, safe context.Context, conn *sql.Conn, d *whrt.Delivery) (said, err error) {
	if b.schema.Work == nil {
		return nil, &whrt.StoreError{Err: errors.New("the package has no handler")}
	}
	memory := &storage.Memory{}
	var messages []whrt.MessageRow
	said = whrt.Protect(func() (err error) {
		messages, err = b.schema.Work(ctx, &Tx{conn: conn, memory: memory}, d)
		return err
	})
	memory.End()
	for _, cause := range []error{memory.First(), said} {
		if cause != nil && classOf(cause) == whrt.ClassRetry {
			return nil, classify(cause)
		}
	}
	if said != nil {
		return said, nil
	}
	if memory.First() != nil {
		return nil, &whrt.StoreError{Class: whrt.ClassNotCommitted, Err: fmt.Errorf("the handler went on after a failed statement: %w", memory.First())}
	}
	return nil, classify(b.enqueue(safe, conn, d.Key, messages))
}

// refused records the failure on the connection that was rolled back.
func (b *DB) refused(ctx context.Context, conn *sql.Conn, d *whrt.Delivery, said error) {
	ctx, cancel := context.WithTimeout(ctx, afterwards)
	defer cancel()
	_ = b.recordFailure(ctx, conn, whrt.Failure{ // the handler's error is the one to tell
		Key: d.Key, Type: d.Type, Fingerprint: d.Fingerprint, Error: said.Error(), Payload: d.Keepable(), ContentType: d.ContentType,
	})
}

// RecordFailure implements whrt.Store.
func (b *DB) RecordFailure(ctx context.Context, f whrt.Failure) error {
	return b.write(ctx, func(ctx context.Context, conn *sql.Conn) error {
		return classify(b.recordFailure(ctx, conn, f))
	})
}

func (b *DB) recordFailure(ctx context.Context, conn *sql.Conn, f whrt.Failure) error {
	s := b.schema.Statements
	if _, err := conn.ExecContext(ctx, s.RecordFailure, f.Key, f.Type, f.Fingerprint, storage.Short(f.Error, maxError)); err != nil {
		return err
	}
	if f.Payload == nil {
		return nil
	}
	if res, err := b.lookup(ctx, conn, f.Key); err != nil || res.Found == whrt.Stored {
		return err // done meanwhile: its body is the one to keep
	}
	_, err := conn.ExecContext(ctx, s.KeepPayload, f.Key, f.ContentType, f.Payload)
	return err
}
