package generator

import (
	"fmt"

	"github.com/whgen/whgen/spec"
)

// root registers the type <Effect>Payload.
func (t *typer) root(e *Effect, kind TypeKind) *Type {
	one := &Type{
		Kind: kind, wish: e.GoName + "Payload", origin: e.WireName, rank: rankEffect, Closed: true,
		Doc: docLines(fmt.Sprintf("%sPayload is what a message of the effect %q carries.", e.GoName, e.WireName)),
	}
	t.types = append(t.types, one)
	return one
}

// typed is the payload that a handler fills: its members' types stand in the contract.
func (t *typer) typed(e *Effect) *Type {
	one := t.root(e, StructType)
	for _, f := range e.Spec.PayloadTypes {
		one.Fields = append(one.Fields, &TypeField{WireName: f.Name, Required: true, GoType: declaredType(f.Type)})
	}
	settleFields(one)
	return one
}

func declaredType(word string) *GoType {
	switch word {
	case "integer":
		return &GoType{Kind: Int64Go}
	case "numeric":
		return &GoType{Kind: NumberGo}
	case "boolean":
		return &GoType{Kind: BoolGo}
	case "timestamp":
		return &GoType{Kind: TimeGo}
	case "date":
		return &GoType{Kind: DateGo}
	case "json":
		return &GoType{Kind: RawGo}
	}
	return &GoType{Kind: StringGo}
}

// rendered is the payload that the contract renders: its types are those of
// what the selectors reach.
func (t *typer) rendered(e *Effect, event *Event) *Type {
	p := e.Spec.Payload
	switch {
	case p == nil && event != nil && event.Type != nil:
		one := t.root(e, AliasType)
		one.Elem = &GoType{Kind: NamedGo, Type: event.Type}
		return one
	case p != nil && p.IsObject:
		one := t.root(e, StructType)
		t.members(one, p)
		return one
	}
	one := t.root(e, AliasType)
	one.Elem = &GoType{Kind: RawGo}
	if p != nil {
		one.Elem, _ = t.value(p, place{parent: one, name: "value", rank: rankNested})
	}
	return one
}

func (t *typer) members(one *Type, p *spec.Payload) {
	for _, m := range p.Members {
		g, required := t.value(m.Value, place{parent: one, name: m.Name, rank: rankNested})
		one.Fields = append(one.Fields, &TypeField{WireName: m.Name, GoType: presence(g, required, false), Required: required})
	}
	settleFields(one)
}

func settleFields(one *Type) {
	var claims []claim
	for _, f := range one.Fields {
		claims = append(claims, claim{wish: goName(f.WireName), origin: f.WireName, give: func(s string) { f.GoName = s }})
	}
	newScope(methodNames...).settle(claims)
}

// value is the type of a part of a rendered payload, and whether it is always there.
func (t *typer) value(p *spec.Payload, at place) (*GoType, bool) {
	switch {
	case p.IsObject:
		one := &Type{Kind: StructType, Closed: true, wish: goName(at.name), origin: at.name, rank: rankNested, parent: at.parent}
		t.types = append(t.types, one)
		t.members(one, p)
		return &GoType{Kind: NamedGo, Type: one}, true
	case p.IsArray:
		return &GoType{Kind: SliceGo, Elem: &GoType{Kind: RawGo}}, true
	case p.Template != nil:
		return &GoType{Kind: StringGo}, true
	case p.Selector != nil:
		return t.selected(p.Selector, at), !p.Selector.Optional
	}
	return &GoType{Kind: RawGo}, true
}

func (t *typer) selected(s *spec.Selector, at place) *GoType {
	if s.Kind != spec.SelectBody && s.Kind != spec.SelectItem && s.Kind != spec.SelectEnvelope {
		return &GoType{Kind: StringGo}
	}
	if s.Schema == nil {
		return &GoType{Kind: RawGo}
	}
	g, _ := t.of(s.Schema, at)
	return g
}
