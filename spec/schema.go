package spec

import (
	"regexp"
	"sort"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// reached is what a pointer meets in a schema.
type reached struct {
	schema   *openapi3.SchemaRef // nil where the schema leaves it open
	required bool                // on the whole way, in every variant
	missing  string              // the member that the schema cannot have, "" when fine
	known    []string            // the members that it lists instead
	reason   string              // why it cannot be there
}

// reach follows a pointer through properties, items, allOf, oneOf and anyOf.
func reach(s *openapi3.SchemaRef, tokens []string) reached {
	at := reached{schema: s, required: true}
	for _, token := range tokens {
		if at.schema == nil || at.schema.Value == nil {
			return reached{}
		}
		next := step(at.schema, token, map[*openapi3.Schema]bool{})
		if !next.possible {
			return reached{missing: token, known: next.known, reason: next.reason}
		}
		at.schema, at.required = next.schema, at.required && next.required
	}
	return at
}

// stepped is the outcome of one token.
type stepped struct {
	possible bool
	required bool
	schema   *openapi3.SchemaRef
	known    []string
	reason   string
}

// step looks a token up in one schema. In allOf a member is there when one
// part lists it; in oneOf and anyOf when one variant can have it.
func step(ref *openapi3.SchemaRef, token string, seen map[*openapi3.Schema]bool) stepped {
	s := ref.Value
	if s == nil || seen[s] {
		return stepped{possible: true}
	}
	seen[s] = true
	defer delete(seen, s)
	if array := typeIs(s, "array"); array || s.Items != nil && len(s.Properties) == 0 {
		return stepArray(s, token)
	}
	if scalarOnly(s) {
		return stepped{reason: "is " + describe(ref) + ", which has no members"}
	}
	own := stepOwn(s, token)
	if own.possible && own.schema != nil && len(s.AllOf) == 0 {
		return own
	}
	return stepParts(s, token, own, seen)
}

func stepArray(s *openapi3.Schema, token string) stepped {
	if _, ok := arrayIndex(token); !ok {
		return stepped{reason: "is an array; want an index in place of it"}
	}
	return stepped{possible: true, schema: s.Items}
}

// stepOwn looks at what the schema lists itself.
func stepOwn(s *openapi3.Schema, token string) stepped {
	if p := s.Properties[token]; p != nil {
		return stepped{possible: true, schema: p, required: contains(s.Required, token)}
	}
	for _, pattern := range sortedKeys(s.PatternProperties) {
		p := s.PatternProperties[pattern]
		if re, err := regexp.Compile(pattern); err != nil || re.MatchString(token) {
			return stepped{possible: true, schema: p}
		}
	}
	known := propertyNames(s)
	if p := s.AdditionalProperties.Schema; p != nil {
		return stepped{possible: true, schema: p, known: known}
	}
	if has := s.AdditionalProperties.Has; has != nil {
		return stepped{possible: *has, known: known, reason: "has no such member"}
	}
	composed := len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0
	return stepped{possible: len(known) == 0 && !composed, known: known, reason: "has no such member"}
}

// stepParts looks at the members of allOf, oneOf and anyOf.
func stepParts(s *openapi3.Schema, token string, own stepped, seen map[*openapi3.Schema]bool) stepped {
	result := own
	open := own.possible
	var all openapi3.SchemaRefs
	if own.possible && own.schema != nil {
		all = append(all, own.schema)
	}
	required := own.required || contains(s.Required, token)
	for _, part := range s.AllOf {
		next := step(part, token, seen)
		result.known = append(result.known, next.known...)
		if next.possible && next.schema != nil {
			all, required = append(all, next.schema), required || next.required
		}
		open = open || next.possible && explicitlyOpen(part)
	}
	if len(all) > 0 {
		return stepped{possible: true, required: required, schema: combine(all)}
	}
	for _, parts := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(parts) == 0 {
			continue
		}
		next := stepVariants(parts, token, seen)
		result.known = append(result.known, next.known...)
		if next.possible {
			next.required = next.required || contains(s.Required, token)
			return next
		}
	}
	result.possible = open || own.possible
	result.schema = own.schema
	sort.Strings(result.known)
	return result
}

// combine is what several parts of an allOf say about one member. A part that
// only repeats the kind of value (an override in the next part refines it) says
// nothing of its own.
func combine(all openapi3.SchemaRefs) *openapi3.SchemaRef {
	var telling openapi3.SchemaRefs
	for _, ref := range all {
		if ref.Value != nil && !bare(ref.Value) && !holdsSchema(telling, ref) {
			telling = append(telling, ref)
		}
	}
	switch len(telling) {
	case 0:
		return all[len(all)-1]
	case 1:
		return telling[0]
	default:
		return &openapi3.SchemaRef{Value: &openapi3.Schema{AllOf: telling}}
	}
}

func bare(s *openapi3.Schema) bool {
	return len(s.Properties)+len(s.Enum)+len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) == 0 && s.Const == nil && s.Items == nil && s.Format == "" &&
		s.AdditionalProperties.Schema == nil
}

func holdsSchema(all openapi3.SchemaRefs, ref *openapi3.SchemaRef) bool {
	for _, one := range all {
		if one.Value == ref.Value {
			return true
		}
	}
	return false
}

func stepVariants(parts openapi3.SchemaRefs, token string, seen map[*openapi3.Schema]bool) stepped {
	result := stepped{required: true, reason: "has no such member"}
	var all openapi3.SchemaRefs
	for _, part := range parts {
		if part.Value != nil && onlyNull(part.Value) {
			continue
		}
		next := step(part, token, seen)
		result.known = append(result.known, next.known...)
		result.required = result.required && next.required
		if !next.possible {
			result.required = false
			continue
		}
		result.possible = true
		all = append(all, next.schema)
	}
	result.schema = anyOf(all)
	result.required = result.required && result.possible
	return result
}

// anyOf is what several variants say about one member: each of their values
// where they fix them, else what the first says.
func anyOf(all openapi3.SchemaRefs) *openapi3.SchemaRef {
	var first *openapi3.SchemaRef
	fixed := false
	for _, ref := range all {
		if first == nil {
			first = ref
		}
		fixed = fixed || fixedValues(ref) != nil
	}
	if !fixed || len(all) == 1 {
		return first
	}
	for _, ref := range all {
		if ref == nil || ref.Value == nil {
			return nil // a variant that leaves it open
		}
	}
	return &openapi3.SchemaRef{Value: &openapi3.Schema{OneOf: all}}
}

// explicitlyOpen reports whether a part of an allOf allows any member by its
// own word, or says nothing about members because it is no object at all.
func explicitlyOpen(part *openapi3.SchemaRef) bool {
	s := part.Value
	if s == nil {
		return true
	}
	if has := s.AdditionalProperties.Has; has != nil && *has {
		return true
	}
	return s.AdditionalProperties.Schema != nil
}

func propertyNames(s *openapi3.Schema) []string {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// nearestPointer proposes the member that was meant, as a whole pointer.
func nearestPointer(tokens []string, at reached) string {
	best := nearest(at.missing, at.known)
	if best == "" {
		if len(at.known) == 0 {
			return ""
		}
		if len(at.known) > 12 {
			return ""
		}
		return "it lists " + list(compactStrings(at.known), "and")
	}
	fixed := append([]string{}, tokens...)
	for i, token := range fixed {
		if token == at.missing {
			fixed[i] = best
			break
		}
	}
	return `did you mean "` + joinPointer(fixed) + `"?`
}

func compactStrings(all []string) []string {
	var kept []string
	for _, s := range all {
		if !contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// firstScalar is a pointer to a scalar member of an object, for a hint.
func firstScalar(ref *openapi3.SchemaRef, pointer string) string {
	if ref == nil || ref.Value == nil {
		return ""
	}
	names := propertyNames(ref.Value)
	sort.SliceStable(names, func(i, j int) bool { return idLike(names[i]) && !idLike(names[j]) })
	for _, name := range names {
		if types := scalarTypes(ref.Value.Properties[name]); len(types) == 1 && (types[0] == "string" || types[0] == "integer") {
			return pointer + "/" + escapeToken(name)
		}
	}
	return ""
}

func idLike(name string) bool {
	return name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id")
}
