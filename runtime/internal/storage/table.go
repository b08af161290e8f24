package storage

import (
	"fmt"
	"slices"
	"strings"
)

// Table is what must stand in the database.
type Table struct {
	Name    string // as a statement writes it, quoted where needed
	Columns []string
	Unique  [][]string // each a UNIQUE constraint or index on exactly these columns
}

// Missing compares with what was found: names of columns, and the columns of
// every plain unique index. What it returns says what to do.
func (t Table) Missing(columns []string, unique [][]string) []string {
	var problems []string
	for _, c := range t.Columns {
		if !slices.Contains(columns, c) {
			problems = append(problems, fmt.Sprintf("table %s has no column %s: apply the migrations", t.Name, c))
		}
	}
	for _, u := range t.Unique {
		want := slices.Sorted(slices.Values(u))
		if !slices.ContainsFunc(unique, func(got []string) bool { return slices.Equal(want, slices.Sorted(slices.Values(got))) }) {
			problems = append(problems, fmt.Sprintf("table %s has no valid UNIQUE over (%s): without it an event can happen twice; restore the constraint",
				t.Name, strings.Join(u, ", ")))
		}
	}
	return problems
}

// Names lists tables for a catalogue query.
func Names(tables []Table) string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
	}
	return strings.Join(names, ",")
}

// Refuse makes one error of all problems, nil without.
func Refuse(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("the database is not ready:\n\t%s", strings.Join(problems, "\n\t"))
}
