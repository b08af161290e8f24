package builds_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/whgen/whgen/golden/replays/pgx/builds"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*pgxpool.Pool, builds.Handler] {
	return acceptance.Setup[*pgxpool.Pool, builds.Handler]{
		Migrate: func(ctx context.Context, db *pgxpool.Pool) error {
			_, err := db.Exec(ctx, "CREATE TABLE removals (number BIGINT NOT NULL)")
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
	_, err = tx.DB.Exec(ctx, "INSERT INTO removals (number) VALUES ($1)", number)
	return err
}
