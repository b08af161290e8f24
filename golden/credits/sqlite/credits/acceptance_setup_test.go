package credits_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/credits/sqlite/credits"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*sql.DB, credits.Handler] {
	return acceptance.Setup[*sql.DB, credits.Handler]{
		Migrate: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE credits (order_id TEXT NOT NULL, amount INTEGER NOT NULL)")
			return err
		},
		Handler: creditor{},
		Count: map[string]string{
			"credits": "SELECT count(*) FROM credits",
			"amount":  "SELECT coalesce(sum(amount), 0) FROM credits",
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
	_, err = tx.DB.ExecContext(ctx, "INSERT INTO credits (order_id, amount) VALUES (?, ?)", e.Payload.Data.OrderID, amount)
	return err
}
