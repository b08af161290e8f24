package evolution

import (
	"slices"
	"strings"
)

// Schema is the tables that a chain of migrations makes.
type Schema struct {
	Tables []*Table
}

// Table is one table. Names are as the engine reads them; Ident is as written.
type Table struct {
	Name    string
	Ident   string
	Text    string // CREATE TABLE as written, with the comment above it, without the semicolon
	Strict  bool   // of SQLite
	Columns []*Column
	Primary []string
	Unique  []*Unique
	Indexes []*Index // that are not unique, or are partial
}

// Column is one column.
type Column struct {
	Name    string
	Ident   string
	Type    string // lower case
	Written string // the type as written
	Collate string // as written, with its keyword
	NotNull bool
	Default string // as written, "" without
	Made    bool   // identity or generated: an insert need not give it
	Check   string // condition as written, in its parentheses
}

// filled reports whether an insert may leave the column out.
func (c *Column) filled() bool { return !c.NotNull || c.Default != "" || c.Made }

// Unique is a UNIQUE constraint or a unique index without a condition.
type Unique struct {
	Name    string // "" where the engine chooses it
	Ident   string
	Columns []string
	Idents  []string
	Index   bool // CREATE UNIQUE INDEX
	ours    bool // in a migration that whgen has written
}

// Index is any other index.
type Index struct {
	Name    string
	Ident   string
	Text    string // CREATE INDEX as written, on one line
	Columns []string
	ours    bool
}

func (s *Schema) table(name string) *Table {
	for _, t := range s.Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (t *Table) column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// unique finds a constraint over the same columns, in any order: that is what
// ON CONFLICT asks for.
func (t *Table) unique(columns []string) *Unique {
	for _, u := range t.Unique {
		if sameSet(u.Columns, columns) {
			return u
		}
	}
	if sameSet(t.Primary, columns) {
		return &Unique{Columns: t.Primary}
	}
	return nil
}

func (t *Table) index(name string) *Index {
	for _, i := range t.Indexes {
		if i.Name == name {
			return i
		}
	}
	return nil
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// typeNames are other spellings of PostgreSQL's types.
var typeNames = map[string]string{
	"int8": "bigint", "int": "integer", "int4": "integer", "bool": "boolean", "timestamp with time zone": "timestamptz",
	"decimal": "numeric", "varchar": "character varying",
}

func typeName(written string) string {
	name := strings.ToLower(written)
	if other, ok := typeNames[name]; ok {
		return other
	}
	return name
}
