package acceptance

import (
	"context"
	"testing"

	whrt "github.com/whgen/whgen/runtime"
)

// Package is what a generated package brings. DB is its database handle, H its
// handler.
type Package[DB, H any] struct {
	Open    func(t *testing.T) DB // a new scratch database
	Migrate func(ctx context.Context, db DB) error
	Scan    func(ctx context.Context, db DB, query string, to any) error // one value
	Exec    func(ctx context.Context, db DB, statement string) error
	// Store is the package's own, on the database; calls of the handler go
	// through the faults.
	Store func(db DB, handler H, faults *Faults) whrt.Store
	Contract
}

// Contract is what the generator has computed. {{n}} in texts stands for the
// number of an event, {{secret:NAME}} for the value of a secret.
type Contract struct {
	Definition    whrt.Definition
	Engine        string            // "postgres" or "sqlite"
	Secrets       map[string]string // by the names that the contract declares
	Forged        map[string]string // secrets of somebody else, of the same form
	Published     map[string]string // addresses of public keys that are fetched, by their names in the schemes
	Tenant        string            // whose deliveries these are, "" without tenants
	Inbox, Outbox string            // tables
	Conflicts     string            // table
	Failures      string            // tables
	Events        []Event
	Outside       []Outside
}

// Event is a request that delivers one event, and what must come of it.
type Event struct {
	Name                            string
	Handled                         bool // the user's handler is called
	Sends                           bool // the handler may send messages of its own
	Endpoint                        int  // index in Definition.Endpoints
	Method, Path, ContentType, Body string
	Headers                         [][2]string
	Envelope                        string            // what stands around Body, which is the document at {{document}}; "" where it is the whole
	Unsigned                        string            // Body without the secret that stands in it; "" where none does
	Changed                         string            // other content under the same key; "" where there is none
	NoKey                           string            // body without the key
	NoKeyHeader                     string            // header to leave out
	Answers                         map[string]Answer // by outcome
	Tables                          []string          // of record effects, as SQL writes them
	Steps                           []Step
}

// Answer is what the contract answers to an outcome.
type Answer struct {
	Status            int
	ContentType, Body string
	RetryAfter        int // seconds; 0: no such header
	Headers           [][2]string
	// Any: the body depends on what is known only when the receiver runs.
	Any bool
}

// Step is what must be there after a step, counted from the event's first. A
// step that is not known, or that the protocol lacks, fails the test.
type Step struct {
	Name    string
	Outcome string // words of the outcomes, sorted, each once
	Inbox   int
	Kept    int // rows of Inbox that nothing was done for, such as rejected ones
	Tables  []int
	Outbox  int // without what the handler sends of its own
	// Conflicts and Failures are rows on record; a panic of the database's own
	// driver leaves none.
	Conflicts, Failures int
}

// Outside says how the outside behaves towards a message of an effect, attempt
// by attempt, and what must become of the message. Several of one effect are
// taken in turn.
type Outside struct {
	Effect   string
	Attempts []string // Down, Lost, Acknowledged
	End      string   // "sent", "dead", "uncertain"
}

// What the outside does at an attempt.
const (
	Down         = "down"         // it is not reached
	Lost         = "lost"         // it is reached, and nobody hears its acknowledgement
	Acknowledged = "acknowledged" // it is reached and says so
)

// Run migrates the scratch database, delivers what goes wrong in practice to two
// receivers on it, and sends the outbox to an outside that fails. It refuses a
// database that is not a scratch one before it writes anything.
func Run[DB, H any](t *testing.T, s Setup[DB, H], g Package[DB, H]) {
	t.Helper()
	s.check(t, g.Events)
	open := g.Open
	if s.Open != nil {
		open = s.Open
	}
	db := open(t)
	p := &protocol{
		T: t, c: g.Contract, clock: &whrt.OffsetClock{}, faults: &Faults{},
		scan:  func(query string, to any) error { return g.Scan(t.Context(), db, query, to) },
		exec:  func(statement string) error { return g.Exec(t.Context(), db, statement) },
		query: s.Count, grow: s.Grow,
	}
	p.refuse()
	if err := g.Migrate(t.Context(), db); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	if s.Migrate != nil {
		if err := s.Migrate(t.Context(), db); err != nil {
			t.Fatalf("migrate your own tables: Setup.Migrate: %v", err)
		}
	}
	p.run(func() whrt.Store { return g.Store(db, s.Handler, p.faults) })
}
