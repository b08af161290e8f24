package spec

import (
	"encoding/json"

	"gopkg.in/yaml.v3"
)

// example is the document's own example of an entry's body as JSON; nil where
// there is none, or only one that is no JSON. Numbers keep their digits.
func (t *tree) example(e *entry) []byte {
	b := e.body
	if b == nil {
		return nil
	}
	for _, n := range t.exampleNodes(b) {
		if n == nil {
			continue
		}
		if text := exampleText(n); text != nil {
			return text
		}
	}
	return nil
}

// exampleNodes are the places where an example may stand, best first.
func (t *tree) exampleNodes(b *body) []*yaml.Node {
	all := []*yaml.Node{lookup(b.node, "example")}
	if named := lookup(b.node, "examples"); named != nil {
		for i, item := range named.Content {
			if named.Kind == yaml.MappingNode && i%2 == 1 {
				all = append(all, lookup(t.deref(item), "value"))
			}
		}
	}
	schema := t.deref(b.schema)
	all = append(all, lookup(schema, "example"))
	if listed := lookup(schema, "examples"); listed != nil && listed.Kind == yaml.SequenceNode {
		all = append(all, listed.Content...)
	}
	return all
}

// exampleText is an example as JSON text. Some documents write it as a string
// of JSON.
func exampleText(n *yaml.Node) []byte {
	if n.Kind == yaml.ScalarNode && scalarForm(n) == textForm {
		if text := []byte(n.Value); json.Valid(text) && len(text) > 0 && (text[0] == '{' || text[0] == '[') {
			return text
		}
		return nil
	}
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return nil
	}
	if text := []byte(nodeJSON(n)); json.Valid(text) {
		return text
	}
	return nil
}
