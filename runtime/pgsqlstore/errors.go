package pgsqlstore

import (
	"database/sql/driver"
	"errors"
	"reflect"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// stated is an error of the server, in pgx and in lib/pq.
type stated interface{ SQLState() string }

// classify tells what an error means. commit says that the failing exchange was
// a COMMIT, or a statement that commits by itself.
func classify(err error, commit bool) error {
	if err == nil {
		return nil
	}
	var known *whrt.StoreError
	if errors.As(err, &known) {
		return err
	}
	var server stated
	if !errors.As(err, &server) {
		return classifyClient(err, commit)
	}
	state := server.SQLState()
	e := &whrt.StoreError{Class: storage.ClassOf(state), Err: storage.Quiet(err, state)}
	if e.Class == whrt.ClassViolation {
		e.Constraint = constraint(server)
	}
	if commit && storage.EndsSession(state) {
		e.Class = whrt.ClassUnknown
	}
	return e
}

func classifyClient(err error, commit bool) error {
	e := &whrt.StoreError{Class: whrt.ClassUnavailable, Err: err}
	var safe interface{ SafeToRetry() bool }
	switch {
	case errors.Is(err, driver.ErrBadConn): // database/sql's word for "nothing was sent"
	case errors.As(err, &safe) && safe.SafeToRetry():
	case commit:
		e.Class = whrt.ClassUnknown
	}
	return e
}

// constraint reads the name from the field that pgx, or lib/pq, has it in. The
// drivers are not imported, and messages are in the server's language, so this
// looks by reflection; errors are rare.
func constraint(err any) string {
	v := reflect.Indirect(reflect.ValueOf(err))
	if v.Kind() != reflect.Struct {
		return ""
	}
	for _, name := range []string{"ConstraintName", "Constraint"} {
		if f := v.FieldByName(name); f.IsValid() && f.Kind() == reflect.String {
			return f.String()
		}
	}
	return ""
}

// unavailable is an error from before anything was sent.
func unavailable(err error) error {
	return &whrt.StoreError{Class: whrt.ClassUnavailable, Err: err}
}

func notCommitted(err error) error {
	return &whrt.StoreError{Class: whrt.ClassNotCommitted, Err: err}
}

// told is an error as the failures table keeps it.
func told(err error) string {
	var server stated
	if errors.As(err, &server) {
		err = storage.Quiet(err, server.SQLState())
	}
	return storage.Short(err.Error(), maxError)
}

const maxError = 500 // bytes
