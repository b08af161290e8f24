package envelope_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/runtime/acceptance"
)

// setup is what the acceptance test needs of you. This file was written once by
// whgen and is yours to change.
func setup(t *testing.T) acceptance.Setup[*sql.DB, acceptance.NoHandler] {
	return acceptance.Setup[*sql.DB, acceptance.NoHandler]{
		// Your own tables, on the scratch database, after those of the receiver.
		Migrate: func(ctx context.Context, db *sql.DB) error {
			return nil
		},
		// What to count: numbers that a trigger of yours changes with each event, and with nothing else.
		Count: map[string]string{
			// "orders": "SELECT count(*) FROM orders",
		},
	}
}
