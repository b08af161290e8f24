package conformance_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	_ "github.com/ncruces/go-sqlite3/driver"
	_ "github.com/ncruces/go-sqlite3/embed"
	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/golden/conformance"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

var backends = []conformance.Backend{
	conformance.SQLite("modernc", "sqlite"),
	light(conformance.SQLite("ncruces", "sqlite3")),
	onPgx(),
	onSQL("pgsql", "pgx"),
	light(onSQL("pq", "postgres")),
}

// light is for drivers that differ from another one only in how they talk.
func light(b conformance.Backend) conformance.Backend {
	b.Light = true
	return b
}

func TestMain(m *testing.M) {
	os.Exit(conformance.Main(func() int { return pgtest.Main(m) }, backends...))
}

func TestConformance(t *testing.T) {
	for _, b := range backends {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel() // most of the time is waiting for disks
			if !b.Postgres {
				conformance.Run(t, b, func(t *testing.T) string { return filepath.Join(t.TempDir(), "receiver.db") })
				return
			}
			database := pgtest.DSN(t)
			conformance.Run(t, b, func(t *testing.T) string { return schema(t, database) })
		})
	}
}

// schema makes a schema in a database and gives the address of both: cheaper
// than a database for each case.
func schema(t *testing.T, dsn string) string {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var name string
	if err := db.QueryRowContext(context.Background(), "SELECT 's' || count(*) FROM pg_namespace").Scan(&name); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(context.Background(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	return dsn + "&sslmode=disable&search_path=" + name
}
