package conformance

import (
	"context"
	"database/sql"
	"database/sql/driver"

	litecredits "github.com/whgen/whgen/golden/credits/sqlite/credits"
	litehabits "github.com/whgen/whgen/golden/habits/sqlite/habits"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/sqlitestore"
)

// SQLite is a backend on a driver that is registered already. Its databases are
// opened by the bare name of the file: what a receiver needs of a connection it
// has to set itself.
func SQLite(name, driverName string) Backend {
	return Backend{Name: name, Open: func(_ context.Context, dsn string, before func()) (Pool, error) {
		db, err := sql.Open(driverName, dsn)
		if err != nil {
			return nil, err
		}
		if before != nil {
			hooked := sql.OpenDB(&hookedConnector{driver: db.Driver(), dsn: dsn, before: before})
			_ = db.Close() // it has opened nothing
			db = hooked
		}
		db.SetMaxOpenConns(MaxConns)
		return lite{db}, nil
	}}
}

type lite struct{ db *sql.DB }

func (l lite) DB() *sql.DB { return l.db }
func (l lite) Close()      { _ = l.db.Close() }

func (l lite) Migrate(ctx context.Context, both bool) error {
	err := litecredits.Migrate(ctx, l.db)
	if err == nil && both {
		err = litehabits.Migrate(ctx, l.db)
	}
	return err
}

func (l lite) Credits(ctx context.Context, o Options) (*whrt.Receiver, error) {
	return litecredits.New(ctx, litecredits.Config{
		DB: l.db, Handler: liteHandler{o.Work}, Secrets: o.Secrets, Settings: o.Settings,
		Observer: o.Observer, Clock: o.Clock, HTTPClient: o.HTTPClient, NoRelay: o.NoRelay,
	})
}

func (l lite) Habits(ctx context.Context, o Options) (*whrt.Receiver, error) {
	return litehabits.New(ctx, litehabits.Config{
		DB: l.db, Secrets: o.Secrets, Settings: o.Settings,
		Observer: o.Observer, Clock: o.Clock, HTTPClient: o.HTTPClient, NoRelay: o.NoRelay,
	})
}

type liteHandler struct{ work Work }

func (h liteHandler) OrderPaid(ctx context.Context, tx litecredits.Tx, e whrt.Incoming[litecredits.OrderPaid]) error {
	amount, err := e.Payload.Data.Amount.Int64()
	if err != nil {
		return err
	}
	o := Order{ID: e.Payload.Data.OrderID, Amount: amount, Meta: e.Meta}
	if s := e.Payload.Data.Status; s != nil {
		o.Status = string(*s)
	}
	return h.work(ctx, liteOrder(ctx, o, tx.DB))
}

func liteOrder(ctx context.Context, o Order, tx *sqlitestore.Tx) Order {
	o.Exec = func(query string, args ...any) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}
	o.Count = func(query string, args ...any) (n int, err error) {
		err = tx.QueryRowContext(ctx, query, args...).Scan(&n)
		return n, err
	}
	o.Nested = func(f func(Order) error) error {
		return tx.Savepoint(ctx, func(inner *sqlitestore.Tx) error { return f(liteOrder(ctx, o, inner)) })
	}
	return o
}

// hookedConnector makes connections that call before ahead of each statement.
type hookedConnector struct {
	driver driver.Driver
	dsn    string
	before func()
}

func (c *hookedConnector) Driver() driver.Driver { return c.driver }

func (c *hookedConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return &hookedConn{conn, c.before}, nil
}

type hookedConn struct {
	driver.Conn
	before func()
}

func (c *hookedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.before()
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (c *hookedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	queryer, ok := c.Conn.(driver.QueryerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	c.before()
	return queryer.QueryContext(ctx, query, args)
}

func (c *hookedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}

func (c *hookedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}
