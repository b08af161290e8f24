package meters_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/batches/meters"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*sql.DB, meters.Handler] {
	return acceptance.Setup[*sql.DB, meters.Handler]{
		Migrate: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE replacements (meter TEXT NOT NULL)")
			return err
		},
		Handler: replacer{},
		Count:   map[string]string{"replacements": "SELECT count(*) FROM replacements"},
		Grow:    map[string]map[string]int{"replaced": {"replacements": 1}},
	}
}

// replacer notes the new meter.
type replacer struct{ meters.UnimplementedHandler }

func (replacer) Replaced(ctx context.Context, tx meters.Tx, e whrt.Incoming[meters.Replaced]) error {
	_, err := tx.DB.ExecContext(ctx, "INSERT INTO replacements (meter) VALUES (?)", e.Payload.Meter)
	return err
}
