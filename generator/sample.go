package generator

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/whgen/whgen/spec"
)

// sampleBody is a body of the event: the document's example, else one made of
// the schema. An object in any case.
func sampleBody(e *spec.Event) *node {
	if len(e.Example) > 0 {
		if n, err := parseNode(e.Example); err == nil && n.object {
			return n
		}
	}
	if n := sampleOf(e.Schema); n != nil && n.object {
		return n
	}
	return &node{object: true}
}

// sampleOf makes a value that fits the schema: what it requires, nothing more.
// What requires itself has no such value, and is cut off.
func sampleOf(ref *openapi3.SchemaRef) *node {
	return (&sampling{on: map[string]bool{}, left: maxSample}).of(ref)
}

// maxSample bounds the values of a sample.
const maxSample = 1000

type sampling struct {
	on   map[string]bool // schemas on the way from the root
	left int
}

func (m *sampling) of(ref *openapi3.SchemaRef) *node {
	s := look(ref).schema
	m.left--
	if s == nil || m.on[identity(s)] || m.left < 0 {
		return textNode("sample")
	}
	m.on[identity(s)] = true
	defer delete(m.on, identity(s))
	for _, v := range []any{s.Const, first(s.Enum), s.Example, s.Default} {
		if v == nil {
			continue
		}
		if text, err := json.Marshal(v); err == nil {
			if n, err := parseNode(text); err == nil {
				return n
			}
		}
	}
	types := jsonTypes(s)
	if variants := realVariants(s); len(types) == 0 && len(variants) > 0 && len(s.Properties) == 0 {
		return m.of(variants[0])
	}
	f := flatten(s)
	if f.object || len(f.properties) > 0 {
		n := &node{object: true}
		for _, name := range sortedKeys(f.properties) {
			if f.required[name] {
				n.names, n.members = append(n.names, name), append(n.members, m.of(f.properties[name]))
			}
		}
		return n
	}
	return sampleScalar(s, types)
}

func first(values []any) any {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}

func sampleScalar(s *openapi3.Schema, types []string) *node {
	switch {
	case slices.Contains(types, "string"):
		return textNode(sampleText(s))
	case slices.Contains(types, "integer"), slices.Contains(types, "number"):
		if s.Min != nil && *s.Min > 1 {
			if text, err := json.Marshal(*s.Min + 1); err == nil {
				return scalarNode(string(text))
			}
		}
		return scalarNode("1")
	case slices.Contains(types, "boolean"):
		return scalarNode("true")
	case slices.Contains(types, "array"):
		return &node{array: true}
	}
	return textNode("sample")
}

func sampleText(s *openapi3.Schema) string {
	switch s.Format {
	case "date-time":
		return "2026-01-02T03:04:05Z"
	case "date":
		return "2026-01-02"
	case "email":
		return "ada@example.com"
	case "uuid":
		return "6f9619ff-8b86-4d01-b42d-00c04fc964ff"
	case "uri", "url":
		return "https://example.com/sample"
	}
	text := "sample"
	if n := int(s.MinLength); n > len(text) && n < 1000 {
		text += strings.Repeat("x", n-len(text))
	}
	return text
}

// sampleFor makes a value for a selector whose column or payload needs one.
func sampleFor(s *spec.Selector, columnType string, format string) *node {
	switch columnType {
	case "integer", "numeric":
		return scalarNode("1")
	case "boolean":
		return scalarNode("true")
	case "timestamp":
		if strings.HasPrefix(format, "unix") {
			return scalarNode("1767323045")
		}
		return textNode("2026-01-02T03:04:05Z")
	case "date":
		return textNode("2026-01-02")
	}
	if s.Schema != nil {
		return sampleOf(s.Schema)
	}
	return textNode("sample")
}
