package generator

import (
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

func withEffects(t *testing.T, effects ...*spec.Effect) *spec.Contract {
	t.Helper()
	c := contractOf(t, smallDocument("Body")+"    Body: {type: object, required: [id, type, n], properties: {id: {type: string}, type: {type: string}, n: {type: integer}, status: {type: string}}}")
	c.Events[0].Effects = effects
	c.Effects = effects
	return c
}

func TestAcceptanceNumbersKeyAndUniqueValues(t *testing.T) {
	record := &spec.Effect{Name: "row", Event: "made", Kind: spec.EffectRecord, Table: "order", Unique: []string{"group"},
		Columns: []spec.Column{column("group", "/n", "integer"), column("status", "/status", "text")}}
	skipped := &spec.Effect{Name: "skipped", Event: "made", Kind: spec.EffectCall, Key: spec.KeyPolicy{Always: true},
		When: []spec.Condition{{From: body("/status"), Op: "equals", Values: []string{`"paid"`}}}}
	p := mustPlan(t, withEffects(t, record, skipped))
	a := p.Accept[0]
	want := `{"id":"sample-{{n}}","n":1{{n}},"type":"made","status":"sample"}`
	if a.Body != want {
		t.Errorf("body %s\nwant %s", a.Body, want)
	}
	if strings.Contains(a.NoKey, `"id"`) || a.Changed == a.Body || a.Changed == "" {
		t.Errorf("no key %s\nchanged %s", a.NoKey, a.Changed)
	}
	if a.Outbox != 0 || len(a.Tables) != 1 || a.Tables[0] != (AcceptTable{SQLName: "order", Ident: `"order"`, Rows: 1}) {
		t.Errorf("outbox %d, tables %+v", a.Outbox, a.Tables)
	}
	for _, answer := range a.Answers {
		if answer.Outcome == spec.Duplicate && answer.Status != 200 {
			t.Errorf("duplicate answers %d, want what is replayed", answer.Status)
		}
	}
	table := p.SQL.Tables[0]
	if table.Ident != `"order"` || table.Columns[0].Ident != `"group"` || table.Unique[0].SQLName != "order_group_key" {
		t.Errorf("table %+v, unique %+v", table, table.Unique[0])
	}
}

func TestTableIsTheUnionOfItsEffects(t *testing.T) {
	a := &spec.Effect{Name: "a", Event: "made", Kind: spec.EffectRecord, Table: "rows", Columns: []spec.Column{column("x", "/n", "integer")}}
	b := &spec.Effect{Name: "b", Event: "made", Kind: spec.EffectRecord, Table: "rows", Columns: []spec.Column{column("y", "/id", "text")}}
	columns := mustPlan(t, withEffects(t, a, b)).SQL.Tables[0].Columns
	if len(columns) != 2 || !columns[0].Nullable || !columns[1].Nullable {
		t.Errorf("columns %+v %+v, want both nullable", columns[0], columns[1])
	}
}

func TestPlanRefuses(t *testing.T) {
	for _, one := range []struct {
		rule   string
		change func(c *spec.Contract, o *PlanOptions)
	}{
		{"package-name", func(c *spec.Contract, _ *PlanOptions) { c.Receiver.Package = "select" }},
		{"package-name", func(c *spec.Contract, _ *PlanOptions) { c.Receiver.Package = "hooks_test" }},
		{"out-ignored", func(c *spec.Contract, _ *PlanOptions) { c.Receiver.Out = "internal/testdata" }},
		{"import-path", func(_ *spec.Contract, o *PlanOptions) { o.Import = "" }},
		{"import-path", func(_ *spec.Contract, o *PlanOptions) { o.Import = "example.com/my folder/x" }},
		{"import-path", func(_ *spec.Contract, o *PlanOptions) { o.Import = "example.com/a@b/x" }},
		{"table-prefix", func(c *spec.Contract, _ *PlanOptions) { c.Receiver.TablePrefix = strings.Repeat("p", 41) }},
		{"not-supported-yet", func(c *spec.Contract, _ *PlanOptions) { c.Receiver.Engine = "mysql" }},
		{"column-type", func(c *spec.Contract, _ *PlanOptions) {
			c.Events[0].Effects = []*spec.Effect{
				{Name: "a", Kind: spec.EffectRecord, Table: "rows", Columns: []spec.Column{column("x", "/n", "integer")}},
				{Name: "b", Kind: spec.EffectRecord, Table: "rows", Columns: []spec.Column{column("x", "/id", "text")}}}
		}},
		{"column-name", func(c *spec.Contract, _ *PlanOptions) {
			c.Events[0].Effects = []*spec.Effect{{Name: "a", Kind: spec.EffectRecord, Table: "rows", Columns: []spec.Column{column("effect", "/n", "integer")}}}
		}},
		{"table-name", func(c *spec.Contract, _ *PlanOptions) {
			c.Events[0].Effects = []*spec.Effect{{Name: "a", Kind: spec.EffectRecord, Table: "shop_inbox_events", Columns: []spec.Column{column("x", "/n", "integer")}}}
		}},
	} {
		c, o := withEffects(t), PlanOptions{Import: "example.com/shop"}
		one.change(c, &o)
		p, found := NewPlan(c, o)
		if p != nil || len(found) == 0 || found[0].Rule != one.rule {
			t.Errorf("plan %v, findings %v, want %s", p != nil, found, one.rule)
		}
	}
}

func TestSourceThatIsAKeywordStillMakesAPackage(t *testing.T) {
	c := withEffects(t)
	c.Source, c.Receiver.Package = "select", ""
	if got := mustPlan(t, c).Package; got != "selecthooks" {
		t.Errorf("package %s", got)
	}
}

func TestEnumsOfTheBody(t *testing.T) {
	c := contractOf(t, smallDocument("Body")+`    Body:
      type: object
      properties:
        status: {type: [string, "null"], enum: [a, b]}
        deep: {type: object, properties: {"x/y": {type: integer, enum: [1, 2]}}}
        list: {type: array, items: {type: string, enum: [in, list]}}
        self: {$ref: '#/components/schemas/Body'}
`)
	var got []string
	for _, e := range mustPlan(t, c).Events[0].Enums {
		got = append(got, e.Pointer+"="+strings.Join(e.Values, ","))
	}
	want := `/deep/x~1y=1,2 /status="a","b",null`
	if strings.Join(got, " ") != want {
		t.Errorf("enums %v, want %s", got, want)
	}
}
