package raw_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/bodies/raw"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*sql.DB, raw.Handler] {
	return acceptance.Setup[*sql.DB, raw.Handler]{
		Migrate: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE kept (event_key TEXT NOT NULL, body BLOB NOT NULL) STRICT")
			return err
		},
		Handler: keeper{},
		Count:   map[string]string{"kept": "SELECT count(*) FROM kept"},
		Grow:    map[string]map[string]int{"reported": {"kept": 1}},
	}
}

// keeper keeps what it was given.
type keeper struct{}

func (keeper) Reported(ctx context.Context, tx raw.Tx, e whrt.Incoming[[]byte]) error {
	_, err := tx.DB.ExecContext(ctx, "INSERT INTO kept (event_key, body) VALUES (?1, ?2)", e.Meta.Key, e.Payload)
	return err
}
