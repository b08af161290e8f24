package stripe_test

import (
	"database/sql"
	"testing"

	"github.com/whgen/whgen/examples/stripe/stripe"
	"github.com/whgen/whgen/runtime/acceptance"
)

// setup is what the acceptance test needs of you. This file was written once by
// whgen and is yours to change.
func setup(*testing.T) acceptance.Setup[*sql.DB, stripe.Handler] {
	return acceptance.Setup[*sql.DB, stripe.Handler]{
		Handler: stripe.NewHandler(),
		Count:   map[string]string{"locks": "SELECT count(*) FROM seller_locks"},
		Grow:    map[string]map[string]int{"accountApplicationDeauthorized": {"locks": 1}},
	}
}
