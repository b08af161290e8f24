package sqlitestore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	whrt "github.com/whgen/whgen/runtime"
)

// writerOf finds the lock of a database file: all stores of a process that
// write one file share it, whatever pools they came with.
type writerOf struct {
	once sync.Mutex
	lock chan struct{}
}

var (
	writersMu sync.Mutex
	writers   = map[any]chan struct{}{} // by file, or by *sql.DB for one in memory
)

func (w *writerOf) of(ctx context.Context, pool *sql.DB) (chan struct{}, error) {
	w.once.Lock()
	defer w.once.Unlock()
	if w.lock != nil {
		return w.lock, nil
	}
	var file string
	if err := pool.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file); err != nil {
		return nil, fmt.Errorf("find the database file: %w", err)
	}
	var id any = file
	if file == "" {
		id = pool
	}
	writersMu.Lock()
	defer writersMu.Unlock()
	if writers[id] == nil {
		writers[id] = make(chan struct{}, 1)
	}
	w.lock = writers[id]
	return w.lock, nil
}

// opening is session control: waits for other processes are short, the caller
// tries again; what is acknowledged must survive a loss of power.
const opening = "PRAGMA busy_timeout = 1000; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; BEGIN IMMEDIATE"

// errUndo makes write roll back without an error.
var errUndo = errors.New("nothing to keep")

// write runs f in the process's one write transaction and commits unless f
// fails. f gets a context that is not cancelled. A ROLLBACK that fails costs
// the connection: nobody else may find it inside of a transaction.
func (b *DB) write(ctx context.Context, f func(ctx context.Context, conn *sql.Conn) error) (err error) {
	lock, err := b.writer.of(ctx, b.pool)
	if err != nil {
		return classify(err)
	}
	select {
	case lock <- struct{}{}:
		defer func() { <-lock }()
	case <-ctx.Done():
		return &whrt.StoreError{Class: whrt.ClassRetry, Err: fmt.Errorf("wait for the writer: %w", ctx.Err())}
	}
	conn, err := b.pool.Conn(ctx)
	if err != nil {
		return &whrt.StoreError{Class: whrt.ClassUnavailable, Err: err}
	}
	defer conn.Close()
	safe := context.WithoutCancel(ctx)
	if _, err := conn.ExecContext(safe, opening); err != nil {
		rollback(safe, conn)
		return classify(err)
	}
	over := false
	defer func() {
		if !over { // a panic on its way
			rollback(safe, conn)
		}
	}()
	err = f(safe, conn)
	over = true
	if err == nil && ctx.Err() != nil { // the work's own end: nothing of it counts
		err = ctx.Err()
	}
	if err != nil {
		rollback(safe, conn)
		if errors.Is(err, errUndo) {
			return nil
		}
		return err
	}
	return commit(safe, conn)
}

func commit(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "COMMIT")
	if err == nil {
		return nil
	}
	class := classify(err)
	if !rollback(ctx, conn) { // SQLite has ended the transaction, one way or the other
		return &whrt.StoreError{Class: whrt.ClassUnknown, Err: err}
	}
	return class
}

// rollback reports whether there was a transaction to roll back; the connection
// is thrown away where not.
func rollback(ctx context.Context, conn *sql.Conn) bool {
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err == nil {
		return true
	}
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	return false
}
