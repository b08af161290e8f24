package pgxstore

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// classify tells what an error means. commit says that the failing exchange
// held a COMMIT, or was a statement that commits by itself.
func classify(conn *pgxpool.Conn, err error, commit bool) error {
	if err == nil {
		return nil
	}
	var known *whrt.StoreError
	if errors.As(err, &known) {
		return err
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return classifyServer(err, pg, commit)
	}
	e := &whrt.StoreError{Class: whrt.ClassOther, Err: err}
	switch {
	case pgconn.SafeToRetry(err):
		e.Class = whrt.ClassUnavailable
	case conn != nil && !conn.Conn().IsClosed(): // ours: an argument that cannot be encoded
	case commit:
		e.Class = whrt.ClassUnknown
	default:
		e.Class = whrt.ClassUnavailable
	}
	return e
}

func classifyServer(err error, pg *pgconn.PgError, commit bool) error {
	e := &whrt.StoreError{Class: storage.ClassOf(pg.Code), Err: storage.Quiet(err, pg.Code)}
	if e.Class == whrt.ClassViolation {
		e.Constraint = pg.ConstraintName
	}
	if commit && storage.EndsSession(pg.Code) {
		e.Class = whrt.ClassUnknown
	}
	return e
}

// unavailable is an error from before anything was sent.
func unavailable(err error) error {
	return &whrt.StoreError{Class: whrt.ClassUnavailable, Err: err}
}

// told is an error as the failures table keeps it.
func told(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		err = storage.Quiet(err, pg.Code)
	}
	return storage.Short(err.Error(), maxError)
}

const maxError = 500 // bytes
