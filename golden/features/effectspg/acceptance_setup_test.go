package effectspg_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/whgen/whgen/golden/features/effectspg"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

func setup(*testing.T) acceptance.Setup[*pgxpool.Pool, effectspg.Handler] {
	return acceptance.Setup[*pgxpool.Pool, effectspg.Handler]{
		Handler: asked{},
		Count:   map[string]string{"shouts": "SELECT count(*) FROM effects_outbox_messages WHERE effect = 'shout'"},
		Grow:    map[string]map[string]int{"asked": {"shouts": 1}},
	}
}

// asked answers with one message to each side.
type asked struct{ effectspg.UnimplementedHandler }

func (asked) Asked(_ context.Context, tx effectspg.Tx, _ whrt.Incoming[effectspg.Asked]) error {
	tx.Outbox.Note("s1", "n1", effectspg.NotePayload{Text: "heard", Count: 1})
	tx.Outbox.Shout(effectspg.ShoutPayload{Text: "heard"})
	return nil
}
