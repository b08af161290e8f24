package migrate_test

import (
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/runtime/migrate"
)

var migrations = fstest.MapFS{
	"migrations/00001_init.sql": {Data: []byte("-- +goose Up\nCREATE TABLE t (x INTEGER NOT NULL) STRICT;\nINSERT INTO t VALUES (1);\n-- +goose Down\nDROP TABLE t;\n")},
}

func open(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestUpAppliesOnceAndKeepsToItsOwnTable(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "m.db"))
	for range 2 {
		if err := migrate.Up(t.Context(), db, "sqlite", migrations, "shop_schema_versions"); err != nil {
			t.Fatal(err)
		}
	}
	var rows, foreign int
	if err := db.QueryRow("SELECT count(*) FROM t").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("got %d rows, %v, want 1", rows, err)
	}
	if err := db.QueryRow("SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'").Scan(&foreign); err != nil || foreign != 0 {
		t.Errorf("the project's own goose table was made")
	}
}

func TestUpFromSeveralAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.db")
	var group sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		db := open(t, "file:"+file+"?_pragma=busy_timeout(5000)")
		group.Go(func() { errs[i] = migrate.Up(t.Context(), db, "sqlite", migrations, "v") })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	var rows int
	if err := open(t, file).QueryRow("SELECT count(*) FROM t").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("got %d rows, %v, want 1", rows, err)
	}
}

func TestUpNamesAnUnknownDialect(t *testing.T) {
	if err := migrate.Up(t.Context(), nil, "oracle", migrations, "v"); err == nil {
		t.Error("an unknown dialect was taken")
	}
}
