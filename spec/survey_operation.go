package spec

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// operations lists what could be received, in the document's order.
func (s *surveyor) operations() {
	for _, container := range []string{"webhooks", "x-webhooks"} {
		if n := lookup(s.tree.root, container); n != nil {
			s.webhooks(container, n, jsonPath("$", container))
		}
	}
	paths := lookup(s.tree.root, "paths")
	for i := 0; paths != nil && paths.Kind == yaml.MappingNode && i+1 < len(paths.Content); i += 2 {
		k, v := paths.Content[i], paths.Content[i+1]
		s.item(found{container: "paths", name: lastSegment(k.Value), key: k, target: jsonPath(jsonPath("$", "paths"), k.Value)}, v)
	}
	callbacks := lookup(lookup(s.tree.root, "components"), "callbacks")
	s.callbacks(callbacks, jsonPath(jsonPath("$", "components"), "callbacks"))
}

// found is where an operation was met.
type found struct {
	container, name string
	key             *yaml.Node
	target          string
}

func (s *surveyor) webhooks(container string, n *yaml.Node, target string) {
	for i, item := range contentOf(n) {
		at := fmt.Sprintf("%s[%d]", target, i)
		if name := lookup(item, "name"); name != nil && name.Kind == yaml.ScalarNode {
			s.item(found{container: container, name: name.Value, key: name, target: at}, item)
			continue
		}
		s.webhooks(container, item, at)
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		at := found{container: container, name: k.Value, key: k, target: jsonPath(target, k.Value)}
		if item := s.tree.derefItem(v); isOperation(item) {
			s.operation(at, "post", item)
			continue
		}
		s.item(at, v)
	}
}

// item reads the operations of a path item. Where it is a reference the policy
// stands beside that.
func (s *surveyor) item(at found, n *yaml.Node) {
	item := s.tree.derefItem(n)
	for _, method := range methods {
		op := lookup(item, method)
		if op == nil || op.Kind != yaml.MappingNode {
			continue
		}
		one := at
		if lookup(n, "$ref") == nil {
			one.target = jsonPath(at.target, method)
		}
		s.callbacks(lookup(op, "callbacks"), jsonPath(one.target, "callbacks"))
		if id := textAt(op, "operationId"); id != "" && at.container == "paths" {
			one.name = id
		}
		s.operation(one, method, op)
	}
}

func (s *surveyor) callbacks(n *yaml.Node, target string) {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if lookup(v, "$ref") != nil {
			continue // one of components, which is listed there
		}
		for j := 0; v.Kind == yaml.MappingNode && j+1 < len(v.Content); j += 2 {
			expression := v.Content[j].Value
			if !strings.HasPrefix(expression, "x-") {
				s.item(found{container: "callbacks", name: k.Value, key: k, target: jsonPath(jsonPath(target, k.Value), expression)}, v.Content[j+1])
			}
		}
	}
}

func (s *surveyor) operation(at found, method string, n *yaml.Node) {
	o := &Operation{
		Pos: s.tree.pos(at.key), Container: at.container, Name: at.name, ID: textAt(n, "operationId"), Target: at.target, Method: method,
		Statuses: declaredStatuses(&entry{operation: n}), Security: s.security(n),
	}
	if matches, err := queryTree(s.tree.root, at.target); err != nil || len(matches) != 1 {
		o.Target = ""
	}
	if parameters := lookup(n, "parameters"); parameters != nil {
		for _, p := range parameters.Content {
			if p = s.tree.deref(p); textAt(p, "in") == "header" {
				o.Headers = append(o.Headers, textAt(p, "name"))
				s.header(textAt(p, "name"))
			}
		}
	}
	s.signed(n, fernName)
	request := s.tree.deref(lookup(n, "requestBody"))
	o.Media = keysOf(lookup(request, "content"))
	o.Body = request != nil
	if b := choose(s.tree.bodies(lookup(request, "content")), nil); b != nil && b.schema != nil {
		o.Members = s.members(b.schema, maxMembers)
		o.Discriminator = s.discriminator(b.schema, 0)
		o.Example = s.tree.example(&entry{operation: n, body: b})
	}
	s.out.Operations = append(s.out.Operations, o)
}

// security is what the operation itself demands: what stands at the top of a
// document is for calls in the other direction.
func (s *surveyor) security(n *yaml.Node) []Security {
	var all []Security
	demanded := lookup(n, "security")
	if demanded == nil {
		return nil
	}
	schemes := lookup(lookup(s.tree.root, "components"), "securitySchemes")
	for _, one := range demanded.Content {
		for _, name := range keysOf(one) {
			if d := s.tree.deref(lookup(schemes, name)); d != nil {
				all = append(all, Security{Type: textAt(d, "type"), Scheme: strings.ToLower(textAt(d, "scheme")), In: textAt(d, "in"), Name: textAt(d, "name")})
			}
		}
	}
	return all
}

// jsonPath adds a member to a path, in the shorthand where that is enough.
func jsonPath(base, name string) string {
	plain := name != ""
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		plain = plain && (letter || i > 0 && c >= '0' && c <= '9')
	}
	if plain {
		return base + "." + name
	}
	return base + "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "']"
}
