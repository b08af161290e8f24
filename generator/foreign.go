package generator

import (
	"fmt"

	"github.com/whgen/whgen/spec"
)

// foreign makes types that stand for the user's own (`models`): an alias each,
// so that the rest of the package need not know where a type comes from.
type foreign struct {
	models spec.Models
	used   map[string]bool
}

// model is the user's type for an event or a schema; nil without.
func (f *foreign) model(name string) *GoType {
	for _, m := range f.models.Types {
		if m.Name == name {
			f.used[name] = true
			return &GoType{Kind: ForeignGo, Import: f.models.Import, Name: m.Type}
		}
	}
	return nil
}

// foreignEvent gives an event the user's type, if there is one.
func (b *planner) foreignEvent(event *Event) bool {
	g := b.types.foreign.model(event.Spec.Name)
	if g == nil {
		return false
	}
	event.Type = &Type{Kind: AliasType, Elem: g, wish: event.GoName, origin: event.GoName, rank: rankEvent}
	b.types.types = append(b.types.types, event.Type)
	return true
}

// foreignSchema is the user's type for a schema of the document, once.
func (t *typer) foreignSchema(v view) *GoType {
	name := refName(v.ref)
	if v.ref == "" {
		return nil
	}
	one := t.byRef[v.ref]
	if one == nil {
		g := t.foreign.model(name)
		if g == nil {
			return nil
		}
		one = &Type{Kind: AliasType, Elem: g, wish: goName(name), origin: name, rank: rankComponent, pointer: v.ref}
		t.byRef[v.ref] = one
		t.types = append(t.types, one)
	}
	if one.Kind != AliasType {
		return nil
	}
	return &GoType{Kind: NamedGo, Type: one}
}

// unusedModels refuses models that nothing is decoded into, and a package that
// would import itself.
func (b *planner) unusedModels() {
	f := b.types.foreign
	if f.models.Import != "" && f.models.Import == b.plan.Import {
		b.report(f.models.Pos, "models", fmt.Sprintf("models: %s is the generated package itself", f.models.Import), "put the types into a package of their own")
	}
	for _, m := range f.models.Types {
		if !f.used[m.Name] {
			b.report(m.Pos, "models", fmt.Sprintf("models: %q is no event, and no schema that the events reach", m.Name),
				"write the name of an event, such as "+b.plan.Events[0].Spec.Name+", or of a schema in components")
		}
	}
}
