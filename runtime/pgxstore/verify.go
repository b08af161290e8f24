package pgxstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/whgen/whgen/runtime/internal/storage"
)

// Verify implements whrt.Store: the server writes durably, and the tables are
// there with their columns, UNIQUE constraints, collation and privileges.
func (b *DB) Verify(ctx context.Context) error {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Release()
	s, names := b.schema.Statements, storage.Names(b.schema.Tables)
	var c storage.Catalogue
	err = conn.QueryRow(ctx, s.Server).Scan(&c.Server.InRecovery, &c.Server.SynchronousCommit, &c.Server.Fsync, &c.Server.ReadOnly)
	if err != nil {
		return fmt.Errorf("ask the server for its settings: %w", err)
	}
	var name, text, collation string
	f := storage.TableFacts{}
	err = each(ctx, conn.Conn(), s.Tables, names, []any{&f.Name, &f.IsTable, &f.Persistence, &f.RowSecurity, &f.Allowed, &f.Triggers}, func() {
		*c.Table(f.Name) = f
	})
	if err != nil {
		return fmt.Errorf("read the tables from the catalogue: %w", err)
	}
	err = each(ctx, conn.Conn(), s.Columns, names, []any{&name, &text}, func() {
		t := c.Table(name)
		t.Columns = append(t.Columns, text)
	})
	if err != nil {
		return fmt.Errorf("read the columns from the catalogue: %w", err)
	}
	err = each(ctx, conn.Conn(), s.Indexes, names, []any{&name, &text, &collation}, func() { c.Table(name).Index(text, collation) })
	if err != nil {
		return fmt.Errorf("read the indexes from the catalogue: %w", err)
	}
	return c.Check(b.schema.Tables)
}

func each(ctx context.Context, conn *pgx.Conn, sql, names string, to []any, row func()) error {
	found, err := conn.Query(ctx, sql, names)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(found, to, func() error {
		row()
		return nil
	})
	return err
}
