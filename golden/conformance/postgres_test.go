package conformance_test

import (
	"context"
	"database/sql"

	driver "github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/whgen/whgen/golden/conformance"
	sqlcredits "github.com/whgen/whgen/golden/credits/pgsql/credits"
	pgxcredits "github.com/whgen/whgen/golden/credits/postgres/credits"
	sqlhabits "github.com/whgen/whgen/golden/habits/pgsql/habits"
	pgxhabits "github.com/whgen/whgen/golden/habits/postgres/habits"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/pgsqlstore"
)

// onPgx is pgx's own pool.
func onPgx() conformance.Backend {
	return conformance.Backend{Name: "pgx", Postgres: true, Open: func(ctx context.Context, dsn string, _ func()) (conformance.Pool, error) {
		config, err := pgxpool.ParseConfig(dsn)
		if err != nil {
			return nil, err
		}
		config.MaxConns = conformance.MaxConns
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		return pgxPool{pool, stdlib.OpenDBFromPool(pool)}, nil
	}}
}

type pgxPool struct {
	pool *pgxpool.Pool
	db   *sql.DB // the same connections
}

func (p pgxPool) DB() *sql.DB { return p.db }

func (p pgxPool) Close() {
	_ = p.db.Close()
	p.pool.Close()
}

func (p pgxPool) Migrate(ctx context.Context, both bool) error {
	err := pgxcredits.Migrate(ctx, p.pool)
	if err == nil && both {
		err = pgxhabits.Migrate(ctx, p.pool)
	}
	return err
}

func (p pgxPool) Credits(ctx context.Context, o conformance.Options) (*whrt.Receiver, error) {
	return pgxcredits.New(ctx, pgxcredits.Config{
		DB: p.pool, Handler: pgxHandler{o.Work}, Secrets: o.Secrets, Settings: o.Settings,
		Observer: o.Observer, Clock: o.Clock, HTTPClient: o.HTTPClient, NoRelay: o.NoRelay,
	})
}

func (p pgxPool) Habits(ctx context.Context, o conformance.Options) (*whrt.Receiver, error) {
	return pgxhabits.New(ctx, pgxhabits.Config{
		DB: p.pool, Secrets: o.Secrets, Settings: o.Settings,
		Observer: o.Observer, Clock: o.Clock, HTTPClient: o.HTTPClient, NoRelay: o.NoRelay,
	})
}

type pgxHandler struct{ work conformance.Work }

func (h pgxHandler) OrderPaid(ctx context.Context, tx pgxcredits.Tx, e whrt.Incoming[pgxcredits.OrderPaid]) error {
	amount, err := e.Payload.Data.Amount.Int64()
	if err != nil {
		return err
	}
	o := conformance.Order{ID: e.Payload.Data.OrderID, Amount: amount, Meta: e.Meta}
	if s := e.Payload.Data.Status; s != nil {
		o.Status = string(*s)
	}
	return h.work(ctx, pgxOrder(ctx, o, tx.DB))
}

func pgxOrder(ctx context.Context, o conformance.Order, tx driver.Tx) conformance.Order {
	o.Exec = func(query string, args ...any) error {
		_, err := tx.Exec(ctx, conformance.Dialect(true, query), args...)
		return err
	}
	o.Count = func(query string, args ...any) (n int, err error) {
		err = tx.QueryRow(ctx, conformance.Dialect(true, query), args...).Scan(&n)
		return n, err
	}
	o.Nested = func(f func(conformance.Order) error) error {
		return driver.BeginFunc(ctx, tx, func(inner driver.Tx) error { return f(pgxOrder(ctx, o, inner)) })
	}
	return o
}

// onSQL is database/sql on a driver that is registered already.
func onSQL(name, registered string) conformance.Backend {
	return conformance.Backend{Name: name, Postgres: true, Open: func(_ context.Context, dsn string, _ func()) (conformance.Pool, error) {
		db, err := sql.Open(registered, dsn)
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(conformance.MaxConns)
		db.SetMaxIdleConns(conformance.MaxConns)
		return sqlPool{db}, nil
	}}
}

type sqlPool struct{ db *sql.DB }

func (p sqlPool) DB() *sql.DB { return p.db }
func (p sqlPool) Close()      { _ = p.db.Close() }

func (p sqlPool) Migrate(ctx context.Context, both bool) error {
	err := sqlcredits.Migrate(ctx, p.db)
	if err == nil && both {
		err = sqlhabits.Migrate(ctx, p.db)
	}
	return err
}

func (p sqlPool) Credits(ctx context.Context, o conformance.Options) (*whrt.Receiver, error) {
	return sqlcredits.New(ctx, sqlcredits.Config{
		DB: p.db, Handler: sqlHandler{o.Work}, Secrets: o.Secrets, Settings: o.Settings,
		Observer: o.Observer, Clock: o.Clock, HTTPClient: o.HTTPClient, NoRelay: o.NoRelay,
	})
}

func (p sqlPool) Habits(ctx context.Context, o conformance.Options) (*whrt.Receiver, error) {
	return sqlhabits.New(ctx, sqlhabits.Config{
		DB: p.db, Secrets: o.Secrets, Settings: o.Settings,
		Observer: o.Observer, Clock: o.Clock, HTTPClient: o.HTTPClient, NoRelay: o.NoRelay,
	})
}

type sqlHandler struct{ work conformance.Work }

func (h sqlHandler) OrderPaid(ctx context.Context, tx sqlcredits.Tx, e whrt.Incoming[sqlcredits.OrderPaid]) error {
	amount, err := e.Payload.Data.Amount.Int64()
	if err != nil {
		return err
	}
	o := conformance.Order{ID: e.Payload.Data.OrderID, Amount: amount, Meta: e.Meta}
	if s := e.Payload.Data.Status; s != nil {
		o.Status = string(*s)
	}
	return h.work(ctx, sqlOrder(ctx, o, tx.DB))
}

func sqlOrder(ctx context.Context, o conformance.Order, tx *pgsqlstore.Tx) conformance.Order {
	o.Exec = func(query string, args ...any) error {
		_, err := tx.ExecContext(ctx, conformance.Dialect(true, query), args...)
		return err
	}
	o.Count = func(query string, args ...any) (n int, err error) {
		err = tx.QueryRowContext(ctx, conformance.Dialect(true, query), args...).Scan(&n)
		return n, err
	}
	o.Nested = func(f func(conformance.Order) error) error {
		return tx.Savepoint(ctx, func(inner *pgsqlstore.Tx) error { return f(sqlOrder(ctx, o, inner)) })
	}
	return o
}
