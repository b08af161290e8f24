package models_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/models/models"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*sql.DB, models.Handler] {
	return acceptance.Setup[*sql.DB, models.Handler]{
		Migrate: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE kept (event_key TEXT NOT NULL, number INTEGER NOT NULL)")
			return err
		},
		Handler: keeper{},
		Count:   map[string]string{"kept": "SELECT count(*) FROM kept"},
		Grow:    map[string]map[string]int{"orderPaid": {"kept": 1}, "orderSent": {"kept": 1}},
	}
}

// keeper keeps a number of what it was given.
type keeper struct{}

func (keeper) OrderPaid(ctx context.Context, tx models.Tx, e whrt.Incoming[models.OrderPaid]) error {
	return keep(ctx, tx, e.Meta, int64(e.Payload.Amount))
}

func (keeper) OrderSent(ctx context.Context, tx models.Tx, e whrt.Incoming[models.OrderSent]) error {
	return keep(ctx, tx, e.Meta, e.Payload.Price.Cents)
}

func keep(ctx context.Context, tx models.Tx, m whrt.Meta, number int64) error {
	_, err := tx.DB.ExecContext(ctx, "INSERT INTO kept (event_key, number) VALUES (?, ?)", m.Key, number)
	return err
}
