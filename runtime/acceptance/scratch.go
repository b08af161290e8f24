package acceptance

import (
	"path/filepath"
	"slices"
	"strings"
)

// names of databases and how to list the tables of one, a line each. Tables of
// extensions and of migration tools are nobody's data.
var names = map[string]string{
	"postgres": `SELECT current_database()::text`,
	"sqlite":   `SELECT coalesce(max(file), '') FROM pragma_database_list WHERE name = 'main'`,
}

var listings = map[string]string{
	"postgres": `SELECT coalesce(string_agg(format('%I.%I', n.nspname, c.relname), chr(10) ORDER BY n.nspname, c.relname), '')
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
		  AND c.relname NOT LIKE '%goose\_db\_version' AND c.relname NOT LIKE '%\_schema\_versions' AND c.relname NOT IN ('schema_migrations', 'atlas_schema_revisions')
		  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`,
	"sqlite": `SELECT coalesce(group_concat('"' || replace(name, '"', '""') || '"', char(10)), '') FROM sqlite_schema
		WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '%goose\_db\_version' ESCAPE '\'
		  AND name NOT LIKE '%\_schema\_versions' ESCAPE '\'
		  AND name NOT IN ('schema_migrations', 'atlas_schema_revisions')`,
}

// refuse stops the test before it writes anything, unless the database is a
// scratch one by its name and holds no rows.
func (p *protocol) refuse() {
	p.Helper()
	name := ""
	if err := p.scan(names[p.c.Engine], &name); err != nil {
		p.Fatalf("ask the database for its name: %v", err)
	}
	if !scratchName(p.c.Engine, name) {
		p.Fatalf("refused: %s is not a scratch database: this test fills its database with deliveries and breaks tables. "+
			"Leave Setup.Open nil for one that is thrown away, or give it one whose name ends in _test or _scratch", shown(name))
	}
	for _, table := range p.tables() {
		if p.count("SELECT count(*) FROM (SELECT 1 FROM "+table+" LIMIT 1) x") != 0 {
			p.Fatalf("refused: table %s of %s holds rows: this test fills its database with deliveries and breaks tables. Give it an empty one", table, shown(name))
		}
	}
}

// tables are all that the database has, as SQL writes them.
func (p *protocol) tables() []string {
	p.Helper()
	list := ""
	if err := p.scan(listings[p.c.Engine], &list); err != nil {
		p.Fatalf("list the tables of the database: %v", err)
	}
	return slices.DeleteFunc(strings.Split(list, "\n"), func(table string) bool { return table == "" })
}

func shown(name string) string {
	if name == "" {
		return "the database in memory"
	}
	return "the database " + name
}

// scratchName judges a name: PostgreSQL's as pgtest.Scratch does, that of a SQLite
// file likewise, without folder and extension. A database in memory has none.
func scratchName(engine, name string) bool {
	if engine == "sqlite" {
		if name == "" {
			return true
		}
		name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	return strings.HasPrefix(name, "whgen_test_") || strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_scratch")
}
