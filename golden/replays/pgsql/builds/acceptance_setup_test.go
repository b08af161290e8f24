package builds_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/replays/pgsql/builds"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*sql.DB, builds.Handler] {
	return acceptance.Setup[*sql.DB, builds.Handler]{
		Migrate: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE removals (number BIGINT NOT NULL)")
			return err
		},
		Handler: remover{},
		Count:   map[string]string{"removals": "SELECT count(*) FROM removals"},
		Grow:    map[string]map[string]int{"removed": {"removals": 1}},
	}
}

// remover notes what was removed.
type remover struct{ builds.UnimplementedHandler }

func (remover) Removed(ctx context.Context, tx builds.Tx, e whrt.Incoming[builds.Removed]) error {
	number, err := e.Payload.Number.Int64()
	if err != nil {
		return err
	}
	_, err = tx.DB.ExecContext(ctx, "INSERT INTO removals (number) VALUES ($1)", number)
	return err
}
