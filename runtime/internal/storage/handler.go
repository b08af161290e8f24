package storage

import (
	"context"
	"database/sql"
	"fmt"

	whrt "github.com/whgen/whgen/runtime"
)

// Memory is what a handler's transaction remembers of its statements. It is for
// one goroutine.
type Memory struct {
	first error
	depth int
	over  bool
}

// Note remembers the first failed statement.
func (m *Memory) Note(err error) {
	if m.first == nil && err != nil {
		m.first = err
	}
}

// First is the first failure, nil without one.
func (m *Memory) First() error { return m.first }

// End is for the handler's return: what it has kept of the transaction is of no
// use any more.
func (m *Memory) End() { m.over = true }

// Begin is for each statement of a handler: it refuses those that come behind
// End, and those that would end the transaction. What it refuses for another
// reason than End is noted: such a transaction is not committed.
func (m *Memory) Begin(ctx context.Context, statement string) error {
	if m.over {
		return sql.ErrTxDone
	}
	err := ctx.Err()
	if Controls(statement) {
		err = ErrControl
	}
	m.Note(err)
	return err
}

// Savepoint runs f, with a memory of its own, between a savepoint and its
// release. When f, one of its statements or the release fails, or f panics, what
// it did is undone, and the transaction goes on as before it. exec runs what no
// handler sees; an undoing that fails is noted.
func (m *Memory) Savepoint(exec func(statement string) error, f func(inner *Memory) error) error {
	if m.over {
		return sql.ErrTxDone
	}
	name := fmt.Sprintf("whgen_%d", m.depth+1)
	if err := exec("SAVEPOINT " + name); err != nil {
		m.Note(err)
		return err
	}
	inner, kept := &Memory{depth: m.depth + 1}, false
	defer func() {
		inner.End()
		if !kept { // also on a panic
			m.Note(exec("ROLLBACK TO SAVEPOINT " + name))
			m.Note(exec("RELEASE SAVEPOINT " + name))
		}
	}()
	err := f(inner)
	if err == nil {
		err = inner.first
	}
	if err == nil {
		err = exec("RELEASE SAVEPOINT " + name)
	}
	kept = err == nil
	return err
}

// OrNull is v, or NULL for a datum that is.
func OrNull(d whrt.Datum, v any) any {
	if !d.Valid {
		return nil
	}
	return v
}

// TextOrNull is s, or NULL where it is empty.
func TextOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// BytesOrNull is b, or NULL where it is nil; an empty value is not NULL.
func BytesOrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
