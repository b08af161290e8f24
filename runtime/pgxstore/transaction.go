package pgxstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	whrt "github.com/whgen/whgen/runtime"
)

const (
	begin  = "begin isolation level read committed"
	commit = "commit"
	// afterwards bounds what is done once the deadline may have passed:
	// ROLLBACK, and the record of a failure.
	afterwards = 2 * time.Second
)

func commitTag(tag *string) func(pgconn.CommandTag) error {
	return func(t pgconn.CommandTag) error {
		*tag = t.String()
		return nil
	}
}

// committed judges the server's own word: a COMMIT after a failed statement is
// answered ROLLBACK, without an error.
func committed(tag string) error {
	if tag == "COMMIT" {
		return nil
	}
	return notCommitted(fmt.Errorf("commit: the server answered %s", tag))
}

func notCommitted(err error) error {
	return &whrt.StoreError{Class: whrt.ClassNotCommitted, Err: err}
}

// rollback leaves the connection clean or closed; true: clean.
func rollback(conn *pgxpool.Conn) bool {
	c := conn.Conn()
	if c.IsClosed() {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), afterwards)
	defer cancel()
	if c.PgConn().TxStatus() != 'I' {
		if _, err := c.Exec(ctx, "rollback"); err != nil {
			_ = c.Close(ctx) // the pool drops it
			return false
		}
	}
	return !c.PgConn().IsBusy()
}

// rollbackLater lets the caller answer first.
func rollbackLater(conn *pgxpool.Conn) {
	go func() {
		defer conn.Release()
		rollback(conn)
	}()
}

// ready judges a transaction before its COMMIT: nobody may have ended it, left
// it aborted or left rows open in it.
func ready(conn *pgxpool.Conn, first error) error {
	pg := conn.Conn().PgConn()
	switch {
	case first != nil:
		return notCommitted(fmt.Errorf("the handler went on after a failed statement: %w", first))
	case pg.IsClosed():
		return unavailable(errors.New("the connection was closed during the handler"))
	case pg.IsBusy():
		return notCommitted(errors.New("the handler left rows open"))
	case pg.TxStatus() == 'E':
		return notCommitted(errors.New("the handler went on after a failed statement"))
	case pg.TxStatus() != 'T':
		return notCommitted(errors.New("the handler ended the transaction itself"))
	}
	return nil
}
