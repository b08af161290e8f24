package slack_test

import (
	"database/sql"
	"testing"

	"github.com/whgen/whgen/runtime/acceptance"
)

// setup is what the acceptance test needs of you. This file was written once by
// whgen and is yours to change. There is no handler, and no table of ours.
func setup(*testing.T) acceptance.Setup[*sql.DB, acceptance.NoHandler] {
	return acceptance.Setup[*sql.DB, acceptance.NoHandler]{}
}
