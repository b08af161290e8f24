package schemes_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/schemes/schemes"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

// diary notes each thing in a table of its own.
type diary struct{}

func (diary) Thing(ctx context.Context, tx schemes.Tx, e whrt.Incoming[schemes.Thing]) error {
	_, err := tx.DB.ExecContext(ctx, "INSERT INTO things (id) VALUES (?1)", e.Payload.ID)
	return err
}

func setup(t *testing.T) acceptance.Setup[*sql.DB, schemes.Handler] {
	return acceptance.Setup[*sql.DB, schemes.Handler]{
		Migrate: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE things (id TEXT NOT NULL)")
			return err
		},
		Handler: diary{},
		Count:   map[string]string{"things": "SELECT count(*) FROM things"},
		Grow:    map[string]map[string]int{"thing": {"things": 1}},
	}
}
