package evolution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// oldColumn deals with a column that is there: one of another type is refused,
// one that an insert may now leave empty loses its NOT NULL.
func (d *difference) oldColumn(old, t *Table, c *Column) {
	now := t.column(c.Name)
	if now == nil {
		d.keep(old.Name+"."+c.Name, "column-kept", d.where(t.Name, ""), "drop it with a migration of your own when nobody needs it",
			"table %q: column %q is no longer written; it stays, and new rows have no value in it", t.Name, c.Name)
	} else if d.known(c.Type) && (c.Type != now.Type || c.Check != "" && c.Check != now.Check) {
		d.report(spec.Error, d.where(t.Name, c.Name), "column-type-changed",
			"give the new column another name, or write "+d.own("change_"+c.Name, "ALTER TABLE ...")+" yourself and generate again",
			"table %q: column %q is %s in the migrations and would be %s", t.Name, c.Name, c.described(), now.described())
		return
	}
	if now == nil && c.filled() || now != nil && (now.NotNull || !c.NotNull) {
		return
	}
	if now != nil && now.Default != "" && c.Default != "" {
		return
	}
	d.loosen(old, t, c)
}

// known reports whether a type is one that whgen writes: another one is a
// person's choice, which is left alone.
func (d *difference) known(kind string) bool {
	ours := []string{"text", "bigint", "numeric", "boolean", "timestamptz", "date", "json", "bytea", "integer"}
	if d.dialect == SQLite {
		ours = []string{"text", "integer", "blob"}
	}
	return slices.Contains(ours, kind)
}

func (c *Column) described() string {
	if c.Check != "" {
		return c.Written + " CHECK " + c.Check
	}
	return c.Written
}

// loosen takes NOT NULL from a column. SQLite cannot, so there the values move
// through another column of the same name.
func (d *difference) loosen(old, t *Table, c *Column) {
	slug := "loosen_" + old.Name
	if d.dialect == Postgres {
		d.add(slug, fmt.Sprintf("-- Rows may now have no %s.\nALTER TABLE %s ALTER COLUMN %s DROP NOT NULL;", c.Name, old.Ident, c.Ident), "")
		return
	}
	if held := old.holds(c); held != "" {
		d.report(spec.Error, d.where(t.Name, c.Name), "migration-changed",
			"write the migration by hand (https://www.sqlite.org/lang_altertable.html, \"making other kinds of table schema changes\") and generate again",
			"table %q: column %q must lose its NOT NULL, which SQLite cannot do while it is part of %s", t.Name, c.Name, held)
		return
	}
	before, after := old.around(c)
	temp := ident(c.Name + "_nullable")
	check := strings.ReplaceAll(c.Check, c.Ident, temp)
	if check != "" {
		check = " CHECK " + check
	}
	lines := append([]string{"-- Rows may now have no " + c.Name + ". SQLite cannot take NOT NULL from a column, so its values move."}, before...)
	lines = append(lines,
		fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s%s;", old.Ident, temp, c.Written, check),
		fmt.Sprintf("UPDATE %s SET %s = %s;", old.Ident, temp, c.Ident),
		fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s;", old.Ident, c.Ident),
		fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s;", old.Ident, temp, c.Ident))
	d.add(slug, strings.Join(append(lines, after...), "\n"), "")
}

// holds names the constraint that keeps SQLite from dropping a column, "" without.
func (t *Table) holds(c *Column) string {
	if slices.Contains(t.Primary, c.Name) {
		return "the primary key"
	}
	for _, u := range t.Unique {
		if !u.Index && slices.Contains(u.Columns, c.Name) {
			return "UNIQUE (" + strings.Join(u.Columns, ", ") + ")"
		}
	}
	return ""
}

// around drops the indexes on a column and makes them again.
func (t *Table) around(c *Column) (before, after []string) {
	for _, u := range t.Unique {
		if slices.Contains(u.Columns, c.Name) {
			before, after = append(before, "DROP INDEX "+u.Ident+";"), append(after, u.create(t)+";")
		}
	}
	for _, i := range t.Indexes {
		if slices.Contains(i.Columns, c.Name) {
			before, after = append(before, "DROP INDEX "+i.Ident+";"), append(after, i.Text+";")
		}
	}
	return before, after
}

// ident quotes a name of ours that is made longer: it is no reserved word.
func ident(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) || r >= 'A' && r <= 'Z' }) {
		return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	}
	return name
}

// addColumn adds a column that is empty in the rows from before: NOT NULL goes
// only with a constant default. The receiver demands the value of each new event
// all the same.
func (d *difference) addColumn(t *Table, c *Column) {
	def := []string{c.Ident, c.Written}
	if c.Collate != "" {
		def = append(def, c.Collate)
	}
	comment := "-- Rows from before have no " + c.Name + "."
	switch {
	case literal(c.Default) && c.NotNull:
		def = append(def, "NOT NULL DEFAULT "+c.Default)
		comment = "-- Rows from before get " + c.Default + "."
	case literal(c.Default):
		def = append(def, "DEFAULT "+c.Default)
		comment = "-- Rows from before get " + c.Default + "."
	}
	if c.Check != "" {
		def = append(def, "CHECK "+c.Check)
	}
	d.add("add_"+c.Name+"_to_"+t.Name, fmt.Sprintf("%s\nALTER TABLE %s ADD COLUMN %s;", comment, t.Ident, strings.Join(def, " ")),
		fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s;", t.Ident, c.Ident))
}

// addUnique fails where rows have the same values already, which only the
// database knows: the warning says how to look. Where fewer columns were unique
// before, there are none.
func (d *difference) addUnique(t *Table, u *Unique, before []*Unique) {
	if u.Ident == "" {
		named := *u
		named.Ident = ident(t.Name + "_" + strings.Join(u.Columns, "_") + "_key")
		u = &named
	}
	list, up := strings.Join(u.Idents, ", "), ""
	if !implied(u, before) {
		look := fmt.Sprintf("SELECT %s, count(*) FROM %s GROUP BY %s HAVING count(*) > 1;", list, t.Ident, list)
		d.report(spec.Warning, d.where(t.Name, ""), "unique-added", "look before you apply it: "+look,
			"table %q: the migration makes (%s) unique and fails, without changing anything, where rows have the same values already", t.Name, strings.Join(u.Columns, ", "))
		up = "-- Fails where rows have the same values already; this shows them:\n-- " + look + "\n"
	}
	if d.dialect == SQLite || u.Index {
		d.add("unique_"+t.Name, up+u.create(t)+";", "DROP INDEX "+u.Ident+";")
		return
	}
	d.add("unique_"+t.Name, up+fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s UNIQUE (%s);", t.Ident, u.Ident, list),
		fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s;", t.Ident, u.Ident))
}

// implied: what is unique by some of the columns is unique by all of them.
func implied(u *Unique, before []*Unique) bool {
	return slices.ContainsFunc(before, func(b *Unique) bool {
		return !slices.ContainsFunc(b.Columns, func(c string) bool { return !slices.Contains(u.Columns, c) })
	})
}

// dropUnique takes a constraint away that the contract no longer asks for: it
// would refuse rows that are wanted.
func (d *difference) dropUnique(t *Table, u *Unique) {
	list := strings.Join(u.Columns, ", ")
	if d.dialect == SQLite && !u.Index {
		d.report(spec.Error, d.where(t.Name, ""), "migration-changed",
			"write the migration by hand (https://www.sqlite.org/lang_altertable.html, \"making other kinds of table schema changes\") and generate again",
			"table %q: the contract no longer asks for UNIQUE (%s), and SQLite cannot drop a constraint", t.Name, list)
		return
	}
	d.report(spec.Info, d.where(t.Name, ""), "unique-dropped", "", "table %q: (%s) is no longer unique; the migration drops the constraint", t.Name, list)
	if u.Index {
		d.add("free_"+t.Name, "DROP INDEX "+u.Ident+";", u.create(t)+";")
	} else {
		d.add("free_"+t.Name, fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s;", t.Ident, u.Ident),
			fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s UNIQUE (%s);", t.Ident, u.Ident, strings.Join(u.Idents, ", ")))
	}
	t.Unique = slices.DeleteFunc(slices.Clone(t.Unique), func(o *Unique) bool { return o == u })
}
