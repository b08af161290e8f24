package spec

import "gopkg.in/yaml.v3"

// maxExpanded bounds the nodes that aliases may add to a file. Real documents
// use a handful; a bomb of nine levels wants 10^9.
const maxExpanded = 200_000

// expander replaces aliases and merge keys by copies of what they stand for,
// and refuses what a mapping must not have.
type expander struct {
	source *source
	report *report
	copied int
	stuck  bool // the bound was reached and has been reported
}

func newExpander(s *source, r *report) *expander { return &expander{source: s, report: r} }

// document is the content of a parsed document, expanded; nil when it is empty.
func (e *expander) document(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.DocumentNode {
		if len(n.Content) == 0 {
			return nil
		}
		n = n.Content[0]
	}
	n = e.expand(n)
	if e.stuck {
		return nil
	}
	return n
}

func (e *expander) expand(n *yaml.Node) *yaml.Node {
	switch n.Kind {
	case yaml.AliasNode:
		return e.copy(n.Alias, n)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			n.Content[i] = e.expand(item)
		}
	case yaml.MappingNode:
		e.refuseRepeats(n)
		e.mapping(n)
	}
	return n
}

// copy is a deep copy of an anchor's node, aliases in it expanded.
func (e *expander) copy(n, alias *yaml.Node) *yaml.Node {
	if e.copied++; e.copied > maxExpanded {
		if !e.stuck {
			e.stuck = true
			e.report.err(e.source.pos(alias), "alias-bomb", "", "aliases expand to more than %d nodes", maxExpanded)
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: alias.Line, Column: alias.Column}
	}
	if n.Kind == yaml.AliasNode {
		return e.copy(n.Alias, alias)
	}
	c := *n
	c.Anchor = ""
	c.Content = make([]*yaml.Node, 0, len(n.Content))
	for _, child := range n.Content {
		if e.stuck {
			break
		}
		c.Content = append(c.Content, e.copy(child, alias))
	}
	if e.stuck {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}
	}
	if c.Kind == yaml.MappingNode {
		e.mapping(&c)
	}
	return &c
}

// mapping expands the values and then takes merge keys in; what is written in
// place wins over what a merge brings.
func (e *expander) mapping(n *yaml.Node) {
	var own, merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], e.expand(n.Content[i+1])
		if isMerge(k) {
			merged = append(merged, e.mergeSources(v)...)
			continue
		}
		own = append(own, k, v)
	}
	n.Content = own
	for _, m := range merged {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if lookup(n, m.Content[i].Value) == nil {
				n.Content = append(n.Content, m.Content[i], m.Content[i+1])
			}
		}
	}
}

func (e *expander) mergeSources(v *yaml.Node) []*yaml.Node {
	switch v.Kind {
	case yaml.MappingNode:
		return []*yaml.Node{v}
	case yaml.SequenceNode:
		var all []*yaml.Node
		for _, item := range v.Content {
			all = append(all, e.mergeSources(item)...)
		}
		return all
	default:
		e.report.err(e.source.pos(v), "syntax", "", "a merge key wants a mapping or a list of mappings")
		return nil
	}
}

// refuseRepeats reports keys that stand twice and keys that are no text.
func (e *expander) refuseRepeats(n *yaml.Node) {
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == yaml.AliasNode && k.Alias.Kind == yaml.ScalarNode {
			k = e.copy(k.Alias, k)
			n.Content[i] = k
		}
		if k.Kind != yaml.ScalarNode {
			e.report.err(e.source.pos(k), "syntax", "", "a key must be text")
			continue
		}
		if isMerge(k) {
			continue
		}
		reportRepeat(e.report, e.source, seen, k)
	}
}

func reportRepeat(r *report, s *source, seen map[string]*yaml.Node, k *yaml.Node) {
	if first, ok := seen[k.Value]; ok {
		at := s.pos(first)
		r.err(s.pos(k), "duplicate-key", "keep one of them", "key %q stands already at line %d, column %d", k.Value, at.Line, at.Column)
		return
	}
	seen[k.Value] = k
}

func isMerge(k *yaml.Node) bool {
	return k.Kind == yaml.ScalarNode && k.Tag == "!!merge"
}

// lookup is the value of a key in a mapping, nil without.
func lookup(n *yaml.Node, name string) *yaml.Node {
	_, v := lookupPair(n, name)
	return v
}

func lookupPair(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i].Kind == yaml.ScalarNode {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}
