package sqlitestore

import (
	"context"
	"fmt"
	"strings"

	"github.com/whgen/whgen/runtime/internal/storage"
)

// sqlc cannot compile the table-valued functions of PRAGMA, so these stand here.
const (
	askColumns = "SELECT name FROM pragma_table_info(?)"
	askUnique  = `SELECT group_concat(ii.name, ',') FROM pragma_index_list(?) il, pragma_index_xinfo(il.name) ii
WHERE il."unique" = 1 AND il.partial = 0 AND ii.key = 1 GROUP BY il.name HAVING min(ii.coll = 'BINARY') = 1`
)

// Verify implements whrt.Store: the database is in WAL mode (it is switched on
// where it is not) and the tables have their columns and UNIQUE constraints.
func (b *DB) Verify(ctx context.Context) error {
	if _, err := b.writer.of(ctx, b.pool); err != nil {
		return err
	}
	var problems []string
	mode, err := b.list(ctx, "PRAGMA journal_mode")
	if err == nil && mode[0] != "wal" && mode[0] != "memory" {
		mode, err = b.list(ctx, "PRAGMA journal_mode = WAL")
	}
	if err != nil {
		return fmt.Errorf("ask for the journal mode: %w", err)
	}
	if mode[0] != "wal" && mode[0] != "memory" {
		problems = append(problems, fmt.Sprintf("the journal mode is %s and does not change to WAL: use a local file", mode[0]))
	}
	for _, t := range b.schema.Tables {
		columns, err := b.list(ctx, askColumns, bare(t.Name))
		if err != nil {
			return fmt.Errorf("read the columns of %s: %w", t.Name, err)
		}
		if len(columns) == 0 {
			problems = append(problems, fmt.Sprintf("table %s is missing: apply the migrations", t.Name))
			continue
		}
		keys, err := b.list(ctx, askUnique, bare(t.Name))
		if err != nil {
			return fmt.Errorf("read the indexes of %s: %w", t.Name, err)
		}
		var unique [][]string
		for _, k := range keys {
			unique = append(unique, strings.Split(k, ","))
		}
		problems = append(problems, t.Missing(columns, unique)...)
	}
	return storage.Refuse(problems)
}

func (b *DB) list(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := b.pool.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}
