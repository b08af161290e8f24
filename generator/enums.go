package generator

import (
	"encoding/json"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// enumsOf lists the members of a body, outside of arrays, whose values the
// document lists: a receiver counts other ones.
func enumsOf(ref *openapi3.SchemaRef) []*Enum {
	w := &enumWalk{on: map[string]bool{}}
	w.walk(ref, "", 0)
	return w.found
}

type enumWalk struct {
	found []*Enum
	steps int
	on    map[string]bool // on the way from the root: recursion
}

// maxEnums bounds what is looked at for each delivery, maxEnumSteps the looking
// for it here.
const (
	maxEnums     = 64
	maxEnumSteps = 20_000
)

func (w *enumWalk) walk(ref *openapi3.SchemaRef, pointer string, depth int) {
	v := look(ref)
	s := v.schema
	if w.steps++; s == nil || w.steps > maxEnumSteps || w.on[identity(s)] || depth > 8 || len(w.found) == maxEnums {
		return
	}
	if len(s.Enum) > 0 && pointer != "" {
		w.found = append(w.found, &Enum{Pointer: pointer, Values: enumTexts(s, v.nullable)})
		return
	}
	if values, _, ok := constants(realVariants(s)); ok && len(values) > 0 && pointer != "" {
		w.found = append(w.found, &Enum{Pointer: pointer, Values: enumTexts(&openapi3.Schema{Enum: values}, v.nullable)})
		return
	}
	if len(realVariants(s)) > 0 && len(s.Properties) == 0 {
		return // which variant's list counts is not known here
	}
	w.on[identity(s)] = true
	f := flatten(s)
	for _, name := range sortedKeys(f.properties) {
		w.walk(f.properties[name], pointer+"/"+escapePointer(name), depth+1)
	}
	delete(w.on, identity(s))
}

func enumTexts(s *openapi3.Schema, null bool) []string {
	var out []string
	for _, v := range s.Enum {
		if text, err := json.Marshal(v); err == nil {
			out = append(out, string(text))
		}
	}
	if null && !slices.Contains(out, "null") {
		out = append(out, "null")
	}
	return out
}
