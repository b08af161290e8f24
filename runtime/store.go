package runtime

import (
	"context"
	"time"

	"github.com/whgen/whgen/runtime/outbox"
)

// Store is a receiver's database, one transaction at a time. Generated adapters
// implement it on top of a driver package (pgxstore, pgsqlstore, sqlitestore).
// Its methods may be called concurrently. Their errors are *StoreError where
// the driver can tell what happened, *HandlerError where the user's handler
// said no.
type Store interface {
	outbox.Store

	// Verify checks that tables, UNIQUE constraints, engine and settings are
	// really there; its error says what to do.
	Verify(ctx context.Context) error

	// Lookup reads what is stored under a key: Found is Stored or Absent.
	Lookup(ctx context.Context, key string) (Result, error)

	// Deliver registers deliveries and applies their declared effects and
	// messages in one transaction, committed when it returns without an error:
	// one Result each, in order. Keys must differ. A known key with another
	// fingerprint is recorded as a conflict. A new key whose BodyHash is known is
	// Stored and Replayed, and leaves no row. No handler is called.
	Deliver(ctx context.Context, ds []*Delivery) ([]Result, error)

	// Handle does the same for one delivery and calls the user's handler in the
	// transaction, after the record effects. On the handler's error everything
	// is rolled back and, unless it is a rejection, the failure recorded on the
	// same connection.
	Handle(ctx context.Context, d *Delivery) (Result, error)

	// RecordFailure counts a failed attempt that Handle has not counted.
	RecordFailure(ctx context.Context, f Failure) error
}

// Status is what an inbox row says.
type Status string

// The states of an inbox row that this version writes.
const (
	StatusDone     Status = "done"
	StatusRejected Status = "rejected"
	StatusIgnored  Status = "ignored"
)

// Delivery is one verified event on its way into the database.
type Delivery struct {
	Event       int // index in Definition.Events; -1 for a type that nobody listed
	Endpoint    string
	Tenant      string // as in the key; "" without
	Key         string // encoded event key, at most 512 bytes
	LockKey     int64  // of table and key, for advisory locks
	Type        string // as on the wire
	Fingerprint []byte // SHA-256
	// BodyHash is SHA-256 over the raw body and its scope, UNIQUE beside the key;
	// nil where a known body may come under a new key. BodyLock is its advisory lock.
	BodyHash    []byte
	BodyLock    int64
	Status      Status // what the row will say
	Reason      string // of a rejection, at most 500 bytes
	Response    StoredResponse
	Payload     []byte              // the body to keep, nil for none
	ContentType string              // of the body
	Body        []byte              // raw (decompressed), for the handler; the store does not keep it
	Document    []byte              // JSON that the payload type is read from; nil for a body that holds none
	Redacted    []byte              // Body without what must not be stored; nil where that is the same
	Header      map[string][]string // of the request, for the handler; without credentials and signatures
	ReceivedAt  time.Time
	Deadline    time.Time    // the work's own end
	Records     []RecordRow  // as Event.Records, same order and length
	Messages    []MessageRow // declared messages whose conditions hold
	// Deviations is what decoding the body for the handler met, set by generated
	// code: each run of the transaction decodes anew.
	Deviations []Deviation
}

// Keepable is the body as it may be stored.
func (d *Delivery) Keepable() []byte {
	if d.Redacted != nil {
		return d.Redacted
	}
	return d.Body
}

// RecordRow is a row of a record effect.
type RecordRow struct {
	On      bool // false: the effect's conditions do not hold, or the row is not `done`
	Columns []Datum
}

// Datum is a column's value; which member counts follows from the column's
// type: Text for text, numeric, date and json, Int, Bool, Time, Bytes.
type Datum struct {
	Valid bool // false: NULL
	Text  string
	Int   int64
	Bool  bool
	Time  time.Time // UTC, whole microseconds
	Bytes []byte
}

// MessageRow is an outbox row.
type MessageRow struct {
	Effect         string
	Element        string // tells messages of one effect apart; "" for the first
	IdempotencyKey string
	Target         string // http: the path
	Payload        []byte
}

// StoredResponse is the answer that `replay` repeats.
type StoredResponse struct {
	Status      int
	ContentType string
	Body        []byte // at most 8 kB
}

// Found says what Deliver, Handle or Lookup met.
type Found int

// New: the key was free and the delivery is committed. Stored: the key is known.
// Busy: another transaction holds the key. Lost: a holder committed between our
// look and our claim, so ask again. Absent: Lookup found nothing.
const (
	New Found = iota
	Stored
	Busy
	Lost
	Absent
)

// Result is what happened to one delivery. All but Found describe the stored
// row and are set for Stored only.
type Result struct {
	Found       Found
	Replayed    bool // the row is another key's, with the same body
	Fingerprint []byte
	Status      Status
	Response    StoredResponse
}

// Failure is a failed attempt, for the failures table: one row a key, attempts counted.
type Failure struct {
	Key         string
	Type        string
	Fingerprint []byte
	Error       string // shortened to 500 bytes; never a payload
	Payload     []byte // kept for replay
	ContentType string
}
