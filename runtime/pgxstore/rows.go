package pgxstore

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// rows notes the error that ends them.
type rows struct {
	pgx.Rows
	tx *transaction
}

func (r *rows) Next() bool {
	more := r.Rows.Next()
	if !more {
		r.tx.note(r.Rows.Err())
	}
	return more
}

func (r *rows) Close() {
	r.Rows.Close()
	r.tx.note(r.Rows.Err())
}

// row notes the error of its Scan; no row is none.
type row struct {
	pgx.Row
	tx *transaction
}

func (r row) Scan(to ...any) error {
	err := r.Row.Scan(to...)
	if !errors.Is(err, pgx.ErrNoRows) {
		r.tx.note(err)
	}
	return err
}

type failedRow struct{ err error }

func (f failedRow) Scan(...any) error { return f.err }

type failedBatch struct{ err error }

func (f failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, f.err }
func (f failedBatch) Query() (pgx.Rows, error)         { return nil, f.err }
func (f failedBatch) QueryRow() pgx.Row                { return failedRow(f) }
func (f failedBatch) Close() error                     { return f.err }
func (f failedBatch) Tx() pgx.Tx                       { return nil }
