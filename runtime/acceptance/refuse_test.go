package acceptance_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/runtime/acceptance"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

// refusals are databases and setups, by what the kit says of them before it
// writes anything. What it takes gets as far as the receiver's migrations.
var refusals = map[string]struct{ engine, name, before, want string }{
	"file of another name":     {"sqlite", "shop.db", "", "shop.db is not a scratch database: this test fills its database"},
	"file with rows":           {"sqlite", "shop_test.db", `CREATE TABLE "my rows" AS SELECT 1 AS n`, `refused: table "my rows" of the database `},
	"file with a table":        {"sqlite", "shop_test.db", `CREATE TABLE "no rows" (n)`, "migrate: reached"},
	"file with versions":       {"sqlite", "shop_scratch.db", "CREATE TABLE shop_schema_versions AS SELECT 1 AS n", "migrate: reached"},
	"database of another name": {"postgres", "postgres", "", "refused: the database postgres is not a scratch database"},
	"database with rows":       {"postgres", "", `CREATE TABLE "My rows" AS SELECT 1 AS n`, `refused: table public."My rows" of the database whgen_test_`},
	"database with a table":    {"postgres", "", "CREATE TABLE t (n integer)", "migrate: reached"},
	"no handler":               {"sqlite", "a_test.db", "", "setup gives no Handler"},
	"growth of nothing":        {"sqlite", "a_test.db", "", `Setup.Grow has "orders" of paid, and Setup.Count has no such query`},
	"growth of no event":       {"sqlite", "a_test.db", "", `Setup.Grow has "payed", and the contract has no such event`},
}

// TestRefusals runs each in a process of its own: a refusal ends the test.
func TestRefusals(t *testing.T) {
	for name, r := range refusals {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRefused$", "-test.v")
			cmd.Env = append(os.Environ(), "WHGEN_REFUSAL="+name)
			if r.engine == "postgres" {
				cmd.Env = append(cmd.Env, "WHGEN_REFUSAL_DSN="+pgtest.DSN(t))
			}
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), r.want) {
				t.Errorf("got %v\n%s\nwant a failure with: %s", err, out, r.want)
			}
		})
	}
}

type orders interface{ Order() }

// TestRefused is what TestRefusals runs.
func TestRefused(t *testing.T) {
	name := os.Getenv("WHGEN_REFUSAL")
	if name == "" {
		return // there is nothing to refuse in a run of its own
	}
	r := refusals[name]
	p := acceptance.Package[*sql.DB, orders]{
		Open:    func(t *testing.T) *sql.DB { return open(t, r.engine, r.name, r.before) },
		Migrate: func(context.Context, *sql.DB) error { return errReached },
		Scan: func(ctx context.Context, db *sql.DB, query string, to any) error {
			return db.QueryRowContext(ctx, query).Scan(to)
		},
		Contract: acceptance.Contract{Engine: r.engine},
	}
	s := acceptance.Setup[*sql.DB, orders]{Handler: nobody{}}
	switch name {
	case "no handler":
		s.Handler = nil
	case "growth of nothing":
		p.Events = []acceptance.Event{{Name: "paid"}}
		s.Grow = map[string]map[string]int{"paid": {"orders": 1}}
	case "growth of no event":
		s.Grow = map[string]map[string]int{"payed": {}}
	}
	acceptance.Run(t, s, p)
}

type nobody struct{}

func (nobody) Order() {}

var errReached = errors.New("reached")

func open(t *testing.T, engine, name, before string) *sql.DB {
	driver, dsn := "sqlite", "file:"+filepath.Join(t.TempDir(), name)
	if engine == "postgres" {
		u, err := url.Parse(os.Getenv("WHGEN_REFUSAL_DSN"))
		if err != nil {
			t.Fatal(err)
		}
		if name != "" {
			u.Path = "/" + name
		}
		driver, dsn = "pgx", u.String()
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec(before); err != nil {
		t.Fatal(err)
	}
	return db
}
