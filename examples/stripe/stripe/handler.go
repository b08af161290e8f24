package stripe

import (
	"context"
	"fmt"
	"time"

	whrt "github.com/whgen/whgen/runtime"
)

// userHandler does what the contract does not declare. This file was written
// once by whgen and is yours to change.
type userHandler struct {
	UnimplementedHandler // answers `failed` for events that are added to the contract
}

// NewHandler makes the handler of this package's events.
func NewHandler() Handler { return &userHandler{} }

// AccountApplicationDeauthorized locks the shop of a seller whose account is out
// of our reach, from the moment that Stripe names. It runs inside the transaction
// that claims the event.
func (h *userHandler) AccountApplicationDeauthorized(ctx context.Context, tx Tx, e whrt.Incoming[Deauthorized]) error {
	created, err := e.Payload.Created.Int64()
	if err != nil {
		return whrt.Reject("created is not a time in whole seconds")
	}
	_, err = tx.DB.ExecContext(ctx, "INSERT INTO seller_locks (event_key, seller, locked_at) VALUES (?, ?, ?)",
		e.Meta.Key, e.Payload.Account, time.Unix(created, 0).UTC().Format(time.RFC3339))
	if err != nil {
		return fmt.Errorf("lock a seller: %w", err)
	}
	return nil
}
