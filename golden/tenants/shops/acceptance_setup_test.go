package shops_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/tenants/shops"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*sql.DB, shops.Handler] {
	return acceptance.Setup[*sql.DB, shops.Handler]{
		Migrate: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE turnover (shop TEXT NOT NULL)")
			return err
		},
		Handler: bookkeeper{},
		Count:   map[string]string{"turnover": "SELECT count(*) FROM turnover WHERE shop = 'acme'"},
		Grow:    map[string]map[string]int{"order": {"turnover": 1}},
	}
}

// bookkeeper notes for which shop an order was.
type bookkeeper struct{ shops.UnimplementedHandler }

func (bookkeeper) Order(ctx context.Context, tx shops.Tx, e whrt.Incoming[shops.Order]) error {
	_, err := tx.DB.ExecContext(ctx, "INSERT INTO turnover (shop) VALUES (?)", e.Meta.Tenant)
	return err
}
