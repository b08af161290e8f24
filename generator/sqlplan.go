package generator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// ownColumns stand in every record table.
var ownColumns = []string{"event_key", "effect", "element"}

// tables names the package's own tables and merges the record effects into theirs.
func (b *planner) tables() {
	r := b.contract.Receiver
	prefix := r.TablePrefix
	if prefix == "" && !r.PrefixSet {
		prefix = b.contract.Source + "_"
	}
	if len(prefix) > 40 {
		b.report(r.Pos, "table-prefix", fmt.Sprintf("table prefix %q has %d bytes, and 40 are allowed", prefix, len(prefix)),
			"set tablePrefix in whgen.yaml to a shorter one")
	}
	b.plan.SQL = SQL{
		Prefix: prefix, Events: prefix + "inbox_events", Conflicts: prefix + "inbox_conflicts",
		Failures: prefix + "inbox_failures", Payloads: prefix + "inbox_payloads", Messages: prefix + "outbox_messages",
	}
	own := []string{b.plan.SQL.Events, b.plan.SQL.Conflicts, b.plan.SQL.Failures, b.plan.SQL.Payloads, b.plan.SQL.Messages, prefix + "schema_versions"}
	byName := map[string]*Table{}
	for _, event := range b.contract.Events {
		for _, e := range event.Effects {
			if e.Kind != spec.EffectRecord {
				continue
			}
			if slices.Contains(own, e.Table) {
				b.report(e.Pos, "table-name", fmt.Sprintf("effect %q: table %q is the receiver's own", e.Name, e.Table), "choose another name")
			}
			b.merge(byName, e)
		}
	}
	for _, t := range byName {
		b.plan.SQL.Tables = append(b.plan.SQL.Tables, t)
	}
	slices.SortFunc(b.plan.SQL.Tables, func(a, b *Table) int { return cmp.Compare(a.SQLName, b.SQLName) })
	b.nullable()
}

func (b *planner) merge(byName map[string]*Table, e *spec.Effect) {
	t := byName[e.Table]
	if t == nil {
		t = &Table{SQLName: e.Table, Ident: ident(e.Table)}
		byName[e.Table] = t
	}
	for _, c := range e.Columns {
		if slices.Contains(ownColumns, c.Name) {
			b.report(c.Pos, "column-name", fmt.Sprintf("effect %q: column %q is the receiver's own", e.Name, c.Name), "choose another name")
		}
		known := t.column(c.Name)
		if known == nil {
			t.Columns = append(t.Columns, &TableColumn{SQLName: c.Name, Ident: ident(c.Name), Type: c.Type})
			continue
		}
		if known.Type != c.Type {
			b.report(c.Pos, "column-type", fmt.Sprintf("effect %q: column %q of table %q is %s here and %s elsewhere",
				e.Name, c.Name, e.Table, c.Type, known.Type), "give both the same type")
		}
	}
	if len(e.Unique) > 0 {
		t.unique(e.Unique, b.plan.Engine)
	}
}

// nullable makes columns nullable that some effect leaves out or may not have.
func (b *planner) nullable() {
	for _, event := range b.contract.Events {
		for _, e := range event.Effects {
			if e.Kind != spec.EffectRecord {
				continue
			}
			for _, c := range b.table(e.Table).Columns {
				i := slices.IndexFunc(e.Columns, func(own spec.Column) bool { return own.Name == c.SQLName })
				if i < 0 || e.Columns[i].Nullable {
					c.Nullable = true
				}
			}
		}
	}
}

func (b *planner) table(name string) *Table {
	i := slices.IndexFunc(b.plan.SQL.Tables, func(t *Table) bool { return t.SQLName == name })
	return b.plan.SQL.Tables[i]
}

func (t *Table) column(name string) *TableColumn {
	for _, c := range t.Columns {
		if c.SQLName == name {
			return c
		}
	}
	return nil
}

// unique adds a constraint, or finds it where another effect declares the same.
func (t *Table) unique(columns []string, engine Engine) *UniqueKey {
	key := &UniqueKey{SQLName: shorten(t.SQLName + "_" + strings.Join(columns, "_") + "_key")}
	var qualified []string
	for _, c := range columns {
		key.Columns = append(key.Columns, ident(c))
		qualified = append(qualified, t.SQLName+"."+c)
	}
	for _, known := range t.Unique {
		if slices.Equal(known.Columns, key.Columns) {
			return known
		}
	}
	for i := 2; slices.ContainsFunc(t.Unique, func(u *UniqueKey) bool { return u.SQLName == key.SQLName }); i++ {
		key.SQLName = shorten(fmt.Sprintf("%s_%s_key%d", t.SQLName, strings.Join(columns, "_"), i))
	}
	key.Error = key.SQLName
	if engine == SQLite {
		key.Error = strings.Join(qualified, ", ")
	}
	t.Unique = append(t.Unique, key)
	return key
}

// records plans the record effects of one event.
func (b *planner) records(event *Event) {
	names, params, goNames := newScope(), newScope(), newScope()
	for _, e := range event.Spec.Effects {
		if e.Kind != spec.EffectRecord {
			continue
		}
		t := b.table(e.Table)
		record := &Record{Spec: e, Index: len(event.Records), Table: t,
			SQLName: sqlTake(names, snake(e.Name), e.Name), GoName: goNames.take(goName(e.Name), e.Name)}
		if len(e.Unique) > 0 {
			record.Unique = t.unique(e.Unique, b.plan.Engine)
		}
		for i, c := range e.Columns {
			record.Columns = append(record.Columns, &RecordColumn{
				Spec: c, Column: t.column(c.Name), Index: i,
				Param: sqlTake(params, record.SQLName+"_"+c.Name, e.Name+"/"+c.Name),
			})
		}
		record.Meets = record.meets()
		event.Records = append(event.Records, record)
	}
}

// meets finds the unique constraints of the table whose columns this effect
// fills all: there its row can meet another event's.
func (r *Record) meets() [][]int {
	var all [][]int
	for _, u := range r.Table.Unique {
		var one []int
		for _, want := range u.Columns {
			if i := slices.IndexFunc(r.Columns, func(c *RecordColumn) bool { return c.Column.Ident == want }); i >= 0 {
				one = append(one, i)
			}
		}
		if len(one) == len(u.Columns) {
			all = append(all, one)
		}
	}
	return all
}

// sqlTake gives a name that is unique in SQL and in the Go that sqlc makes of it,
// where underscores and case go: a_b and a__b are both AB.
func sqlTake(s *scope, wish, origin string) string {
	folded := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	name := shorten(wish)
	for salt := origin; s.taken[folded(name)]; salt += "'" {
		name = shorten(wish + "x" + hash4(salt))
	}
	s.taken[folded(name)] = true
	return strings.ToLower(name)
}
