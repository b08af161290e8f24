package adyen

import (
	"context"
	"fmt"

	whrt "github.com/whgen/whgen/runtime"
)

// userHandler does what the contract does not declare. This file was written
// once by whgen and is yours to change.
type userHandler struct {
	UnimplementedHandler // answers `failed` for events that are added to the contract
}

// NewHandler makes the handler of this package's events.
func NewHandler() Handler { return &userHandler{} }

// Capture adds what was taken of a payment to its sum. An event that was counted
// twice would be wrong money; it runs inside the transaction that claims the event.
func (h *userHandler) Capture(ctx context.Context, tx Tx, e whrt.Incoming[Item]) error {
	item := e.Payload
	if item.Success != ItemSuccessTrue {
		return nil // the row of the inbox is all there is to say
	}
	if item.OriginalReference == nil {
		return whrt.Reject("a capture names no payment")
	}
	amount, err := item.Amount.Value.Int64()
	if err != nil {
		return whrt.Reject("the amount is no whole number")
	}
	_, err = tx.DB.ExecContext(ctx, `INSERT INTO captured (payment, minor_units) VALUES (?, ?)
		ON CONFLICT (payment) DO UPDATE SET minor_units = minor_units + excluded.minor_units`, *item.OriginalReference, amount)
	if err != nil {
		return fmt.Errorf("add a capture: %w", err)
	}
	return nil
}
