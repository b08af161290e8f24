package pgxstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// Lookup implements whrt.Store.
func (b *DB) Lookup(ctx context.Context, key string) (whrt.Result, error) {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return whrt.Result{}, unavailable(err)
	}
	defer conn.Release()
	res := whrt.Result{Found: whrt.Absent}
	found, err := conn.Query(ctx, b.schema.Statements.Lookup, key)
	if err == nil {
		err = collect(found, func(_ string, r whrt.Result) error {
			res = r
			return nil
		})
	}
	if err != nil {
		return whrt.Result{}, classify(conn, err, false)
	}
	return res, nil
}

// RecordFailure implements whrt.Store.
func (b *DB) RecordFailure(ctx context.Context, f whrt.Failure) error {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer conn.Release()
	return classify(conn, b.recordFailure(ctx, conn.Conn(), f), false)
}

func (b *DB) recordFailure(ctx context.Context, conn *pgx.Conn, f whrt.Failure) error {
	_, err := conn.Exec(ctx, b.schema.Statements.RecordFailure,
		f.Key, f.Type, f.Fingerprint, storage.Short(f.Error, maxError), f.ContentType, f.Payload)
	return err
}
