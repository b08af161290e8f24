package generator

import (
	"go/token"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// targets plans the paths of http effects that the handler enqueues: it knows the
// values, and the selectors name the parameters that take them.
func targets(p *Plan) {
	for _, e := range p.Effects {
		if !e.FromHandler || e.Spec.Path == nil {
			continue
		}
		names := newScope("o", "p", "nil")
		for _, part := range e.Spec.Path.Parts {
			if part.Selector == nil {
				e.Target = append(e.Target, TargetPart{Literal: part.Text})
				continue
			}
			e.Target = append(e.Target, TargetPart{Param: e.param(part.Selector, names)})
		}
	}
}

// param is the index of the parameter for a selector; one that stands twice in a
// path is one parameter.
func (e *Effect) param(s *spec.Selector, names *scope) int {
	wire := s.Text()
	i := slices.IndexFunc(e.Params, func(p Param) bool { return p.WireName == wire })
	if i >= 0 {
		return i
	}
	e.Params = append(e.Params, Param{GoName: names.take(paramName(s), wire), WireName: wire})
	return len(e.Params) - 1
}

// paramName is the last word of a selector: /order/id is id, header:X-Tenant is
// xTenant. With id alone, which says nothing, the word before it is taken too.
func paramName(s *spec.Selector) string {
	last := s.Name
	if s.Pointer != "" {
		tokens := strings.Split(strings.TrimPrefix(s.Pointer, "/"), "/")
		last = strings.NewReplacer("~1", "/", "~0", "~").Replace(tokens[len(tokens)-1])
		if n := len(tokens); strings.EqualFold(last, "id") && n > 1 {
			last = tokens[n-2] + "_" + last
		}
	}
	name := lowerFirst(goName(last))
	if strings.ToUpper(name[1:]) == name[1:] {
		name = strings.ToLower(name) // ID alone
	}
	if token.IsKeyword(name) {
		return name + "Value"
	}
	return name
}
