package conformance

import (
	"context"
	"database/sql"
	"net/http"

	whrt "github.com/whgen/whgen/runtime"
)

// Backend is a database engine with a driver, and the receivers generated for it.
type Backend struct {
	Name     string
	Postgres bool
	// Light leaves out what starts a process for each of many steps, for drivers
	// that take long to start.
	Light bool
	// Open connects as a new process would, with at most MaxConns connections.
	// before, where it is not nil, is called ahead of each statement; PostgreSQL
	// leaves it to a proxy.
	Open func(ctx context.Context, dsn string, before func()) (Pool, error)
}

// Pool is a process's connections to one database.
type Pool interface {
	DB() *sql.DB
	// Migrate makes the tables of Credits, or of both receivers.
	Migrate(ctx context.Context, both bool) error
	Credits(ctx context.Context, o Options) (*whrt.Receiver, error)
	Habits(ctx context.Context, o Options) (*whrt.Receiver, error)
	Close()
}

// Options is the configuration that all generated packages share.
type Options struct {
	Secrets    whrt.Secrets
	Settings   whrt.Settings
	Observer   whrt.Observer
	Clock      whrt.Clock
	HTTPClient *http.Client
	NoRelay    bool
	Work       Work // of Credits' handler
}

// Work is what the handler of order.paid does.
type Work func(ctx context.Context, o Order) error

// Order is what a handler sees of an event, whatever the engine.
type Order struct {
	ID, Status string
	Amount     int64
	Meta       whrt.Meta
	// Exec and Count run in the event's transaction; parameters are ?1, ?2.
	Exec  func(query string, args ...any) error
	Count func(query string, args ...any) (int, error)
	// Nested runs f inside a savepoint; what f gets works there.
	Nested func(f func(o Order) error) error
}

// credit is the normal work: a row without a unique constraint, so that twice is seen.
func credit(_ context.Context, o Order) error {
	return o.Exec("INSERT INTO credits (order_id, amount) VALUES (?1, ?2)", o.ID, o.Amount)
}

// MaxConns is how many connections a pool may have.
const MaxConns = 8
