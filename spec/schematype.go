package spec

import "github.com/getkin/kin-openapi/openapi3"

// typeIs reports whether the type is one, null aside.
func typeIs(s *openapi3.Schema, name string) bool {
	types := plainTypes(s)
	return len(types) == 1 && types[0] == name
}

// plainTypes is the type keyword without null.
func plainTypes(s *openapi3.Schema) []string {
	if s.Type == nil {
		return nil
	}
	var types []string
	for _, t := range s.Type.Slice() {
		if t != "null" {
			types = append(types, t)
		}
	}
	return types
}

func onlyNull(s *openapi3.Schema) bool {
	return s.Type != nil && len(s.Type.Slice()) == 1 && s.Type.Slice()[0] == "null"
}

func scalarOnly(s *openapi3.Schema) bool {
	types := plainTypes(s)
	for _, t := range types {
		if t == "object" || t == "array" {
			return false
		}
	}
	return len(types) > 0
}

// scalarTypes are the types that a schema allows: its own, or those of its
// parts. Empty where it does not say.
func scalarTypes(ref *openapi3.SchemaRef) []string {
	found := map[string]bool{}
	collectTypes(ref, found, map[*openapi3.Schema]bool{})
	return sortedKeys(found)
}

func collectTypes(ref *openapi3.SchemaRef, found map[string]bool, seen map[*openapi3.Schema]bool) {
	if ref == nil || ref.Value == nil || seen[ref.Value] {
		return
	}
	s := ref.Value
	seen[s] = true
	if types := plainTypes(s); len(types) > 0 {
		for _, t := range types {
			found[t] = true
		}
		return
	}
	if len(s.Properties) > 0 {
		found["object"] = true
	}
	for _, v := range append([]any{s.Const}, s.Enum...) {
		switch v.(type) {
		case string:
			found["string"] = true
		case bool:
			found["boolean"] = true
		case int, int64, uint64:
			found["integer"] = true
		case float64:
			found["number"] = true
		}
	}
	for _, parts := range []openapi3.SchemaRefs{s.AllOf, s.OneOf, s.AnyOf} {
		for _, part := range parts {
			collectTypes(part, found, seen)
		}
	}
}

// describe names a schema's type with its article, for messages.
func describe(ref *openapi3.SchemaRef) string {
	types := scalarTypes(ref)
	named := make([]string, 0, len(types))
	for _, t := range types {
		switch t[0] {
		case 'a', 'o', 'i':
			named = append(named, "an "+t)
		default:
			named = append(named, "a "+t)
		}
	}
	if len(named) == 0 {
		return "free-form"
	}
	return list(named, "or")
}

// fixedValues are the values that const, or enum, leaves to a schema; nil
// where anything goes.
func fixedValues(ref *openapi3.SchemaRef) []string {
	return fixedIn(ref, map[*openapi3.Schema]bool{})
}

// fixedIn keeps the schemas on the way, because allOf and oneOf can come back to
// where they began.
func fixedIn(ref *openapi3.SchemaRef, on map[*openapi3.Schema]bool) []string {
	if ref == nil || ref.Value == nil || on[ref.Value] {
		return nil
	}
	s := ref.Value
	on[s] = true
	defer delete(on, s)
	if text, ok := s.Const.(string); ok {
		return []string{text}
	}
	if values := stringValues(s.Enum); values != nil {
		return values
	}
	for _, part := range s.AllOf {
		if values := fixedIn(part, on); values != nil {
			return values
		}
	}
	return variantValues(s, on)
}

func variantValues(s *openapi3.Schema, on map[*openapi3.Schema]bool) []string {
	var all []string
	for _, parts := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		for _, part := range parts {
			values := fixedIn(part, on)
			if values == nil {
				return nil
			}
			all = append(all, values...)
		}
	}
	return all
}

func stringValues(enum []any) []string {
	var values []string
	for _, v := range enum {
		if text, ok := v.(string); ok {
			values = append(values, text)
		}
	}
	return values
}
