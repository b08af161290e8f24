// Package sqlnames_test drives receivers whose tables and columns have names that
// meet in Go, or are words of SQL.
package sqlnames_test

import (
	"database/sql"
	"net/http"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/whgen/whgen/golden/internal/deliver"
	"github.com/whgen/whgen/golden/sql_names/pgsql"
	"github.com/whgen/whgen/golden/sql_names/pgx"
	"github.com/whgen/whgen/golden/sql_names/sqlite"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var secrets = whrt.SecretsMap(map[string]string{"SQLNAMES_SECRET": deliver.Secret})

func onSQLite(t *testing.T) (*sql.DB, http.Handler) {
	db := deliver.SQLite(t)
	must(t, sqlite.Migrate(t.Context(), db))
	r, err := sqlite.New(t.Context(), sqlite.Config{DB: db, Secrets: secrets})
	must(t, err)
	return db, r
}

func onPgx(t *testing.T) (*sql.DB, http.Handler) {
	pool, err := pgxpool.New(t.Context(), pgtest.DSN(t))
	must(t, err)
	t.Cleanup(pool.Close)
	must(t, pgx.Migrate(t.Context(), pool))
	r, err := pgx.New(t.Context(), pgx.Config{DB: pool, Secrets: secrets})
	must(t, err)
	db := stdlib.OpenDBFromPool(pool)
	t.Cleanup(func() { _ = db.Close() })
	return db, r
}

func onPgSQL(t *testing.T) (*sql.DB, http.Handler) {
	db, err := sql.Open("pgx", pgtest.DSN(t))
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	must(t, pgsql.Migrate(t.Context(), db))
	r, err := pgsql.New(t.Context(), pgsql.Config{DB: db, Secrets: secrets})
	must(t, err)
	return db, r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTablesWithNamesThatMeet(t *testing.T) {
	for name, start := range map[string]func(*testing.T) (*sql.DB, http.Handler){"sqlite": onSQLite, "pgx": onPgx, "database/sql": onPgSQL} {
		t.Run(name, func(t *testing.T) {
			db, r := start(t)
			sign := deliver.Hex("X-Signature")
			for range 2 {
				deliver.Want(t, r, sign, `{"id":"1","a":"x","b":7}`, 200, "")
			}
			deliver.Want(t, r, sign, `{"id":"2","a":"x","b":8}`, 200, "")
			for table, want := range map[string]string{
				`"order"`: "2", "orders": "1", "a_b": "2", "a__b": "2", "sqlnames_inbox_event": "2", "sqlnames_inbox_events": "2",
				"lookup_events": "2", "register_events": "2", "queries": "2", "dbtx": "2",
			} {
				deliver.Value(t, db, "SELECT count(*) FROM "+table, want)
			}
			deliver.Value(t, db, `SELECT id FROM orders WHERE "order" = 'x'`, "2")
			deliver.Value(t, db, `SELECT i_d || ' ' || i__d || ' ' || "group" FROM "order" WHERE id = '1'`, "x 7 x")
			deliver.Value(t, db, `SELECT "select" || ' ' || "from" || ' ' || "table" FROM queries WHERE event_key = '2'`, "2 x 8")
		})
	}
}
