package generator

import (
	"slices"
	"strings"
)

// sqlView is the plan as the SQL templates read it: every clause chosen.
type sqlView struct {
	Package, Import string
	HasHandler      bool
	Bodies          bool // some event refuses a known body under a new key
	SQL             SQL
	Claims          []claimView // on PostgreSQL the first registers without record effects
	Tables          []tableView
	Dropped         []string // in the order of the down migration
	Expected        []expectedTable
}

type claimView struct {
	Query   string
	Records []recordView
	Guards  []recordView // those whose row must really be written
}

type recordView struct {
	Query    string // SQLite: its own statement
	Effect   string
	Table    string
	On       string // parameter: the effect's conditions hold
	CTE      string
	Columns  []columnView
	Order    []string // aliases of the unique columns: everyone locks in this order
	Conflict string   // ON CONFLICT clause, "" without
	Keep     bool     // no row may be written
}

type columnView struct {
	Ident string
	Alias string
	Param string // PostgreSQL: type of the parameter
	Cast  string // from the parameter's type to the column's, such as "::numeric"
}

type tableView struct {
	Ident   string
	Effects string
	Columns []tableColumnView
	Unique  []uniqueView
}

type tableColumnView struct{ Ident, Type, NotNull string }

type uniqueView struct{ SQLName, List string }

type expectedTable struct {
	Name    string // as the engine reads it, quoted where needed
	Columns []string
	Unique  [][]string
}

func viewSQL(p *Plan) sqlView {
	v := sqlView{
		Package: p.Package, Import: p.Import, HasHandler: p.HasHandler, SQL: p.SQL,
		Expected: ownTables(p.SQL),
	}
	for _, e := range p.Events {
		v.Bodies = v.Bodies || e.Spec.Replay == "refuse"
	}
	if v.Bodies {
		v.Expected[0].Columns = append(v.Expected[0].Columns, "body_sha256")
		v.Expected[0].Unique = append(v.Expected[0].Unique, []string{"body_sha256"})
	}
	if p.Engine != SQLite {
		v.Claims = append(v.Claims, claimView{Query: "RegisterEvents"})
	}
	for _, e := range p.Events {
		if len(e.Records) > 0 {
			v.Claims = append(v.Claims, viewClaim(e))
		}
	}
	for _, t := range p.SQL.Tables {
		v.Tables = append(v.Tables, viewTable(p, t))
		v.Expected = append(v.Expected, expectTable(t))
		v.Dropped = append(v.Dropped, t.Ident)
	}
	slices.Reverse(v.Dropped)
	v.Dropped = append(v.Dropped, p.SQL.Messages, p.SQL.Payloads, p.SQL.Failures, p.SQL.Conflicts, p.SQL.Events)
	return v
}

func viewClaim(e *Event) claimView {
	c := claimView{Query: e.Query}
	for _, r := range e.Records {
		view := viewRecord(e, r)
		c.Records = append(c.Records, view)
		if !view.Keep {
			c.Guards = append(c.Guards, view)
		}
	}
	return c
}

func viewRecord(e *Event, r *Record) recordView {
	v := recordView{
		Query: recordQuery(e, r), Effect: r.Spec.Name, Table: r.Table.Ident,
		On: shorten("on_" + r.SQLName), CTE: shorten("w_" + r.SQLName + "_effect"),
	}
	for _, c := range r.Columns {
		kind := postgresTypes[c.Column.Type]
		v.Columns = append(v.Columns, columnView{
			Ident: c.Column.Ident, Alias: shorten("in_" + c.Param), Param: kind.param, Cast: kind.cast,
		})
	}
	v.Conflict, v.Keep = onConflict(r)
	if r.Unique != nil {
		for i, c := range r.Columns {
			if slices.Contains(r.Unique.Columns, c.Column.Ident) && c.Column.Type != "json" {
				v.Order = append(v.Order, v.Columns[i].Alias)
			}
		}
	}
	return v
}

// recordQuery names the statement of one record effect on SQLite.
func recordQuery(e *Event, r *Record) string { return e.Query + "_" + r.GoName }

// onConflict is the clause of `keep` and `update`, and whether the row may stay
// unwritten. An update of nothing but the unique columns changes nothing: keep.
func onConflict(r *Record) (clause string, keep bool) {
	if r.Unique == nil || r.Spec.OnConflict != "keep" && r.Spec.OnConflict != "update" {
		return "", false
	}
	target := "ON CONFLICT (" + strings.Join(r.Unique.Columns, ", ") + ") "
	var set []string
	for _, c := range r.Columns {
		if id := c.Column.Ident; !slices.Contains(r.Unique.Columns, id) {
			set = append(set, id+" = excluded."+id)
		}
	}
	if r.Spec.OnConflict == "keep" || len(set) == 0 {
		return target + "DO NOTHING", true
	}
	return target + "DO UPDATE SET " + strings.Join(set, ", "), false
}

func viewTable(p *Plan, t *Table) tableView {
	v := tableView{Ident: t.Ident}
	var effects []string
	for _, e := range p.Events {
		for _, r := range e.Records {
			if r.Table == t && !slices.Contains(effects, r.Spec.Name) {
				effects = append(effects, r.Spec.Name)
			}
		}
	}
	v.Effects = strings.Join(effects, ", ")
	for _, c := range t.Columns {
		kind := postgresTypes[c.Type].column
		if p.Engine == SQLite {
			kind = sqliteTypes[c.Type]
		}
		if c.Type == "boolean" && p.Engine == SQLite {
			kind += " CHECK (" + c.Ident + " IN (0, 1))"
		}
		column := tableColumnView{Ident: c.Ident, Type: kind}
		if !c.Nullable {
			column.NotNull = " NOT NULL"
		}
		v.Columns = append(v.Columns, column)
	}
	for _, u := range t.Unique {
		v.Unique = append(v.Unique, uniqueView{SQLName: u.SQLName, List: strings.Join(u.Columns, ", ")})
	}
	return v
}

// postgresTypes: json, not jsonb, keeps what the sender wrote and refuses
// neither \u0000 nor a lone surrogate, which would fail an event for ever.
var postgresTypes = map[string]struct{ column, param, cast string }{
	"text":      {"text", "text", ""},
	"integer":   {"bigint", "bigint", ""},
	"numeric":   {"numeric", "text", "::numeric"},
	"boolean":   {"boolean", "boolean", ""},
	"timestamp": {"timestamptz", "timestamptz", ""},
	"date":      {"date", "text", "::date"},
	"json":      {"json", "text", "::json"},
	"bytes":     {"bytea", "bytea", ""},
}

var sqliteTypes = map[string]string{
	"text": "TEXT", "integer": "INTEGER", "numeric": "TEXT", "boolean": "INTEGER",
	"timestamp": "TEXT", "date": "TEXT", "json": "TEXT", "bytes": "BLOB",
}

// ownTables is what Verify expects of the package's own tables.
func ownTables(s SQL) []expectedTable {
	return []expectedTable{
		{s.Events, strings.Fields("event_key event_type payload_sha256 status reason response_status response_content_type response_body received_at"),
			[][]string{{"event_key"}}},
		{s.Conflicts, strings.Fields("event_key payload_sha256 deliveries first_at last_at"), [][]string{{"event_key", "payload_sha256"}}},
		{s.Failures, strings.Fields("event_key event_type payload_sha256 attempts last_error first_at last_at"), [][]string{{"event_key"}}},
		{s.Payloads, strings.Fields("event_key content_type body stored_at"), [][]string{{"event_key"}}},
		{s.Messages, strings.Fields("id event_key effect element idempotency_key target payload status attempts interrupted first_attempt_at due_at last_error created_at done_at"),
			[][]string{{"event_key", "effect", "element"}}},
	}
}

func expectTable(t *Table) expectedTable {
	v := expectedTable{Name: t.Ident, Columns: slices.Clone(ownColumns), Unique: [][]string{ownColumns}}
	for _, c := range t.Columns {
		v.Columns = append(v.Columns, c.SQLName)
	}
	for _, u := range t.Unique {
		var columns []string
		for _, c := range u.Columns {
			columns = append(columns, strings.Trim(c, `"`))
		}
		v.Unique = append(v.Unique, columns)
	}
	return v
}
