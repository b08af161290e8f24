package conformance_test

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whgen/whgen/golden/conformance"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

// TestServerStopsAndStarts: PostgreSQL goes away and comes back.
func TestServerStopsAndStarts(t *testing.T) {
	server := pgtest.Own(t)
	for _, b := range []conformance.Backend{onPgx(), onSQL("pgsql", "pgx")} {
		t.Run(b.Name, func(t *testing.T) {
			dsn, err := server.Database(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			conformance.Restart(t, b, dsn, func(while func()) error { return server.Restart(false, while) })
		})
	}
}

// TestServerSpeaksGerman: errors are told by their codes, whatever the language
// of their messages.
func TestServerSpeaksGerman(t *testing.T) {
	if _, err := os.Stat("/usr/share/i18n/locales/de_DE"); err != nil {
		t.Skip("PostgreSQL cannot speak German: apt-get install locales")
	}
	folder, err := os.MkdirTemp("", "whgen-locale-") // t.TempDir is for our user only; the server may be another
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	made := exec.Command("localedef", "-i", "de_DE", "-f", "UTF-8", filepath.Join(folder, "de_DE.UTF-8"))
	if said, err := made.CombinedOutput(); err != nil {
		t.Fatalf("make a locale: %v: %s", err, said)
	}
	t.Setenv("LOCPATH", folder)
	server := pgtest.Own(t)
	cases := []string{
		"a constraint of the application is no duplicate", "a swallowed error is not committed",
		"an error of the commit", "an error at each statement",
	}
	for _, b := range []conformance.Backend{onPgx(), onSQL("pgsql", "pgx"), onSQL("pq", "postgres")} {
		t.Run(b.Name, func(t *testing.T) {
			dsn, err := server.Database(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			german(t, dsn)
			conformance.Run(t, b, func(t *testing.T) string { return schema(t, dsn) }, cases...)
		})
	}
}

// german makes the sessions of a database speak German, and listens.
func german(t *testing.T, dsn string) {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	ctx := context.Background()
	if _, err := db.ExecContext(ctx, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lc_messages = ''de_DE.UTF-8''', current_database()); END $$`); err != nil {
		t.Fatal(err)
	}
	db.SetMaxIdleConns(0) // the setting is for new sessions
	if _, err = db.ExecContext(ctx, "SELECT 1/0"); err == nil || !strings.Contains(err.Error(), "Division durch Null") {
		t.Skipf("PostgreSQL does not speak German, it says %q: its messages in German are not installed", err)
	}
}
