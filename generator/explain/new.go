package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/spec"
)

// Bind analyses a scheme.
type Bind func(*spec.Scheme) Binding

// New explains plans, in their order. A nil bind means Declared.
func New(plans []*generator.Plan, bind Bind) *Report {
	if bind == nil {
		bind = Declared
	}
	r := &Report{Version: Version, Receivers: []*Receiver{}}
	for _, p := range plans {
		b := &builder{plan: p, contract: p.Contract, bind: bind, out: &Receiver{}}
		r.Receivers = append(r.Receivers, b.build())
	}
	return r
}

// builder fills one receiver.
type builder struct {
	plan     *generator.Plan
	contract *spec.Contract
	bind     Bind
	out      *Receiver
}

func (b *builder) build() *Receiver {
	c := b.contract
	b.out.Source, b.out.Preset = c.Source, c.Preset
	b.out.Document = Document{Path: c.Receiver.Contract, Overlays: c.Receiver.Overlays, Title: c.Title}
	if c.Document != nil {
		b.out.Document.OpenAPI = c.Document.OpenAPI
	}
	b.out.Package = Package{Out: b.plan.Out, Name: b.plan.Package, Engine: string(b.plan.Engine)}
	for _, r := range c.Refined {
		b.out.Refinements = append(b.out.Refinements, Refinement{
			Where: r.Where, Preset: r.Preset, Key: r.Path, Was: r.Was, Is: r.Is, Position: r.Pos.String(),
		})
	}
	for _, e := range c.Endpoints {
		b.out.Endpoints = append(b.out.Endpoints, b.endpoint(e))
	}
	for _, e := range c.Events {
		b.out.Events = append(b.out.Events, b.event(e))
	}
	b.effects()
	b.tables()
	b.downstreams()
	for _, s := range c.Settings {
		b.out.Settings = append(b.out.Settings, Setting{Name: s.Name, Secret: s.Secret})
	}
	if c.Tenant != nil {
		b.out.Tenant = c.Tenant.Text()
	}
	b.out.Diagram = diagram(b.out)
	return b.out
}

func (b *builder) downstreams() {
	for _, d := range b.contract.Downstreams {
		one := Downstream{
			Name: d.Name, URL: template(&d.URL), Timeout: duration(d.Timeout), Private: d.Private, Rate: rate(d.Rate),
			Success: strings.Join(statuses(d.Success), ", "), RetryOn: strings.Join(statuses(d.RetryOn), ", "),
		}
		for _, h := range d.Headers {
			one.Headers = append(one.Headers, h.Name)
		}
		b.out.Downstreams = append(b.out.Downstreams, one)
	}
}

func (b *builder) tables() {
	s := b.plan.SQL
	b.out.Tables = []Table{
		{Name: s.Events, Holds: "one row for each event key: status and stored answer", Unique: []string{"event_key"}},
		{Name: s.Conflicts, Holds: "known keys that came with other content"},
		{Name: s.Failures, Holds: "failed attempts, one row a key"},
		{Name: s.Payloads, Holds: "bodies that somebody will need"},
		{Name: s.Messages, Holds: "messages for the outside, each under its idempotency key"},
	}
	for _, t := range s.Tables {
		one := Table{Name: t.SQLName, Holds: "rows of " + and(b.writers(t.SQLName)), Unique: []string{"event_key, effect, element"}}
		for _, c := range t.Columns {
			one.Columns = append(one.Columns, Column{Name: c.SQLName, Type: c.Type, Nullable: c.Nullable})
		}
		for _, u := range t.Unique {
			one.Unique = append(one.Unique, strings.Join(u.Columns, ", "))
		}
		b.out.Tables = append(b.out.Tables, one)
	}
}

// writers are the effects that write a table, as "order of orderCreated".
func (b *builder) writers(table string) []string {
	var all []string
	for _, e := range b.contract.Events {
		for _, f := range e.Effects {
			if f.Kind == spec.EffectRecord && f.Table == table {
				all = append(all, f.Name+" of "+e.Name)
			}
		}
	}
	slices.SortStableFunc(all, cmp.Compare)
	return all
}
