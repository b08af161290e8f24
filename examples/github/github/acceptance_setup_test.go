package github_test

import (
	"database/sql"
	"testing"

	"github.com/whgen/whgen/examples/github/github"
	"github.com/whgen/whgen/runtime/acceptance"
)

// setup is what the acceptance test needs of you. This file was written once by
// whgen and is yours to change.
func setup(*testing.T) acceptance.Setup[*sql.DB, github.Handler] {
	return acceptance.Setup[*sql.DB, github.Handler]{
		Handler: github.NewHandler(),
		Count:   map[string]string{"pushes": "SELECT count(*) FROM pushes"},
		Grow:    map[string]map[string]int{"push": {"pushes": 1}},
	}
}
