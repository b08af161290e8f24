package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// view is a schema with its wrappers taken off: references, null in all its
// spellings, allOf with one part.
type view struct {
	ref      string // "#/components/schemas/..." where it is one schema by name
	schema   *openapi3.Schema
	nullable bool
}

// look takes the wrappers off. A schema that only refers to itself has none
// left: its view has no schema.
func look(ref *openapi3.SchemaRef) view {
	var v view
	seen := map[*openapi3.Schema]bool{}
	for ref != nil && ref.Value != nil && !seen[ref.Value] {
		s := ref.Value
		seen[s] = true
		v.schema, v.nullable = s, v.nullable || allowsNull(s)
		if ref.Ref != "" {
			v.ref = ref.Ref
		}
		inner := wrapped(s)
		if inner == nil {
			return v
		}
		if inner.Ref != "" || v.ref == "" {
			v.ref = ""
		}
		ref = inner
	}
	return view{nullable: v.nullable}
}

// wrapped is the one schema that s stands for, nil where s says something itself.
func wrapped(s *openapi3.Schema) *openapi3.SchemaRef {
	if len(s.Properties) > 0 || s.Items != nil || len(s.Enum) > 0 || s.Const != nil {
		return nil
	}
	variants := realVariants(s)
	switch {
	case len(s.AllOf) == 1 && len(variants) == 0 && len(s.Required) == 0 && s.AdditionalProperties.Schema == nil:
		return s.AllOf[0]
	case len(s.AllOf) == 0 && len(variants) == 1 && len(s.Required) == 0:
		return variants[0]
	}
	return nil
}

// realVariants are the members of oneOf and anyOf that are not just null.
func realVariants(s *openapi3.Schema) openapi3.SchemaRefs {
	var out openapi3.SchemaRefs
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		for _, v := range list {
			if v != nil && v.Value != nil && !onlyNull(v.Value) {
				out = append(out, v)
			}
		}
	}
	return out
}

func onlyNull(s *openapi3.Schema) bool {
	if s.Type != nil && len(*s.Type) == 1 && (*s.Type)[0] == "null" {
		return true
	}
	return s.Type == nil && len(s.Enum) == 1 && s.Enum[0] == nil
}

func allowsNull(s *openapi3.Schema) bool {
	if s.Nullable || s.Type != nil && slices.Contains(*s.Type, "null") || slices.Contains(s.Enum, any(nil)) {
		return true
	}
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		for _, v := range list {
			if v != nil && v.Value != nil && onlyNull(v.Value) {
				return true
			}
		}
	}
	return false
}

// jsonTypes are the types of a schema, null left out. Where it does not say,
// they follow from what it says else.
func jsonTypes(s *openapi3.Schema) []string {
	var out []string
	if s.Type != nil {
		for _, t := range *s.Type {
			if t != "null" && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	if len(out) > 0 || s.Type != nil {
		return out
	}
	switch {
	case len(s.Properties) > 0 || len(s.PatternProperties) > 0 || s.AdditionalProperties.Schema != nil:
		return []string{"object"}
	case s.Items != nil:
		return []string{"array"}
	}
	values := s.Enum
	if s.Const != nil {
		values = []any{s.Const}
	}
	for _, v := range values {
		t := ""
		switch v.(type) {
		case string:
			t = "string"
		case bool:
			t = "boolean"
		case nil:
			continue
		case map[string]any:
			t = "object"
		case []any:
			t = "array"
		default:
			t = "number"
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// flat is an object schema with everything merged that allOf, and variants
// beside own properties, bring.
type flat struct {
	properties map[string]*openapi3.SchemaRef
	required   map[string]bool
	extra      *openapi3.SchemaRef // additionalProperties as a schema
	object     bool
	title      string
	describe   string
}

func flatten(s *openapi3.Schema) *flat {
	f := &flat{properties: map[string]*openapi3.SchemaRef{}, required: map[string]bool{}}
	f.add(s, true, map[*openapi3.Schema]bool{})
	for name := range f.required {
		if f.properties[name] == nil {
			delete(f.required, name)
		}
	}
	return f
}

func (f *flat) add(s *openapi3.Schema, all bool, seen map[*openapi3.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	if f.describe == "" {
		f.title, f.describe = s.Title, s.Description
	}
	for _, part := range s.AllOf {
		if part != nil {
			f.add(part.Value, all, seen)
		}
	}
	for _, v := range realVariants(s) {
		f.add(v.Value, false, seen)
	}
	for name, p := range s.Properties {
		f.property(name, p)
	}
	if all {
		for _, name := range s.Required {
			f.required[name] = true
		}
	}
	if s.AdditionalProperties.Schema != nil {
		f.extra = s.AdditionalProperties.Schema
	} else if len(s.PatternProperties) == 1 {
		for _, p := range s.PatternProperties {
			f.extra = p
		}
	}
	f.object = f.object || slices.Contains(jsonTypes(s), "object")
}

// property adds one. A later one overrides, unless it only repeats the kind of
// value; what two objects say adds up.
func (f *flat) property(name string, p *openapi3.SchemaRef) {
	old := f.properties[name]
	switch {
	case old == nil || old.Value == nil:
		f.properties[name] = p
	case p == nil || p.Value == nil || p.Ref == old.Ref && p.Ref != "":
	case !says(p.Value), repeats(p.Value, old.Value):
	case isObject(old.Value) && isObject(p.Value):
		f.properties[name] = joined(old, p)
	case bare(old.Value), kindOf(old.Value) != kindOf(p.Value), !composed(old.Value):
		f.properties[name] = p
	}
}

// joinedMark is on schemas that joined has made.
const joinedMark = "x-whgen-joined"

// joined is an allOf of two schemas. Parts that are joined themselves are taken
// apart and each is there once, so that a schema that holds itself ends: there
// are only so many sets of parts.
func joined(old, p *openapi3.SchemaRef) *openapi3.SchemaRef {
	var parts openapi3.SchemaRefs
	for _, ref := range []*openapi3.SchemaRef{old, p} {
		all := openapi3.SchemaRefs{ref}
		if _, ok := ref.Value.Extensions[joinedMark]; ok {
			all = ref.Value.AllOf
		}
		for _, one := range all {
			if !slices.ContainsFunc(parts, func(known *openapi3.SchemaRef) bool { return known.Value == one.Value }) {
				parts = append(parts, one)
			}
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &openapi3.SchemaRef{Value: &openapi3.Schema{
		AllOf: parts, Description: p.Value.Description, Extensions: map[string]any{joinedMark: true},
	}}
}

// identity tells one schema from another; of joined ones the parts count.
func identity(s *openapi3.Schema) string {
	if _, ok := s.Extensions[joinedMark]; !ok {
		return fmt.Sprintf("%p", s)
	}
	var all []string
	for _, part := range s.AllOf {
		all = append(all, fmt.Sprintf("%p", part.Value))
	}
	return strings.Join(all, "+")
}

// repeats reports whether a schema says no more than another one.
func repeats(s, old *openapi3.Schema) bool {
	if !bare(s) || kindOf(s) != kindOf(old) || !says(old) {
		return false
	}
	return !bare(old) || slices.Equal(jsonTypes(s), jsonTypes(old)) && allowsNull(s) == allowsNull(old)
}

func says(s *openapi3.Schema) bool {
	return len(jsonTypes(s)) > 0 || composed(s)
}

func composed(s *openapi3.Schema) bool {
	return len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0
}

// bare: a type and nothing else.
func bare(s *openapi3.Schema) bool {
	return len(s.Properties)+len(s.PatternProperties)+len(s.Enum) == 0 && !composed(s) && s.Const == nil && s.Items == nil &&
		s.Format == "" && s.AdditionalProperties.Schema == nil
}

// kindOf is the one type of a schema, looked for in the parts of allOf and in
// variants too; "" where there is none, or more than one.
func kindOf(s *openapi3.Schema) string {
	found := map[string]bool{}
	collectKinds(s, found, map[*openapi3.Schema]bool{})
	if len(found) != 1 {
		return ""
	}
	return sortedKeys(found)[0]
}

func collectKinds(s *openapi3.Schema, found map[string]bool, seen map[*openapi3.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	for _, t := range jsonTypes(s) {
		if t == "integer" {
			t = "number"
		}
		found[t] = true
	}
	for _, parts := range []openapi3.SchemaRefs{s.AllOf, s.OneOf, s.AnyOf} {
		for _, part := range parts {
			if part != nil {
				collectKinds(part.Value, found, seen)
			}
		}
	}
}

func isObject(s *openapi3.Schema) bool {
	kind := kindOf(s)
	return kind == "object" || kind == "" && len(s.AllOf) > 0
}
