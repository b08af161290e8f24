package generator

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/whgen/whgen/spec"
)

// FormField is what the schema says of a place in the nested view of a form.
type FormField struct {
	Pointer  string // "*" stands for every element
	Kind     string // a whrt.FieldType
	Nullable bool
}

// maxFormFields and maxFormDepth bound what recursive schemas unfold to; what
// is beyond stays a text.
const (
	maxFormFields = 256
	maxFormDepth  = 8
)

// formFields lists what the texts of a form body are converted to.
func formFields(e *spec.Event) []FormField {
	if e.Body != spec.FormBody && e.Body != spec.MultipartBody || e.Schema == nil {
		return nil
	}
	w := &fieldWalk{on: map[*openapi3.Schema]bool{}}
	w.walk(e.Schema, "", 0)
	return w.found
}

type fieldWalk struct {
	found []FormField
	on    map[*openapi3.Schema]bool // on the way from the root: recursion
}

func (w *fieldWalk) walk(ref *openapi3.SchemaRef, pointer string, depth int) {
	v := look(ref)
	s := v.schema
	if s == nil || w.on[s] || depth > maxFormDepth || len(w.found) == maxFormFields {
		return
	}
	w.on[s] = true
	defer delete(w.on, s)
	f := flatten(s)
	kind := fieldKind(s, f)
	flat := depth == 1 && strings.Contains(pointer, "[")
	if kind != "TextField" || flat {
		w.found = append(w.found, FormField{Pointer: pointer, Kind: kind, Nullable: v.nullable})
	}
	for _, name := range sortedKeys(f.properties) {
		w.walk(f.properties[name], pointer+"/"+escapePointer(name), depth+1)
	}
	if f.extra != nil {
		w.walk(f.extra, pointer+"/*", depth+1)
	}
	if kind == "ArrayField" {
		w.walk(s.Items, pointer+"/*", depth+1)
	}
}

// fieldKind: a value that may be of several types stays the text that it is.
func fieldKind(s *openapi3.Schema, f *flat) string {
	types := jsonTypes(s)
	slices.Sort(types)
	switch {
	case f.object || len(f.properties) > 0:
		return "ObjectField"
	case len(types) == 1 && types[0] == "array":
		return "ArrayField"
	case len(types) == 1 && types[0] == "boolean":
		return "BooleanField"
	case len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return t != "integer" && t != "number" }):
		return "NumberField"
	}
	return "TextField"
}
