package models_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/models/models"
	"github.com/whgen/whgen/runtime/acceptance"
)

// setup is what the acceptance test needs of you. This file was written once by
// whgen and is yours to change.
func setup(t *testing.T) acceptance.Setup[*sql.DB, models.Handler] {
	return acceptance.Setup[*sql.DB, models.Handler]{
		// Your own tables, on the scratch database, after those of the receiver.
		Migrate: func(ctx context.Context, db *sql.DB) error {
			return nil
		},
		// Your handler: the test really calls it, so it is red until the handler works.
		Handler: models.UnimplementedHandler{}, // replace
		// What to count: numbers that your handler changes with each event, and with nothing else.
		Count: map[string]string{
			// "orders": "SELECT count(*) FROM orders",
		},
	}
}
