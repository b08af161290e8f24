package adyen_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/whgen/whgen/examples/adyen/adyen"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance"
)

// setup is what the acceptance test needs of you. This file was written once by
// whgen and is yours to change.
func setup(*testing.T) acceptance.Setup[*sql.DB, adyen.Handler] {
	return acceptance.Setup[*sql.DB, adyen.Handler]{
		Handler: succeeding{adyen.NewHandler()},
		Count:   map[string]string{"captured": "SELECT coalesce(sum(minor_units), 0) FROM captured"},
		Grow:    map[string]map[string]int{"capture": {"captured": 1}}, // the sample takes 1
	}
}

// succeeding names the payment of a capture, which the least that the schema
// asks for does not.
type succeeding struct{ adyen.Handler }

func (s succeeding) Capture(ctx context.Context, tx adyen.Tx, e whrt.Incoming[adyen.Item]) error {
	payment := "payment-1"
	e.Payload.OriginalReference = &payment
	return s.Handler.Capture(ctx, tx, e)
}
