package pgsqlstore

import (
	"context"
	"fmt"

	"github.com/whgen/whgen/runtime/internal/storage"
)

// Verify implements whrt.Store: the server writes durably, and the tables are
// there with their columns, UNIQUE constraints, collation and privileges.
func (b *DB) Verify(ctx context.Context) error {
	s, names := b.schema.Statements, storage.Names(b.schema.Tables)
	var c storage.Catalogue
	err := b.pool.QueryRowContext(ctx, s.Server).Scan(&c.Server.InRecovery, &c.Server.SynchronousCommit, &c.Server.Fsync, &c.Server.ReadOnly)
	if err != nil {
		return fmt.Errorf("ask the server for its settings: %w", err)
	}
	var name, text, collation string
	f := storage.TableFacts{}
	err = each(ctx, b.pool, []any{&f.Name, &f.IsTable, &f.Persistence, &f.RowSecurity, &f.Allowed, &f.Triggers}, func() {
		*c.Table(f.Name) = f
	}, s.Tables, names)
	if err != nil {
		return fmt.Errorf("read the tables from the catalogue: %w", err)
	}
	err = each(ctx, b.pool, []any{&name, &text}, func() {
		t := c.Table(name)
		t.Columns = append(t.Columns, text)
	}, s.Columns, names)
	if err != nil {
		return fmt.Errorf("read the columns from the catalogue: %w", err)
	}
	err = each(ctx, b.pool, []any{&name, &text, &collation}, func() { c.Table(name).Index(text, collation) }, s.Indexes, names)
	if err != nil {
		return fmt.Errorf("read the indexes from the catalogue: %w", err)
	}
	return c.Check(b.schema.Tables)
}
