package generator

import (
	"cmp"
	"slices"

	"github.com/whgen/whgen/spec"
)

// PlanOptions is what a plan needs beside the contract.
type PlanOptions struct {
	// Import is the import path of the folder that Out names: the module's path
	// and the folder inside it.
	Import string
}

// Out is the folder of the generated package, relative to whgen.yaml's, with
// forward slashes: what a caller needs to find PlanOptions.Import.
func Out(c *spec.Contract) string {
	return cmp.Or(c.Receiver.Out, "internal/webhooks/"+c.Source)
}

// NewPlan makes every choice for one receiver. With an error among the
// diagnostics the plan is nil. The contract must have been loaded without errors.
func NewPlan(c *spec.Contract, opt PlanOptions) (*Plan, spec.Diagnostics) {
	b := &planner{
		contract: c,
		plan: &Plan{
			Contract: c, Source: c.Source, Out: Out(c), Import: opt.Import,
		},
		top: newScope(fixedNames...),
	}
	b.place()
	b.engine()
	b.tables()
	b.effects()
	b.events()
	b.payloads()
	targets(b.plan)
	b.scaffold()
	b.acceptance()
	b.found.Sort()
	if b.found.HasErrors() {
		return nil, b.found
	}
	return b.plan, b.found
}

// planner makes a plan step by step; later steps read what earlier ones chose.
type planner struct {
	contract *spec.Contract
	plan     *Plan
	found    spec.Diagnostics
	top      *scope // names of the generated package
	types    *typer
	byName   map[string]*Effect
}

func (b *planner) report(at spec.Pos, rule, message, hint string) {
	b.found = append(b.found, spec.Diagnostic{Pos: at, Severity: spec.Error, Rule: rule, Message: message, Hint: hint})
}

// fixedNames are what a generated package declares whatever its contract says.
var fixedNames = []string{
	"Config", "New", "Handler", "UnimplementedHandler", "Tx", "Outbox", "Migrate", "Migrations",
	"AcceptanceDefinition", "AcceptanceStore", // of the test
}

// configNames are the members of Config that no effect gives it.
var configNames = []string{
	"DB", "Secrets", "Settings", "Handler", "Observer", "Clock", "HTTPClient", "PublicURL", "Verifiers", "TrustedProxies",
	"KeyClient", "QueueBytes", "MaxBatch", "AnswerBytes", "NoRelay",
}

func (b *planner) effects() {
	b.byName = map[string]*Effect{}
	var claims []claim
	for _, e := range b.contract.Effects {
		if e.Kind == spec.EffectRecord || b.byName[e.Name] != nil {
			continue
		}
		effect := &Effect{
			Spec: e, Index: len(b.plan.Effects), WireName: e.Name, FromHandler: e.Enqueue == "handler",
		}
		b.byName[e.Name] = effect
		b.plan.Effects = append(b.plan.Effects, effect)
		claims = append(claims, claim{wish: goName(e.Name), origin: e.Name, give: func(name string) { effect.GoName = name }})
	}
	// Config fields and Outbox methods are named after effects.
	newScope(configNames...).settle(claims)
	for _, e := range b.plan.Effects {
		if e.Spec.Kind == spec.EffectCall {
			e.Interface = b.top.take(e.GoName+"Sender", e.WireName)
			e.Message = b.top.take(e.GoName+"Message", e.WireName)
			e.Method = "Send" + e.GoName
		}
	}
}

func (b *planner) events() {
	var claims []claim
	for i, e := range b.contract.Events {
		event := &Event{Spec: e, Index: i, Doc: docLines(sentence(e.Summary), e.Description)}
		b.plan.Events = append(b.plan.Events, event)
		b.plan.HasHandler = b.plan.HasHandler || e.Handler
		claims = append(claims, claim{wish: goName(e.Name), origin: e.Name, give: func(name string) { event.GoName = name }})
	}
	newScope().settle(claims)
	for _, event := range b.plan.Events {
		b.records(event)
		for _, e := range event.Spec.Effects {
			if e.Kind != spec.EffectRecord && e.Enqueue == "" {
				event.Messages = append(event.Messages, b.byName[e.Name])
			}
		}
		event.Query = "Register"
		if len(event.Records) > 0 {
			event.Query = "Deliver" + event.GoName
		}
	}
	slices.SortStableFunc(b.plan.Effects, func(a, b *Effect) int { return cmp.Compare(a.Index, b.Index) })
}

func (b *planner) scaffold() {
	r := b.contract.Receiver
	b.plan.Scaffold = Scaffold{
		Main:    cmp.Or(r.ScaffoldMain, "cmd/"+b.plan.Source+"-receiver"),
		Handler: r.ScaffoldHandler && b.plan.HasHandler,
	}
	if r.ScaffoldMain == "-" {
		b.plan.Scaffold.Main = ""
	}
}
