// Package evolved_test takes a receiver through a change of its contract, on a
// database with rows and with events in flight.
package evolved_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	pgv1 "github.com/whgen/whgen/golden/evolved/postgres/v1"
	pgv2 "github.com/whgen/whgen/golden/evolved/postgres/v2"
	litev1 "github.com/whgen/whgen/golden/evolved/sqlite/v1"
	litev2 "github.com/whgen/whgen/golden/evolved/sqlite/v2"
	"github.com/whgen/whgen/golden/internal/deliver"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var secrets = whrt.SecretsMap(map[string]string{"EVOLVED_SECRET": deliver.Secret})

// database is one database and the ways to bring it to each version.
type database struct {
	*sql.DB
	migrate [3]func(context.Context) error
	receive [3]func(context.Context) (*whrt.Receiver, error)
	shape   string // query for the schema
}

func sqlite(t *testing.T) *database {
	db := deliver.SQLite(t)
	d := &database{DB: db, shape: `SELECT name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY 1`}
	d.migrate[1] = func(ctx context.Context) error { return litev1.Migrate(ctx, db) }
	d.migrate[2] = func(ctx context.Context) error { return litev2.Migrate(ctx, db) }
	d.receive[1] = func(ctx context.Context) (*whrt.Receiver, error) {
		return litev1.New(ctx, litev1.Config{DB: db, Secrets: secrets})
	}
	d.receive[2] = func(ctx context.Context) (*whrt.Receiver, error) {
		return litev2.New(ctx, litev2.Config{DB: db, Secrets: secrets})
	}
	return d
}

func postgres(t *testing.T) *database {
	pool, err := pgxpool.New(t.Context(), pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	db := stdlib.OpenDBFromPool(pool)
	t.Cleanup(func() { _ = db.Close() })
	d := &database{DB: db, shape: `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable FROM information_schema.columns WHERE table_schema = 'public'
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`}
	d.migrate[1] = func(ctx context.Context) error { return pgv1.Migrate(ctx, pool) }
	d.migrate[2] = func(ctx context.Context) error { return pgv2.Migrate(ctx, pool) }
	d.receive[1] = func(ctx context.Context) (*whrt.Receiver, error) {
		return pgv1.New(ctx, pgv1.Config{DB: pool, Secrets: secrets})
	}
	d.receive[2] = func(ctx context.Context) (*whrt.Receiver, error) {
		return pgv2.New(ctx, pgv2.Config{DB: pool, Secrets: secrets})
	}
	return d
}

// receiver migrates to a version and starts its receiver.
func (d *database) receiver(t *testing.T, version int) http.Handler {
	t.Helper()
	if err := d.migrate[version](t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := d.receive[version](t.Context())
	if err != nil {
		t.Fatalf("start version %d: %v", version, err)
	}
	return r
}

func (d *database) schema(t *testing.T) string {
	t.Helper()
	rows, err := d.Query(d.shape)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		all.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestChangedContract: GC-097, and what a change means for events that are known.
func TestChangedContract(t *testing.T) {
	for name, start := range map[string]func(*testing.T) *database{"sqlite": sqlite, "postgres": postgres} {
		t.Run(name, func(t *testing.T) {
			d, sign := start(t), deliver.Hex("X-Signature")
			old := d.receiver(t, 1)
			for i := range 100 {
				deliver.Want(t, old, sign, fmt.Sprintf(`{"id":"e%d","type":"paid","order":"o%d","currency":"EUR","seller":"s","total":3}`, i, i), 200, "v1")
			}
			deliver.Want(t, old, sign, `{"id":"r","type":"paid","order":"o1","currency":"USD","seller":"s","refund":true}`, 200, "v1")

			now := d.receiver(t, 2)
			// Known events, as they were: a repeat, and another content.
			deliver.Want(t, now, sign, `{"id":"e7","type":"paid","order":"o7","currency":"EUR","seller":"s","total":3}`, 200, "v1")
			deliver.Want(t, now, sign, `{"id":"e7","type":"paid","order":"o8","currency":"EUR","seller":"s","total":3}`, 200, "")
			deliver.Value(t, d.DB, "SELECT count(*) FROM evolved_inbox_conflicts", "1")
			// An event in flight in the old form lacks what the new contract demands.
			deliver.Want(t, now, sign, `{"id":"late","type":"paid","order":"o100","currency":"EUR","seller":"s"}`, 400, "")
			// New events: another seller's order of the same number, an update, a gift.
			deliver.Want(t, now, sign, `{"id":"n1","type":"paid","order":"o7","seller":"t","total":5}`, 200, "v2")
			deliver.Want(t, now, sign, `{"id":"n2","type":"paid","order":"o7","seller":"s","total":7,"gift":true}`, 200, "v2")
			deliver.Want(t, now, sign, `{"id":"n3","type":"paid","order":"o9","total":9}`, 200, "v2")
			deliver.Want(t, now, sign, `{"id":"n4","type":"shipped","order":"o7","on":"2026-11-30T09:15:00Z"}`, 200, "v2")
			deliver.Value(t, d.DB, "SELECT count(*) FROM orders", "102")
			deliver.Value(t, d.DB, "SELECT count(*) FROM orders WHERE currency = 'EUR'", "99")
			deliver.Value(t, d.DB, "SELECT total FROM orders WHERE order_id = 'o7' AND seller = 's'", "7")
			deliver.Value(t, d.DB, "SELECT count(*) FROM orders WHERE seller IS NULL AND gift IS NULL AND currency IS NULL", "1")
			deliver.Value(t, d.DB, "SELECT count(*) FROM shipments", "1")
			deliver.Value(t, d.DB, "SELECT count(*) FROM refunds", "1")

			empty := start(t)
			empty.receiver(t, 2)
			if got, want := empty.schema(t), d.schema(t); got != want {
				t.Errorf("from nothing the schema is\n%s\nand by steps\n%s", got, want)
			}
		})
	}
}
