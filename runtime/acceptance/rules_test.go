package acceptance_test

const (
	liteOrders  = "examples/orders/sqlite/shop"
	liteCredits = "golden/credits/sqlite/credits"
	pgOrders    = "examples/orders/postgres/shop"
	pgCredits   = "golden/credits/postgres/credits"

	migration = "migrations/00001_init.sql"

	bothProcessed = `step (concurrent|concurrent-32|races): 2 of \d+ deliveries of one event at once were processed`
)

// Edits that several mutants share.
var (
	liteKey = edit{migration, "event_key TEXT NOT NULL PRIMARY KEY,\n  event_type TEXT NOT NULL,\n  payload_sha256 BLOB NOT NULL,\n  status", "event_key TEXT NOT NULL,\n  event_type TEXT NOT NULL,\n  payload_sha256 BLOB NOT NULL,\n  status"}
	pgKey   = edit{migration, "event_key text COLLATE \"C\" NOT NULL PRIMARY KEY,\n  event_type text NOT NULL,\n  payload_sha256 bytea NOT NULL,\n  status", "event_key text COLLATE \"C\" NOT NULL,\n  event_type text NOT NULL,\n  payload_sha256 bytea NOT NULL,\n  status"}
	// unverified lets the receiver start without the constraint.
	unverified = edit{"store_gen.go", `"response_body", "received_at"}, Unique: [][]string{{"event_key"}}}`, `"response_body", "received_at"}}`}
	untargeted = edit{"db/register.sql.go", "ON CONFLICT (event_key) DO NOTHING\n", ""}
	// The outbox has a constraint of its own, which would save the day.
	twice           = edit{migration, ",\n  UNIQUE (event_key, effect, element)\n", "\n"}
	twiceUnverified = edit{"store_gen.go", `, Unique: [][]string{{"event_key", "effect", "element"}}`, ""}
)

var onSQLite = map[string]mutant{
	"sound orders":  {of: liteOrders},
	"sound credits": {of: liteCredits},
	// Deliveries at once that are in progress, and one whose work goes on after its answer.
	"sound and slow": {
		of: liteCredits, edits: []edit{
			{"definition_gen.go", "InProgressWait: 200 * time.Millisecond", "InProgressWait: 5 * time.Millisecond"},
			{"acceptance_setup_test.go", "amount, err := e", "slowly(e.Meta.Key)\n\tamount, err := e"},
		},
		add: map[string]string{"slow_test.go": slow},
	},
	"UNIQUE dropped in the database": {
		of: liteOrders, edits: []edit{liteKey},
		red: `start the receiver: .*\n.*no valid UNIQUE over \(event_key\)`,
	},
	"UNIQUE and conflict target dropped": {
		of: liteCredits, edits: []edit{liteKey, unverified, untargeted, twice, twiceUnverified},
		red: `step changed-payload: .*\n.*got: changed-payload +processed +inbox 2  .*outbox 2`,
	},
	// Repeats and conflicts are looked up; only what comes at once tells.
	"select first then insert": {
		of: liteCredits, edits: []edit{liteKey, unverified, twice, twiceUnverified, {"db/register.sql.go",
			"VALUES (?1, ?2, ?3, ?4, ?5,\n  ?6, ?7, ?8)\nON CONFLICT (event_key) DO NOTHING\n",
			"SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8\nWHERE NOT EXISTS (SELECT 1 FROM credits_inbox_events e WHERE e.event_key = ?1 AND e.payload_sha256 <> ?3)\n"}},
		red: bothProcessed,
	},
	"inbox row committed apart": {
		of: liteOrders, edits: []edit{{"store_gen.go", "return sqlitestore.New(", "return apart{pool, sqlitestore.New("}, {"store_gen.go", "Tables: tables,\n\t})", "Tables: tables,\n\t})}"}},
		add: map[string]string{"apart.go": apart},
		red: `step failure: .*\n.*got: .*inbox 2  local_orders 1  outbox 2`,
	},
	"answer before the commit": {
		of: liteOrders, edits: []edit{{"store_gen.go", "return sqlitestore.New(", "return early{sqlitestore.New("}, {"store_gen.go", "Tables: tables,\n\t})", "Tables: tables,\n\t})}"}},
		add: map[string]string{"early.go": early},
		red: `step failure: .*\n.*got: failure +processed +inbox 1  local_orders 1  outbox 2`,
	},
	"new key per attempt": {
		of: liteOrders, edits: []edit{{"db/outbox.sql.go", "o.element, o.idempotency_key, coalesce", "o.element, o.idempotency_key || '-' || o.attempts AS idempotency_key, coalesce"}},
		red: `step relay: a message of (confirmation|crmDeal) came with the idempotency key "[^"]*-0", then with "[^"]*-1"`,
	},
	"same key for all events": {
		of: liteOrders, edits: []edit{{"db/outbox.sql.go", "o.element, o.idempotency_key, coalesce", "o.element, o.effect AS idempotency_key, coalesce"}},
		red: `step relay: the outside has made 2 documents for \d+ messages that reached it: .*two messages had one key`,
	},
	"conflict is not recorded": {
		of: liteCredits, edits: []edit{{"store_gen.go", "RecordConflict: db.RecordConflict", "RecordConflict: \"SELECT ?1, ?2\""}},
		red: `step changed-payload: 0 conflicts are on record in credits_inbox_conflicts; want 1`,
	},
	"failure is not recorded": {
		of: liteCredits, edits: []edit{{"store_gen.go", "RecordFailure:  db.RecordFailure", "RecordFailure:  \"SELECT ?1, ?2, ?3, ?4\""}},
		red: `step failure: 0 failed events are on record in credits_inbox_failures; want 1`,
	},
	"signature is not verified": {
		of: liteCredits, edits: []edit{{"definition_gen.go", `"hmac"`, `"none"`}},
		red: `step wrong-signature: .*\n.*got: wrong-signature +processed +inbox 18`,
	},
	"repeats leave a row": {
		of: liteCredits, edits: []edit{{"store_gen.go", "return sqlitestore.New(", "return diary{pool, sqlitestore.New("}, {"store_gen.go", "Work: work(handler),\n\t})", "Work: work(handler),\n\t})}"}},
		add: map[string]string{"diary.go": diary},
		red: `table "credits_inbox_payloads" has \d+ rows after the delivery and had \d+ before`,
	},
	"failure is acknowledged": {
		of: liteCredits, edits: []edit{{"definition_gen.go", "whrt.Failed:           {Status: 503}", "whrt.Failed:           {Status: 200}"}},
		red: `step failure: outcome failed is answered with status 200; the contract says 503`,
	},
	"replay forgets the body": {
		of: liteCredits, edits: []edit{{"db/inbox.sql.go", "e.response_content_type, e.response_body\n", "e.response_content_type, NULL AS response_body\n"}},
		red: `step repeat: outcome duplicate is answered with body none; the contract says "\{`,
	},
	"handler is not implemented": {
		of: liteCredits, edits: []edit{{"acceptance_setup_test.go", "Handler: creditor{},", "Handler: credits.UnimplementedHandler{},"}},
		red: `step first: .*\n.*got: first +failed .*\n.*want: .*credits 1 .*\n +failed: the handler failed: handler: OrderPaid is not implemented`,
	},
	"count that the handler does not change": {
		of: liteCredits, edits: []edit{{"acceptance_setup_test.go", "SELECT count(*) FROM credits\"", "SELECT count(*) FROM credits WHERE amount = 0\""}, {"acceptance_setup_test.go", "Grow: map[string]map[string]int{\"orderPaid\": {\"credits\": 1, \"amount\": 100}},", ""}},
		red: `Setup.Count "credits" is what it was before the first event: a number that never changes proves nothing`,
	},
	"handler does nothing and nobody says so": {
		of: liteCredits, edits: []edit{
			{"acceptance_setup_test.go", "Grow: map[string]map[string]int{\"orderPaid\": {\"credits\": 1, \"amount\": 100}},", ""},
			{"acceptance_setup_test.go", "Handler: creditor{},", "Handler: idle{},"},
		},
		add: map[string]string{"idle_test.go": idle},
		red: `the handler of orderPaid has run, and every number of Setup.Count is what it was`,
	},
	"handler does nothing": {
		of: liteCredits, edits: []edit{{"acceptance_setup_test.go", "_, err = tx.DB.ExecContext(", "_ = []any{"}, {"acceptance_setup_test.go", "e.Payload.Data.OrderID, amount)", "e.Payload.Data.OrderID, amount}"}, {"acceptance_setup_test.go", "{ctx, ", "{"}},
		red: `step first: .*\n.*got: .*amount 0  credits 0 .*\n.*want: .*amount 100  credits 1`,
	},
}

var onPostgres = map[string]mutant{
	"sound orders":  {of: pgOrders},
	"sound credits": {of: pgCredits},
	"select first then insert": {
		of: pgCredits, edits: []edit{pgKey, unverified, untargeted, twice, twiceUnverified,
			{"db/register.sql.go", "pg_try_advisory_xact_lock(w_given.lock_key)", "true"}},
		red: bothProcessed,
	},
	"new key per attempt": {
		of: pgOrders, edits: []edit{{"db/outbox.sql.go", "o.element, o.idempotency_key, coalesce", "o.element, o.idempotency_key || '-' || o.attempts AS idempotency_key, coalesce"}},
		red: `step relay: a message of (confirmation|crmDeal) came with the idempotency key "[^"]*-1", then with "[^"]*-2"`,
	},
	"handler works outside of the transaction": {
		of: pgCredits, edits: []edit{
			{"acceptance_setup_test.go", "_, err := db.Exec(", "elsewhere = db\n\t\t\t_, err := db.Exec("},
			{"acceptance_setup_test.go", "type creditor struct", "var elsewhere *pgxpool.Pool\n\ntype creditor struct"},
			{"acceptance_setup_test.go", "tx.DB.Exec(", "elsewhere.Exec("},
		},
		red: `step failure: .*\n.*got: failure +failed +inbox 1  amount 200  credits 2`,
	},
}

const apart = `package shop

import (
	"context"
	"database/sql"

	whrt "github.com/whgen/whgen/runtime"
)

// apart registers the event in a transaction of its own, then works.
type apart struct {
	pool *sql.DB
	whrt.Store
}

func (a apart) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	d := ds[0]
	var key string
	err := a.pool.QueryRowContext(ctx, statements.Register, d.Key, d.Type, d.Fingerprint, string(d.Status), nil,
		int64(d.Response.Status), d.Response.ContentType, d.Response.Body).Scan(&key)
	if err != nil {
		return a.Store.Deliver(ctx, ds)
	}
	if err := a.work(ctx, d); err != nil {
		return nil, &whrt.StoreError{Err: err}
	}
	return []whrt.Result{{Found: whrt.New}}, nil
}

func (a apart) work(ctx context.Context, d *whrt.Delivery) error {
	tx, err := a.pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if d.Event >= 0 && d.Status == whrt.StatusDone {
		for _, r := range claims[d.Event].Records(d) {
			if _, err := tx.ExecContext(ctx, r.SQL, r.Args...); err != nil {
				return err
			}
		}
	}
	for _, m := range d.Messages {
		if _, err := tx.ExecContext(ctx, statements.Enqueue, d.Key, m.Effect, m.Element, m.IdempotencyKey, m.Target, m.Payload); err != nil {
			return err
		}
	}
	return tx.Commit()
}
`

const early = `package shop

import (
	"context"

	whrt "github.com/whgen/whgen/runtime"
)

// early says that an event is new without waiting for what becomes of its commit.
type early struct{ whrt.Store }

func (e early) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	if r, err := e.Store.Lookup(ctx, ds[0].Key); err != nil || r.Found == whrt.Stored {
		return e.Store.Deliver(ctx, ds)
	}
	_, _ = e.Store.Deliver(ctx, ds)
	return []whrt.Result{{Found: whrt.New}}, nil
}
`

const slow = `package credits_test

import "time"

// slowly takes longer for the event of the step concurrent than the answer may (1 s).
func slowly(key string) {
	if key == "evt_1-6" {
		time.Sleep(1500 * time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
}
`

const diary = `package credits

import (
	"context"
	"database/sql"

	whrt "github.com/whgen/whgen/runtime"
)

// diary keeps the body of every repeat.
type diary struct {
	pool *sql.DB
	whrt.Store
}

func (s diary) Handle(ctx context.Context, d *whrt.Delivery) (whrt.Result, error) {
	res, err := s.Store.Handle(ctx, d)
	if err == nil && res.Found == whrt.Stored {
		_, err = s.pool.ExecContext(ctx, statements.KeepPayload, d.Key, d.ContentType, d.Body)
	}
	return res, err
}
`

const idle = `package credits_test

import (
	"context"

	"{package}"
	whrt "github.com/whgen/whgen/runtime"
)

type idle struct{}

func (idle) OrderPaid(context.Context, credits.Tx, whrt.Incoming[credits.OrderPaid]) error { return nil }
`
