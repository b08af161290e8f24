package generator

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

// oddPlan is a plan with what makes SQL hard: every column type, a table that
// two effects share, reserved words, each conflict policy, names that would meet
// without their prefixes, and an event without record effects.
func oddPlan(engine Engine) *Plan {
	col := func(name, kind string, nullable bool) *TableColumn {
		return &TableColumn{SQLName: name, Ident: ident(name), Type: kind, Nullable: nullable}
	}
	orders := &Table{SQLName: "local_orders", Ident: "local_orders", Columns: []*TableColumn{
		col("external_order_id", "text", false), col("total_cents", "integer", true), col("price", "numeric", true),
		col("paid", "boolean", true), col("placed_at", "timestamp", true), col("day", "date", true),
		col("raw", "json", true), col("blob", "bytes", true), col("on", "text", true),
	}}
	key := &UniqueKey{SQLName: "local_orders_external_order_id_key", Columns: []string{"external_order_id"}, Error: "local_orders_external_order_id_key"}
	if engine == SQLite {
		key.Error = "local_orders.external_order_id"
	}
	orders.Unique = []*UniqueKey{key}
	order := &Table{SQLName: "order", Ident: ident("order"), Columns: []*TableColumn{col("group", "text", false), col("seq", "integer", true)}}
	pair := &UniqueKey{SQLName: "order_group_seq_key", Columns: []string{ident("group"), "seq"}, Error: "order_group_seq_key"}
	order.Unique = []*UniqueKey{pair}

	record := func(e string, index int, t *Table, conflict string, u *UniqueKey, columns ...int) *Record {
		r := &Record{Index: index, Table: t, Unique: u, SQLName: snake(e), GoName: goName(e),
			Spec: &spec.Effect{Name: e, Kind: spec.EffectRecord, OnConflict: conflict}}
		for i, c := range columns {
			r.Columns = append(r.Columns, &RecordColumn{Column: t.Columns[c], Index: i, Param: r.SQLName + "_" + t.Columns[c].SQLName})
		}
		return r
	}
	return &Plan{
		Package: "shop", Out: "shop", Import: "example.com/app/shop", Engine: engine, Source: "shop", HasHandler: true,
		SQL: SQL{Prefix: "shop_", Events: "shop_inbox_events", Conflicts: "shop_inbox_conflicts", Failures: "shop_inbox_failures",
			Payloads: "shop_inbox_payloads", Messages: "shop_outbox_messages", Tables: []*Table{orders, order}},
		Events: []*Event{
			{Spec: &spec.Event{Name: "ping"}, GoName: "Ping", Query: "RegisterEvents"},
			{Spec: &spec.Event{Name: "created"}, Index: 1, GoName: "Created", Query: "DeliverCreated", Records: []*Record{
				record("order", 0, orders, "reject", key, 0, 1, 2, 3, 4, 5, 6, 7, 8),
				record("event", 1, order, "keep", pair, 0, 1),
			}},
			{Spec: &spec.Event{Name: "updated"}, Index: 2, GoName: "Updated", Query: "DeliverUpdated", Records: []*Record{
				record("order", 0, orders, "update", key, 0, 1),
				record("order_on", 1, orders, "fail", key, 0, 8),
				record("log", 2, order, "", nil, 0),
			}},
		},
	}
}

func TestStorageFilesAreCompleteAndParse(t *testing.T) {
	want := map[Engine]int{SQLite: 7, PostgresPgx: 9, PostgresSQL: 9}
	for engine, n := range want {
		files, err := storageFiles(oddPlan(engine))
		if err != nil {
			t.Fatalf("%s: %v", engine, err)
		}
		if len(files) != n {
			t.Errorf("%s: got %d files, want %d", engine, len(files), n)
		}
		for _, f := range files {
			if !strings.HasPrefix(f.Path, "shop/") {
				t.Errorf("%s: %s is outside of the package", engine, f.Path)
			}
			if got, want := f.Append, strings.Contains(f.Path, "/migrations/"); got != want {
				t.Errorf("%s: %s: append %v, want %v", engine, f.Path, got, want)
			}
			if !strings.HasSuffix(f.Path, ".go") {
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, 0); err != nil {
				t.Errorf("%s: %s does not parse: %v", engine, f.Path, err)
			}
		}
	}
}

func TestConflictPolicies(t *testing.T) {
	files, err := sqlFiles(oddPlan(PostgresPgx))
	if err != nil {
		t.Fatal(err)
	}
	var sql string
	for _, f := range files {
		if strings.HasSuffix(f.Path, "queries/register.sql") {
			sql = string(f.Data)
		}
	}
	for clause, want := range map[string]int{
		`ON CONFLICT ("group", seq) DO NOTHING`:                                            1,
		`ON CONFLICT (external_order_id) DO UPDATE SET total_cents = excluded.total_cents`: 1,
		"ON CONFLICT (external_order_id)":                                                  1, // reject and fail have no clause
		"ON CONFLICT (event_key) DO NOTHING":                                               3, // the claim alone
		`INSERT INTO "order" (`:                                                            2,
	} {
		if got := strings.Count(sql, clause); got != want {
			t.Errorf("%s stands %d times, want %d", clause, got, want)
		}
	}
}
