package evolution_test

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/rogpeppe/go-internal/txtar"
	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/generator/evolution"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
	"github.com/whgen/whgen/runtime/migrate"
	"github.com/whgen/whgen/spec"
)

var update = flag.Bool("update", false, "write what comes out into the txtar files")

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// example is one txtar: existing migrations, init.sql that the contract asks for
// now, and what must come of it. With rows.sql (before), after.sql (as the new
// receiver would insert) and count (a query and its result) it is carried out on
// a real database too.
type example struct {
	name  string
	file  string
	files map[string]string
	in    evolution.Input
}

func examples(t *testing.T) []*example {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 30 {
		t.Fatalf("found %d examples, %v", len(names), err)
	}
	var all []*example
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		e := &example{name: strings.TrimSuffix(filepath.Base(name), ".txtar"), file: name, files: map[string]string{}}
		e.in = evolution.Input{Dialect: evolution.Postgres, Prefix: "shop_", Folder: "shop/migrations", Where: where}
		if strings.HasPrefix(e.name, "sqlite-") {
			e.in.Dialect = evolution.SQLite
		}
		for line := range strings.Lines(string(archive.Comment)) {
			if rest, ok := strings.CutPrefix(line, "kept: "); ok {
				e.in.Kept = strings.Fields(rest)
			}
			if rest, ok := strings.CutPrefix(line, "known: "); ok {
				e.in.Known = strings.Fields(rest)
			}
		}
		for _, f := range archive.Files {
			e.files[f.Name] = string(f.Data)
			if evolution.IsMigration(f.Name) {
				ours := strings.HasPrefix(string(f.Data), "-- Code generated")
				e.in.Existing = append(e.in.Existing, evolution.Migration{Name: f.Name, Text: string(f.Data), Ours: ours})
			}
		}
		e.in.Init = e.files["init.sql"]
		all = append(all, e)
	}
	return all
}

func where(table, column string) spec.Pos {
	if table == "" {
		return spec.Pos{File: "whgen.yaml"}
	}
	return spec.Pos{File: strings.TrimSuffix("contract/"+table+"/"+column, "/")}
}

func TestNext(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			out := evolution.Next(e.in)
			got := ""
			if out.Next != nil {
				got = out.Next.Name + "\n" + out.Next.Text
			}
			for _, d := range out.Findings {
				got += d.String() + "\n"
			}
			if len(out.Kept) > 0 {
				got += fmt.Sprintf("kept: %s\n", strings.Join(out.Kept, " "))
			}
			if *update {
				e.write(t, got)
				return
			}
			if want := e.files["want"]; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			e.settles(t, out)
		})
	}
}

// settles: with the next migration in place there is nothing left to do, and
// nothing that has been said is said again.
func (e *example) settles(t *testing.T, out evolution.Output) {
	t.Helper()
	if out.Findings.HasErrors() {
		if out.Next != nil {
			t.Error("there is a migration beside the errors")
		}
		return
	}
	again := e.in
	again.Kept = out.Kept
	if out.Next != nil {
		again.Existing = append(slices.Clone(again.Existing), *out.Next)
	}
	if rest := evolution.Next(again); rest.Next != nil || len(rest.Findings) != 0 {
		t.Errorf("a second run gives %+v, %v", rest.Next, rest.Findings)
	}
}

func (e *example) write(t *testing.T, want string) {
	t.Helper()
	archive, err := txtar.ParseFile(e.file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		if archive.Files[i].Name == "want" {
			archive.Files[i].Data = []byte(want)
		}
	}
	if err := os.WriteFile(e.file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNextOnDatabases applies what exists, adds rows, applies the next migration
// and inserts as the new receiver would; then everything from nothing.
func TestNextOnDatabases(t *testing.T) {
	carried := map[evolution.Dialect]int{}
	for _, e := range examples(t) {
		if e.files["after.sql"] == "" {
			continue
		}
		carried[e.in.Dialect]++
		t.Run(e.name, func(t *testing.T) {
			chain := fstest.MapFS{}
			for _, m := range e.in.Existing {
				chain["migrations/"+m.Name] = &fstest.MapFile{Data: []byte(m.Text)}
			}
			db := open(t, e.in.Dialect)
			e.up(t, db, chain)
			exec(t, db, e.files["rows.sql"])
			if out := evolution.Next(e.in); out.Next != nil {
				chain["migrations/"+out.Next.Name] = &fstest.MapFile{Data: []byte(out.Next.Text)}
			}
			e.up(t, db, chain)
			exec(t, db, e.files["after.sql"])
			query, want, _ := strings.Cut(strings.TrimSpace(e.files["count"]), "\n")
			var got string
			if err := db.QueryRow(query).Scan(&got); err != nil || got != want {
				t.Errorf("%s: got %s, %v; want %s", query, got, err, want)
			}
			empty := open(t, e.in.Dialect)
			e.up(t, empty, chain)
			if got, want := shape(t, empty, e.in.Dialect), shape(t, db, e.in.Dialect); got != want {
				t.Errorf("from nothing the schema is\n%s\nand by steps\n%s", got, want)
			}
		})
	}
	if carried[evolution.SQLite] < 9 || carried[evolution.Postgres] < 9 {
		t.Errorf("carried out %v, want more", carried)
	}
}

func open(t *testing.T, d evolution.Dialect) *sql.DB {
	t.Helper()
	driver, dsn := "sqlite", filepath.Join(t.TempDir(), "x.db")
	if d == evolution.Postgres {
		driver, dsn = "pgx", pgtest.DSN(t)
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (e *example) up(t *testing.T, db *sql.DB, chain fstest.MapFS) {
	t.Helper()
	if err := migrate.Up(t.Context(), db, string(e.in.Dialect), chain, "shop_schema_versions"); err != nil {
		t.Fatal(err)
	}
}

func exec(t *testing.T, db *sql.DB, statements string) {
	t.Helper()
	for line := range strings.Lines(statements) {
		if _, err := db.Exec(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

// shape is the schema as the database itself tells it.
func shape(t *testing.T, db *sql.DB, d evolution.Dialect) string {
	t.Helper()
	query := `SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE '%schema_versions%' ORDER BY 1`
	if d == evolution.Postgres {
		query = `SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '')
FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '%schema_versions%'
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE '%schema_versions%' ORDER BY 1`
	}
	rows, err := db.Query(query)
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

// TestDownTakesBack: what goes up comes down, but for NOT NULL that was taken away.
func TestDownTakesBack(t *testing.T) {
	done := 0
	for _, e := range examples(t) {
		out := evolution.Next(e.in)
		if out.Next == nil || strings.Contains(out.Next.Text, "Rows may now have no") {
			continue
		}
		done++
		t.Run(e.name, func(t *testing.T) {
			chain := fstest.MapFS{}
			for _, m := range e.in.Existing {
				chain[m.Name] = &fstest.MapFile{Data: []byte(m.Text)}
			}
			db, dialect := open(t, e.in.Dialect), goose.DialectPostgres
			if e.in.Dialect == evolution.SQLite {
				dialect = goose.DialectSQLite3
			}
			run := func(do func(*goose.Provider) error) {
				t.Helper()
				p, err := goose.NewProvider(dialect, db, chain, goose.WithDisableGlobalRegistry(true))
				if err == nil {
					err = do(p)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			up := func(p *goose.Provider) error { _, err := p.Up(t.Context()); return err }
			run(up)
			want := shape(t, db, e.in.Dialect)
			chain[out.Next.Name] = &fstest.MapFile{Data: []byte(out.Next.Text)}
			run(up)
			if shape(t, db, e.in.Dialect) == want {
				t.Error("the migration changes nothing")
			}
			run(func(p *goose.Provider) error { _, err := p.Down(t.Context()); return err })
			if got := shape(t, db, e.in.Dialect); got != want {
				t.Errorf("after going down the schema is\n%s\nand it was\n%s", got, want)
			}
		})
	}
	if done < 10 {
		t.Errorf("took back %d migrations, want more", done)
	}
}
