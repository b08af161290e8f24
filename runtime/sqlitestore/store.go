package sqlitestore

import (
	"context"
	"database/sql"
	"strings"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// Schema is what a generated package brings.
type Schema struct {
	Statements Statements
	Claims     []Claim // by index in Definition.Events
	Tables     []Table // what Verify expects
	Work       Work    // nil without a handler
}

// Statements are SQL texts; parameters are positional, in the order given.
type Statements struct {
	Lookup         string // event key
	LookupBody     string // body hash; "" where bodies are not UNIQUE
	Register       string // key, type, fingerprint, status, reason, response: status, content type, body; with LookupBody the body hash
	KeepPayload    string // key, content type, body
	RecordConflict string // key, fingerprint
	RecordFailure  string // key, type, fingerprint, error
	Enqueue        string // key, effect, element, idempotency key, target, payload
	Due            string // skew, limit
	Lease          string // skew, lease, id
	Finish         string // status, interrupted, unmade, error, skew, delay, id, attempt
	Backlog        string // skew
}

// Claim gives the record effects of a delivery; the zero Claim has none.
type Claim struct {
	Records func(d *whrt.Delivery) []Record
}

// Record is one INSERT that returns a row for the row it wrote. With Keep it may
// write none.
type Record struct {
	SQL  string
	Args []any
	Keep bool
}

// Table is what must stand in the database.
type Table = storage.Table

// Work is the user's handler: it runs in the transaction, after the record
// effects, and gives the messages it has enqueued.
type Work = func(ctx context.Context, tx *Tx, d *whrt.Delivery) ([]whrt.MessageRow, error)

// DB is a whrt.Store. It is safe for concurrent use.
type DB struct {
	pool   *sql.DB
	schema Schema
	writer writerOf
}

var _ whrt.Store = (*DB)(nil)

// New makes a store on a database that stays the caller's.
func New(pool *sql.DB, s Schema) *DB { return &DB{pool: pool, schema: s} }

// Text is the argument of a text, numeric, date or json column.
func Text(d whrt.Datum) any { return storage.OrNull(d, d.Text) }

// Int is the argument of an integer column.
func Int(d whrt.Datum) any { return storage.OrNull(d, d.Int) }

// Bool is the argument of a boolean column.
func Bool(d whrt.Datum) any {
	if d.Bool {
		return storage.OrNull(d, int64(1))
	}
	return storage.OrNull(d, int64(0))
}

// Time is the argument of a timestamp column: text, UTC, whole microseconds, so
// that text order is time order.
func Time(d whrt.Datum) any {
	return storage.OrNull(d, d.Time.UTC().Format("2006-01-02T15:04:05.000000Z"))
}

// Bytes is the argument of a bytes column; an empty value is not NULL.
func Bytes(d whrt.Datum) any { return storage.OrNull(d, append([]byte{}, d.Bytes...)) }

// bare is a name without the quotes that statements need.
func bare(name string) string { return strings.Trim(name, `"`) }

// SingleWriter implements whrt.SingleWriter.
func (b *DB) SingleWriter() bool { return true }
