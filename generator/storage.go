package generator

import (
	"fmt"
	"go/format"

	"github.com/whgen/whgen/templates"
)

// storageFiles is everything of the package that is about the database: what
// sqlc reads (sqlc.yaml, queries, migrations), the store adapter and the
// arguments of its statements. sqlc's own output is not among them.
func storageFiles(p *Plan) ([]File, error) {
	files, err := sqlFiles(p)
	if err != nil {
		return nil, err
	}
	store, err := renderStore(p)
	if err != nil {
		return nil, err
	}
	deliver, err := renderDeliver(p)
	if err != nil {
		return nil, err
	}
	return append(files, inOut(p, "store_gen.go", store), inOut(p, "deliver_gen.go", deliver)), nil
}

// engineFiles are the templates of an engine, by the file each makes.
var engineFiles = map[Engine][][2]string{
	PostgresPgx: {
		{"sqlc.yaml", "postgres/sqlc.yaml.tmpl"},
		{"migrations/00001_init.sql", "postgres/init.sql.tmpl"},
		{"queries/register.sql", "postgres/register.sql.tmpl"},
		{"queries/inbox.sql", "postgres/inbox.sql.tmpl"},
		{"queries/messages.sql", "postgres/messages.sql.tmpl"},
		{"queries/outbox.sql", "postgres/outbox.sql.tmpl"},
		{"queries/schema.sql", "postgres/schema.sql.tmpl"},
	},
	PostgresSQL: {
		{"sqlc.yaml", "pgsql/sqlc.yaml.tmpl"},
		{"migrations/00001_init.sql", "postgres/init.sql.tmpl"},
		{"queries/register.sql", "pgsql/register.sql.tmpl"},
		{"queries/inbox.sql", "postgres/inbox.sql.tmpl"},
		{"queries/messages.sql", "pgsql/messages.sql.tmpl"},
		{"queries/outbox.sql", "postgres/outbox.sql.tmpl"},
		{"queries/schema.sql", "postgres/schema.sql.tmpl"},
	},
	SQLite: {
		{"sqlc.yaml", "sqlite/sqlc.yaml.tmpl"},
		{"migrations/00001_init.sql", "sqlite/init.sql.tmpl"},
		{"queries/register.sql", "sqlite/register.sql.tmpl"},
		{"queries/inbox.sql", "sqlite/inbox.sql.tmpl"},
		{"queries/outbox.sql", "sqlite/outbox.sql.tmpl"},
	},
}

var storeTemplates = map[Engine]string{
	PostgresPgx: "postgres/store_gen.go.tmpl",
	PostgresSQL: "pgsql/store_gen.go.tmpl",
	SQLite:      "sqlite/store_gen.go.tmpl",
}

// sqlFiles is what sqlc reads, and the migration that goose applies.
func sqlFiles(p *Plan) ([]File, error) {
	view := viewSQL(p)
	var files []File
	for _, f := range engineFiles[p.Engine] {
		data, err := templates.Render(f[1], view)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", f[0], err)
		}
		file := inOut(p, f[0], data)
		file.Append = f[0] == "migrations/00001_init.sql"
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("write SQL: no templates for engine %q", p.Engine)
	}
	return files, nil
}

// renderStore is store_gen.go.
func renderStore(p *Plan) ([]byte, error) {
	data, err := templates.Render(storeTemplates[p.Engine], viewSQL(p))
	if err != nil {
		return nil, fmt.Errorf("write store_gen.go: %w", err)
	}
	data, err = format.Source(data)
	if err != nil {
		return nil, fmt.Errorf("format store_gen.go: %w", err)
	}
	return data, nil
}

func inOut(p *Plan, name string, data []byte) File {
	return File{Path: p.Out + "/" + name, Data: data}
}
