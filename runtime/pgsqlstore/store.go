package pgsqlstore

import (
	"context"
	"database/sql"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// Schema is what a generated package brings.
type Schema struct {
	Statements Statements
	Claims     []Claim // by index in Definition.Events
	Tables     []Table // what Verify expects
	Bodies     bool    // claims also take a body hash and its lock, UNIQUE beside the key
	Work       Work    // nil without a handler
}

// Statements are SQL texts; parameters are positional, in the order given.
type Statements struct {
	Lookup        string // event key
	Register      string // see Claim
	RecordFailure string // event key, type, fingerprint, error, content type, body or NULL
	Enqueue       string // event key, messages as JSON
	Claim         string // skew in microseconds, lease in microseconds, limit
	Finish        string // skew, ends as JSON
	Backlog       string // skew
	Server        string // none
	Tables        string // table names, joined by commas
	Columns       string // the same
	Indexes       string // the same
}

// Claim is the statement that claims an event of one kind and writes its record
// effects; Args appends these. The zero Claim only registers. Every claim gives
// the columns of Lookup: event key, found, fingerprint, status, and status,
// content type and body of the response.
type Claim struct {
	SQL  string
	Args func(d *whrt.Delivery, args []any) []any
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
}

var _ whrt.Store = (*DB)(nil)

// New makes a store on a pool that stays the caller's. Contexts of its methods
// carry the deadline of the work: the server is told to give up by then.
func New(pool *sql.DB, s Schema) *DB { return &DB{pool: pool, schema: s} }

// Text is the argument of a text, numeric, date or json column.
func Text(d whrt.Datum) any { return storage.OrNull(d, d.Text) }

// Int is the argument of an integer column.
func Int(d whrt.Datum) any { return storage.OrNull(d, d.Int) }

// Bool is the argument of a boolean column.
func Bool(d whrt.Datum) any { return storage.OrNull(d, d.Bool) }

// Time is the argument of a timestamp column.
func Time(d whrt.Datum) any { return storage.OrNull(d, d.Time) }

// Bytes is the argument of a bytes column; an empty value is not NULL.
func Bytes(d whrt.Datum) any { return storage.OrNull(d, append([]byte{}, d.Bytes...)) }
