package generator

import (
	"math"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/whgen/whgen/spec"
)

// enum is an open one: other values decode as well. nil: no Go constants fit.
func (t *typer) enum(v view, at place, jsonType string) *GoType {
	if v.ref == "" && at.parent == nil {
		return nil
	}
	return t.enumOf(v, at, jsonType, v.schema.Enum)
}

// enumOf makes an enum of values; those that Go cannot tell apart are one.
func (t *typer) enumOf(v view, at place, jsonType string, listed []any) *GoType {
	var values []*EnumValue
	seen := map[EnumValue]bool{}
	for _, raw := range listed {
		var one EnumValue
		switch x := raw.(type) {
		case nil:
			continue
		case string:
			if jsonType != "string" {
				return nil
			}
			one = EnumValue{Text: x}
		case float64:
			if jsonType != "integer" || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
				return nil
			}
			one = EnumValue{Int: int64(x), Text: strconv.FormatInt(int64(x), 10)}
		default:
			return nil
		}
		if !seen[one] {
			seen[one] = true
			values = append(values, &one)
		}
	}
	if len(values) < 2 {
		return nil
	}
	one := t.add(v, at, EnumType)
	one.Values, one.Elem = values, &GoType{Kind: StringGo}
	if jsonType == "integer" {
		one.Elem = &GoType{Kind: Int64Go}
	}
	return &GoType{Kind: NamedGo, Type: one}
}

// constants are the values of a oneOf whose variants are values, as 3.1 writes
// an enum with a description for each; ok only where all are of one type.
func constants(variants openapi3.SchemaRefs) (values []any, jsonType string, ok bool) {
	for _, ref := range variants {
		s := look(ref).schema
		if s == nil {
			return nil, "", false
		}
		own := s.Enum
		if s.Const != nil {
			own = []any{s.Const}
		}
		if len(own) == 0 {
			return nil, "", false
		}
		for _, one := range own {
			kind := "string"
			if _, text := one.(string); !text {
				kind = "integer"
			}
			if jsonType != "" && kind != jsonType {
				return nil, "", false
			}
			values, jsonType = append(values, one), kind
		}
	}
	return values, jsonType, true
}

// union is a value that is one of several.
func (t *typer) union(v view, at place) *GoType {
	variants := realVariants(v.schema)
	if values, jsonType, ok := constants(variants); ok && (v.ref != "" || at.parent != nil) {
		if g := t.enumOf(v, at, jsonType, values); g != nil {
			return g
		}
	}
	if allTexts(variants) {
		return &GoType{Kind: StringGo}
	}
	one := t.add(v, at, UnionType)
	one.Discriminator = discriminator(v.schema, variants)
	var claims []claim
	for i, ref := range variants {
		field := &TypeField{WireName: variantName(ref, i), Always: isBase(ref)}
		if !field.Always {
			field.Values = discriminatorValues(v.schema, ref, one.Discriminator)
		}
		field.GoType, _ = t.of(ref, place{parent: one, name: field.WireName, rank: rankNested})
		one.Fields = append(one.Fields, field)
		claims = append(claims, claim{wish: goName(field.WireName), origin: field.WireName, give: func(s string) { field.GoName = s }})
	}
	newScope().settle(claims)
	return &GoType{Kind: NamedGo, Type: one}
}

// isBase reports whether a variant is what all the others build on.
func isBase(ref *openapi3.SchemaRef) bool {
	_, ok := ref.Value.Extensions[spec.BaseExtension]
	return ok
}

func allTexts(variants openapi3.SchemaRefs) bool {
	for _, ref := range variants {
		s := look(ref).schema
		if s == nil {
			return false
		}
		if types := jsonTypes(s); len(types) != 1 || types[0] != "string" {
			return false
		}
	}
	return true
}

// variantName is the schema's, else its title's, else its type's.
func variantName(ref *openapi3.SchemaRef, i int) string {
	v := look(ref)
	switch {
	case ref.Ref != "":
		return refName(ref.Ref)
	case v.ref != "":
		return refName(v.ref)
	case v.schema != nil && v.schema.Title != "":
		return v.schema.Title
	}
	if v.schema != nil {
		if types := jsonTypes(v.schema); len(types) == 1 && types[0] != "object" {
			return types[0]
		}
	}
	return "variant " + strconv.Itoa(i+1)
}

// discriminator is the member that tells variants apart: the declared one, or
// the first in the alphabet that every variant requires with a value of its own.
func discriminator(s *openapi3.Schema, variants openapi3.SchemaRefs) string {
	if s.Discriminator != nil {
		return s.Discriminator.PropertyName
	}
	first := look(variants[0]).schema
	if first == nil {
		return ""
	}
	for _, name := range sortedKeys(flatten(first).properties) {
		seen := map[string]bool{}
		for _, ref := range variants {
			if value, ok := fixed(ref, name); ok {
				seen[value] = true
			}
		}
		if len(seen) == len(variants) {
			return name
		}
	}
	return ""
}

// fixed is the one text that a variant allows for a member.
func fixed(ref *openapi3.SchemaRef, name string) (string, bool) {
	s := look(ref).schema
	if s == nil {
		return "", false
	}
	p := look(flatten(s).properties[name]).schema
	if p == nil {
		return "", false
	}
	if text, ok := p.Const.(string); ok {
		return text, true
	}
	if len(p.Enum) == 1 {
		text, ok := p.Enum[0].(string)
		return text, ok
	}
	return "", false
}

func discriminatorValues(s *openapi3.Schema, ref *openapi3.SchemaRef, member string) []string {
	if member == "" {
		return nil
	}
	var values []string
	if s.Discriminator != nil {
		for _, value := range sortedKeys(s.Discriminator.Mapping) {
			target := s.Discriminator.Mapping[value].Ref
			if target == ref.Ref || refName(target) == refName(ref.Ref) && ref.Ref != "" {
				values = append(values, value)
			}
		}
	}
	if len(values) > 0 {
		return values
	}
	if value, ok := fixed(ref, member); ok {
		return []string{value}
	}
	if ref.Ref != "" {
		return []string{refName(ref.Ref)}
	}
	return nil
}
