package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/whgen/whgen/spec"
)

// typer makes Go types of schemas: named ones for what has a name in the
// document, for objects, enums and unions; once each.
type typer struct {
	types   []*Type
	byRef   map[string]*Type
	inline  map[inlineKey]*Type
	foreign foreign
}

// inlineKey tells the places apart that one inline schema can be reached from.
type inlineKey struct {
	schema string // identity
	parent *Type
}

func newTyper(models spec.Models) *typer {
	return &typer{byRef: map[string]*Type{}, inline: map[inlineKey]*Type{}, foreign: foreign{models: models, used: map[string]bool{}}}
}

// ranks of contested names: the lower one keeps it.
const (
	rankEffect = iota // what the user's code is written against
	rankComponent
	rankEvent
	rankNested
)

// place is where a schema stands, for the name of an inline type.
type place struct {
	parent *Type
	name   string // wire name of the member
	rank   int
	nested int // collections without a name around it
}

// of gives the type of a schema and whether null belongs to its values.
func (t *typer) of(ref *openapi3.SchemaRef, at place) (*GoType, bool) {
	v := look(ref)
	if v.schema == nil {
		return &GoType{Kind: RawGo}, v.nullable
	}
	if own := t.foreignSchema(v); own != nil {
		return own, v.nullable
	}
	return t.plain(v, at), v.nullable
}

func (t *typer) plain(v view, at place) *GoType {
	s := v.schema
	types := jsonTypes(s)
	if known := t.known(v, at); known != nil {
		return &GoType{Kind: NamedGo, Type: known}
	}
	switch {
	case len(realVariants(s)) > 0 && len(s.Properties) == 0:
		return t.union(v, at)
	case len(types) > 1 || len(types) == 0 && len(s.AllOf) == 0:
		return &GoType{Kind: RawGo}
	case len(s.AllOf) > 0 && (len(types) == 0 || types[0] == "object"):
		return t.merged(v, at)
	case types[0] == "object":
		return t.object(v, at, flatten(s))
	case types[0] == "array":
		return t.array(v, at)
	}
	return t.scalar(v, at, types[0])
}

func (t *typer) known(v view, at place) *Type {
	if v.ref != "" {
		return t.byRef[v.ref]
	}
	id := identity(v.schema)
	for p := at.parent; p != nil; p = p.parent {
		if p.schema == id {
			return p // the schema holds itself, and no name tells
		}
	}
	return t.inline[inlineKey{id, at.parent}]
}

// merged is an allOf: an object, or the one scalar that its parts agree on.
func (t *typer) merged(v view, at place) *GoType {
	f := flatten(v.schema)
	if f.object || len(f.properties) > 0 {
		return t.object(v, at, f)
	}
	merged := &openapi3.Schema{Title: v.schema.Title, Description: v.schema.Description, Nullable: v.nullable}
	if !gather(merged, v.schema, map[*openapi3.Schema]bool{}) || merged.Type == nil {
		return &GoType{Kind: RawGo}
	}
	return t.plain(view{ref: v.ref, schema: merged}, at)
}

// gather collects what the parts of an allOf say about one scalar or array;
// false where they contradict each other.
func gather(merged, s *openapi3.Schema, seen map[*openapi3.Schema]bool) bool {
	if s == nil || seen[s] {
		return true
	}
	seen[s] = true
	for _, part := range s.AllOf {
		if part != nil && !gather(merged, part.Value, seen) {
			return false
		}
	}
	if types := jsonTypes(s); len(types) == 1 {
		switch old := merged.Type; {
		case old == nil, old.Is("number") && types[0] == "integer":
			merged.Type = &openapi3.Types{types[0]}
		case old.Is(types[0]), old.Is("integer") && types[0] == "number":
		default:
			return false
		}
	}
	if s.Items != nil {
		merged.Items = s.Items
	}
	if s.Format != "" {
		merged.Format = s.Format
	}
	if len(s.Enum) > 0 {
		merged.Enum = s.Enum
	}
	if s.Const != nil {
		merged.Const = s.Const
	}
	return true
}

// add registers a type before its members are looked at, so that recursion ends.
func (t *typer) add(v view, at place, kind TypeKind) *Type {
	one := &Type{Kind: kind, Doc: docLines(sentence(v.schema.Title), v.schema.Description)}
	if v.ref != "" {
		name := refName(v.ref)
		one.wish, one.origin, one.rank, one.pointer = goName(name), name, rankComponent, v.ref
		t.byRef[v.ref] = one
	} else {
		one.wish, one.origin, one.rank, one.parent = goName(at.name), at.name, at.rank, at.parent
		one.schema = identity(v.schema)
		t.inline[inlineKey{one.schema, at.parent}] = one
	}
	t.types = append(t.types, one)
	return one
}

func refName(ref string) string {
	name := ref[strings.LastIndexByte(ref, '/')+1:]
	return strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
}

func (t *typer) object(v view, at place, f *flat) *GoType {
	switch {
	case len(f.properties) == 0 && f.extra == nil:
		return &GoType{Kind: RawGo}
	case len(f.properties) == 0:
		return t.dictionary(v, at, f.extra)
	}
	one := t.add(v, at, StructType)
	if len(one.Doc) == 0 {
		one.Doc = docLines(sentence(f.title), f.describe)
	}
	var claims []claim
	for _, name := range sortedKeys(f.properties) {
		field := t.field(one, name, f.properties[name], f.required[name])
		one.Fields = append(one.Fields, field)
		claims = append(claims, claim{wish: goName(name), origin: name, give: func(s string) { field.GoName = s }})
	}
	newScope(methodNames...).settle(claims)
	return &GoType{Kind: NamedGo, Type: one}
}

// methodNames are what structs have beside the document's members.
var methodNames = []string{"Rest", "MarshalJSON", "UnmarshalJSON"}

func (t *typer) field(parent *Type, name string, ref *openapi3.SchemaRef, required bool) *TypeField {
	goType, null := t.of(ref, place{parent: parent, name: name, rank: rankNested})
	return &TypeField{
		WireName: name, GoType: presence(goType, required, null), Required: required, Doc: fieldDoc(ref),
	}
}

// presence wraps a type so that absent, null and the zero value stay apart.
func presence(g *GoType, required, null bool) *GoType {
	aggregate := g.Kind == SliceGo || g.Kind == MapGo ||
		g.Kind == NamedGo && (g.Type.Kind == SliceType || g.Type.Kind == MapType)
	switch {
	case g.Kind == RawGo, required && !null:
		return g
	case null && (aggregate || !required):
		return &GoType{Kind: OptGo, Elem: g}
	case aggregate:
		return g
	default:
		return &GoType{Kind: PointerGo, Elem: g, Null: null}
	}
}

func fieldDoc(ref *openapi3.SchemaRef) []string {
	if ref == nil || ref.Value == nil {
		return nil
	}
	s := ref.Value
	var always string
	if text, ok := s.Const.(string); ok {
		always = fmt.Sprintf("Always %q.", text)
	} else if types := jsonTypes(s); len(types) > 1 {
		always = "One of: " + strings.Join(types, ", ") + "."
	}
	if ref.Ref != "" {
		return docLines(always) // the type has the description
	}
	return docLines(strings.TrimSpace(sentence(s.Description) + " " + always))
}

// maxNested bounds collections inside collections without a name: compilers
// give up somewhere beyond fifty.
const maxNested = 8

func (t *typer) array(v view, at place) *GoType {
	if v.ref == "" && at.parent != nil && at.nested < maxNested {
		elem, null := t.of(v.schema.Items, place{parent: at.parent, name: at.name + " item", rank: rankNested, nested: at.nested + 1})
		return &GoType{Kind: SliceGo, Elem: presence(elem, true, null)}
	}
	one := t.add(v, at, SliceType)
	elem, null := t.of(v.schema.Items, place{parent: one, name: "item", rank: rankNested})
	one.Elem = presence(elem, true, null)
	return &GoType{Kind: NamedGo, Type: one}
}

func (t *typer) dictionary(v view, at place, extra *openapi3.SchemaRef) *GoType {
	if v.ref == "" && at.parent != nil && at.nested < maxNested {
		elem, null := t.of(extra, place{parent: at.parent, name: at.name + " value", rank: rankNested, nested: at.nested + 1})
		return &GoType{Kind: MapGo, Elem: presence(elem, true, null)}
	}
	one := t.add(v, at, MapType)
	elem, null := t.of(extra, place{parent: one, name: "value", rank: rankNested})
	one.Elem = presence(elem, true, null)
	return &GoType{Kind: NamedGo, Type: one}
}

func (t *typer) scalar(v view, at place, jsonType string) *GoType {
	s := v.schema
	if len(s.Enum) > 0 {
		if g := t.enum(v, at, jsonType); g != nil {
			return g
		}
	}
	switch {
	case jsonType == "boolean":
		return &GoType{Kind: BoolGo}
	case jsonType == "number":
		return &GoType{Kind: NumberGo}
	case jsonType == "integer" && (s.Format == "int32" || s.Format == "int64" || bounded(s)):
		return &GoType{Kind: Int64Go}
	case jsonType == "integer":
		return &GoType{Kind: IntGo}
	case jsonType != "string":
		return &GoType{Kind: RawGo}
	case s.Format == "date-time":
		return &GoType{Kind: TimeGo}
	case s.Format == "date":
		return &GoType{Kind: DateGo}
	}
	return &GoType{Kind: StringGo}
}

// bounded reports whether the document promises 64 bits.
func bounded(s *openapi3.Schema) bool {
	const limit = 1 << 62
	return s.Min != nil && s.Max != nil && *s.Min >= -limit && *s.Max <= limit
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
