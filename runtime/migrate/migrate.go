// Package migrate brings a receiver's tables up to date from the migrations
// that are embedded in its generated package.
//
// It is a thin layer on goose (github.com/pressly/goose), whose file format the
// migrations have: a project that runs goose, or reads the files with another
// tool, does not need it.
package migrate

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

// Up applies what is missing of migrations/*.sql, in order, and notes it in
// table, which belongs to this receiver alone: a project's own goose table and
// other receivers are not touched. Each migration is a transaction.
//
// The dialect is "postgres" or "sqlite". Several processes may call Up at once:
// on PostgreSQL they take turns by an advisory lock of the session (behind a
// pooler in transaction mode use a direct connection), on SQLite by the write
// lock of the file.
func Up(ctx context.Context, db *sql.DB, dialect string, migrations fs.FS, table string) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("open the migrations: %w", err)
	}
	var store database.Store
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	switch dialect {
	case "postgres":
		store, err = database.NewStore(database.DialectPostgres, table)
		if err == nil {
			var locker lock.SessionLocker
			locker, err = lock.NewPostgresSessionLocker()
			options = append(options, goose.WithSessionLocker(locker))
		}
	case "sqlite":
		store, err = database.NewStore(database.DialectSQLite3, table)
	default:
		return fmt.Errorf("migrate: unknown dialect %q", dialect)
	}
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	provider, err := goose.NewProvider("", db, files, append(options, goose.WithStore(store))...)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return again(ctx, provider, fmt.Errorf("apply migrations: %w", err))
	}
	return nil
}

// again asks once more after a failure: on SQLite another process may have
// applied the same migration at the same moment.
func again(ctx context.Context, provider *goose.Provider, first error) error {
	if ctx.Err() != nil {
		return first
	}
	if _, err := provider.Up(ctx); err != nil {
		return first
	}
	return nil
}
