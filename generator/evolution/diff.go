package evolution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// Dialect is the language that migrations are written in.
type Dialect string

// The dialects.
const (
	Postgres Dialect = "postgres"
	SQLite   Dialect = "sqlite"
)

// Where says which place of the contract asks for a table or a column; a column
// of "" is the table.
type Where func(table, column string) spec.Pos

// difference collects the statements from one schema to another.
type difference struct {
	dialect Dialect
	from    *Schema
	to      *Schema
	where   Where
	folder  string          // of the migrations, for hints
	next    int             // number of the migration
	left    map[string]bool // tables and columns that an earlier run has left behind
	up      []string
	down    []string // in the order of up
	slugs   []string
	kept    []string
	found   spec.Diagnostics
}

func (d *difference) add(slug, up, down string) {
	d.slugs = append(d.slugs, slug)
	d.up = append(d.up, up)
	if down != "" {
		d.down = append(d.down, down)
	}
}

func (d *difference) report(s spec.Severity, at spec.Pos, rule, hint, format string, args ...any) {
	d.found = append(d.found, spec.Diagnostic{Pos: at, Severity: s, Rule: rule, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

// own says that the next migration of this name would be somebody's.
func (d *difference) own(slug, statement string) string {
	return fmt.Sprintf("%s/%05d_%s.sql with \"%s\"", d.folder, d.next, slug, statement)
}

func (d *difference) run() {
	for _, t := range d.to.Tables {
		old := d.from.table(t.Name)
		if old == nil {
			d.newTable(t)
			continue
		}
		d.table(old, t)
	}
	for _, old := range d.from.Tables {
		if d.to.table(old.Name) == nil && old.records() {
			d.keep(old.Name, "table-kept", d.where("", ""), "drop it with a migration of your own when nobody needs its rows",
				"table %q is no longer written; it stays with its rows", old.Name)
		}
	}
	slices.Sort(d.kept)
}

// records reports whether a table is of record effects.
func (t *Table) records() bool {
	return t.column("event_key") != nil && t.column("effect") != nil && t.column("element") != nil
}

// keep notes what stays although the contract does not need it, and says so once.
func (d *difference) keep(name, rule string, at spec.Pos, hint, format string, args ...any) {
	d.kept = append(d.kept, name)
	if !d.left[name] {
		d.report(spec.Info, at, rule, hint, format, args...)
	}
}

func (d *difference) newTable(t *Table) {
	for _, old := range d.from.Tables {
		if d.to.table(old.Name) == nil && !d.left[old.Name] && old.records() && t.records() && sameColumns(old, t) {
			d.report(spec.Error, d.where(t.Name, ""), "table-renamed",
				"to rename it write "+d.own("rename_"+t.Name, fmt.Sprintf("ALTER TABLE %s RENAME TO %s;", old.Ident, t.Ident))+
					" and generate again; if it is another table, generate once without it, then add it",
				"table %q is new and table %q, which has the same columns, is gone: its rows would stay behind", t.Name, old.Name)
			return
		}
	}
	d.add("add_"+t.Name, t.Text+";", "DROP TABLE "+t.Ident+";")
	for _, u := range t.Unique {
		if u.Index {
			d.add("", u.create(t)+";", "")
		}
	}
	for _, i := range t.Indexes {
		d.add("", i.Text+";", "")
	}
}

func sameColumns(a, b *Table) bool {
	if len(a.Columns) != len(b.Columns) {
		return false
	}
	for _, c := range a.Columns {
		if o := b.column(c.Name); o == nil || o.Type != c.Type {
			return false
		}
	}
	return true
}

func (u *Unique) create(t *Table) string {
	return fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s (%s)", u.Ident, t.Ident, strings.Join(u.Idents, ", "))
}

// table brings one table up to date: constraints that would refuse rows go first.
func (d *difference) table(old, t *Table) {
	if t.records() && !old.records() {
		d.report(spec.Error, d.where(t.Name, ""), "migration-changed", "choose another table for the record effect",
			"table %q is made by a migration already, and not for record effects: it has no event_key, effect and element", t.Name)
		return
	}
	if !sameSet(old.Primary, t.Primary) {
		d.report(spec.Error, d.where(t.Name, ""), "migration-changed", "write the migration by hand, then generate again",
			"table %q: its primary key was (%s) and would be (%s)", t.Name, strings.Join(old.Primary, ", "), strings.Join(t.Primary, ", "))
		return
	}
	if d.renamed(old, t) {
		return
	}
	before := slices.Clone(old.Unique)
	for _, u := range old.Unique {
		if u.ours && u.Name != "" && t.unique(u.Columns) == nil {
			d.dropUnique(old, u)
		}
	}
	for _, c := range old.Columns {
		d.oldColumn(old, t, c)
	}
	for _, c := range t.Columns {
		if old.column(c.Name) == nil {
			d.addColumn(t, c)
		}
	}
	for _, u := range t.Unique {
		if old.unique(u.Columns) == nil {
			d.addUnique(t, u, before)
		}
	}
	for _, i := range t.Indexes {
		d.index(old, i)
	}
}

// index adds an index, or replaces one of ours that has another definition.
func (d *difference) index(old *Table, i *Index) {
	was := old.index(i.Name)
	switch {
	case was == nil:
		d.add("add_index_"+i.Name, i.Text+";", "DROP INDEX "+i.Ident+";")
	case was.ours && !strings.EqualFold(was.Text, i.Text):
		d.add("change_index_"+i.Name, "DROP INDEX "+i.Ident+";\n"+i.Text+";", "DROP INDEX "+i.Ident+";\n"+was.Text+";")
	}
}

// renamed refuses what looks like a column with a new name: as a new column it
// would be empty in every row from before.
func (d *difference) renamed(old, t *Table) bool {
	refused := false
	for _, c := range t.Columns {
		if old.column(c.Name) != nil {
			continue
		}
		for _, was := range old.Columns {
			if t.column(was.Name) != nil || was.Type != c.Type || d.left[old.Name+"."+was.Name] || was.Made {
				continue
			}
			d.report(spec.Error, d.where(t.Name, c.Name), "column-renamed",
				"to rename it write "+d.own("rename_"+c.Name, fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s;", old.Ident, was.Ident, c.Ident))+
					" and generate again; if they are two facts, generate once without the new column, then add it",
				"table %q: column %q is new and column %q of the same type is gone: under a new name the rows from before would have no value", t.Name, c.Name, was.Name)
			refused = true
			break
		}
	}
	return refused
}
