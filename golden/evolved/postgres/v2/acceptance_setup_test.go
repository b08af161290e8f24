package v2_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/whgen/whgen/runtime/acceptance"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

// setup is what the acceptance test needs of you. This file was written once by
// whgen and is yours to change.
func setup(t *testing.T) acceptance.Setup[*pgxpool.Pool, acceptance.NoHandler] {
	return acceptance.Setup[*pgxpool.Pool, acceptance.NoHandler]{
		// Your own tables, on the scratch database, after those of the receiver.
		Migrate: func(ctx context.Context, db *pgxpool.Pool) error {
			return nil
		},
		// What to count: numbers that a trigger of yours changes with each event, and with nothing else.
		Count: map[string]string{
			// "orders": "SELECT count(*) FROM orders",
		},
	}
}

// TestMain ends the scratch server that the test has started.
func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
