package spec

import "gopkg.in/yaml.v3"

// uncovered adds the types that an entry can carry by its discriminator and
// that none of its events takes, to the entries that carry no x-whgen.
func (l *loader) uncovered(others []Uncovered, plans []*eventPlan) []Uncovered {
	all := append([]Uncovered{}, others...)
	for _, e := range l.entries {
		carried := e.policy.get("events")
		schema := l.carrying(e)
		if !carried.is(mapForm) || schema == nil {
			continue
		}
		member := textOfNode(lookup(lookup(schema, "discriminator"), "propertyName"))
		if where := l.root.get("event", "type"); !where.is(textForm) || where.text != "/"+escapeToken(member) {
			continue
		}
		for _, one := range l.tree.values(schema) {
			if !taken(one.value, e, plans) {
				all = append(all, Uncovered{Name: e.name + " " + one.value, Pos: one.at})
			}
		}
	}
	return all
}

func textOfNode(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// values are those of a discriminator, by its mapping or its children.
func (t *tree) values(n *yaml.Node) []choice {
	if all := t.choices(n); all != nil {
		return all
	}
	var all []choice
	mapping := lookup(lookup(n, "discriminator"), "mapping")
	for i := 0; mapping != nil && mapping.Kind == yaml.MappingNode && i+1 < len(mapping.Content); i += 2 {
		all = append(all, choice{value: mapping.Content[i].Value, at: t.pos(mapping.Content[i])})
	}
	return all
}

// taken reports whether an event of the entry takes a type.
func taken(kind string, e *entry, plans []*eventPlan) bool {
	for _, p := range plans {
		if p.entry != e {
			continue
		}
		if matchesType(p.key, kind) {
			return true
		}
		for _, is := range p.policy.get("event", "is").each() {
			if matchesType(is.text, kind) {
				return true
			}
		}
	}
	return false
}
