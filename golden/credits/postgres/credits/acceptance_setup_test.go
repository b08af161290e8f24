package credits_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/whgen/whgen/golden/credits/postgres/credits"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func setup(*testing.T) acceptance.Setup[*pgxpool.Pool, credits.Handler] {
	return acceptance.Setup[*pgxpool.Pool, credits.Handler]{
		Migrate: func(ctx context.Context, db *pgxpool.Pool) error {
			_, err := db.Exec(ctx, "CREATE TABLE credits (order_id TEXT NOT NULL, amount BIGINT NOT NULL)")
			return err
		},
		Handler: creditor{},
		Count: map[string]string{
			"credits": "SELECT count(*) FROM credits",
			"amount":  "SELECT coalesce(sum(amount), 0)::bigint FROM credits",
		},
		Grow: map[string]map[string]int{"orderPaid": {"credits": 1, "amount": 100}},
	}
}

// creditor credits what was paid, without a constraint that would hide a second time.
type creditor struct{ credits.UnimplementedHandler }

func (creditor) OrderPaid(ctx context.Context, tx credits.Tx, e whrt.Incoming[credits.OrderPaid]) error {
	amount, err := e.Payload.Data.Amount.Int64()
	if err != nil {
		return err
	}
	_, err = tx.DB.Exec(ctx, "INSERT INTO credits (order_id, amount) VALUES ($1, $2)", e.Payload.Data.OrderID, amount)
	return err
}
