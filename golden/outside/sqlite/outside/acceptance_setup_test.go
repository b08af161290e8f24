package outside_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/outside/sqlite/outside"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*sql.DB, outside.Handler] {
	return acceptance.Setup[*sql.DB, outside.Handler]{
		Migrate: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE notes (text TEXT NOT NULL)")
			return err
		},
		Handler: noter{},
		Count:   map[string]string{"notes": "SELECT count(*) FROM notes"}, // grows by what the first event adds
	}
}

// noter keeps a note twice and sends a reply.
type noter struct{ outside.UnimplementedHandler }

func (noter) OrderNoted(ctx context.Context, tx outside.Tx, e whrt.Incoming[outside.Order]) error {
	for range 2 {
		if _, err := tx.DB.ExecContext(ctx, "INSERT INTO notes (text) VALUES (?)", e.Payload.Note); err != nil {
			return err
		}
	}
	tx.Outbox.Reply(outside.ReplyPayload{Text: "noted"})
	return nil
}
