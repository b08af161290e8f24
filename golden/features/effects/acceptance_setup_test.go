package effects_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/golden/features/effects"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*sql.DB, effects.Handler] {
	return acceptance.Setup[*sql.DB, effects.Handler]{
		Handler: asked{},
		Count:   map[string]string{"shouts": "SELECT count(*) FROM effects_outbox_messages WHERE effect = 'shout'"},
		Grow:    map[string]map[string]int{"asked": {"shouts": 1}},
	}
}

// asked answers with one message to each side.
type asked struct{ effects.UnimplementedHandler }

func (asked) Asked(_ context.Context, tx effects.Tx, _ whrt.Incoming[effects.Asked]) error {
	tx.Outbox.Note("s1", "n1", effects.NotePayload{Text: "heard", Count: 1})
	tx.Outbox.Shout(effects.ShoutPayload{Text: "heard"})
	return nil
}
