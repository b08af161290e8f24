package names_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/whgen/whgen/golden/names/names"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
	"github.com/whgen/whgen/runtime/payload"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func setup(*testing.T) acceptance.Setup[*pgxpool.Pool, names.Handler] {
	return acceptance.Setup[*pgxpool.Pool, names.Handler]{
		Migrate: func(ctx context.Context, db *pgxpool.Pool) error {
			_, err := db.Exec(ctx, "CREATE TABLE kept (event_key TEXT NOT NULL, body JSONB NOT NULL)")
			return err
		},
		Handler: keeper{},
		Count:   map[string]string{"kept": "SELECT count(*) FROM kept"},
		Grow:    map[string]map[string]int{"orderPaid": {"kept": 1}},
	}
}

// keeper keeps what it was given, written back.
type keeper struct{}

func (keeper) OrderPaid(ctx context.Context, tx names.Tx, e whrt.Incoming[names.Words]) error {
	return keep(ctx, tx, e.Meta, payload.Append(nil, &e.Payload))
}

func (keeper) Orderpaid(ctx context.Context, tx names.Tx, e whrt.Incoming[names.Words]) error {
	return keep(ctx, tx, e.Meta, payload.Append(nil, &e.Payload))
}

func (keeper) Select(ctx context.Context, tx names.Tx, e whrt.Incoming[names.Select]) error {
	return keep(ctx, tx, e.Meta, payload.Append(nil, &e.Payload))
}

func keep(ctx context.Context, tx names.Tx, m whrt.Meta, body []byte) error {
	_, err := tx.DB.Exec(ctx, "INSERT INTO kept (event_key, body) VALUES ($1, $2)", m.Key, string(body))
	return err
}
