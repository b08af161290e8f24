package spec

import (
	"path"
	"strings"

	"gopkg.in/yaml.v3"
)

// tree is a document's nodes with the file that each came from. Nodes of the
// document itself are not listed: only those of overlays and of files that a
// $ref names.
type tree struct {
	root    *yaml.Node
	source  *source
	foreign map[*yaml.Node]*source
	files   map[string]*yaml.Node // by name; nil where reading failed
	read    ReadFile
	report  *report
	heirs   heirs
}

func (t *tree) pos(n *yaml.Node) Pos {
	if n == nil {
		return t.source.start()
	}
	return t.sourceOf(n).pos(n)
}

func (t *tree) sourceOf(n *yaml.Node) *source {
	if s, ok := t.foreign[n]; ok {
		return s
	}
	return t.source
}

// adopt notes that a node and all below it come from another file.
func (t *tree) adopt(n *yaml.Node, s *source) {
	if n == nil || s == t.source {
		return
	}
	t.foreign[n] = s
	for _, child := range n.Content {
		t.adopt(child, s)
	}
}

// clone copies a subtree together with where it came from, so that two targets
// of one action do not share nodes.
func (t *tree) clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = t.clone(child)
	}
	if s, ok := t.foreign[n]; ok {
		t.foreign[&c] = s
	}
	return &c
}

// resolve is the node that a $ref names, seen from a node that holds it; nil
// when there is none.
func (t *tree) resolve(ref string, from *yaml.Node) *yaml.Node {
	name, fragment, _ := strings.Cut(t.origin(ref, from), "#")
	root := t.root
	if name != t.source.name {
		root = t.file(name)
	}
	return pointerNode(root, fragment)
}

// origin is the place that a $ref names: file#pointer.
func (t *tree) origin(ref string, from *yaml.Node) string {
	file, fragment, _ := strings.Cut(ref, "#")
	name := t.baseOf(from)
	if file != "" {
		name = path.Join(path.Dir(name), unescapeURI(file))
	}
	return name + "#" + unescapeURI(fragment)
}

// baseOf is the file that relative references of a node start from: its own,
// but for nodes of an overlay the document that it is laid over.
func (t *tree) baseOf(n *yaml.Node) string {
	if s, ok := t.foreign[n]; ok {
		if _, external := t.files[s.name]; external {
			return s.name
		}
	}
	return t.source.name
}

func (t *tree) file(name string) *yaml.Node {
	if n, ok := t.files[name]; ok {
		return n
	}
	t.files[name] = nil
	if strings.Contains(name, "://") || strings.Contains(name, ":/") {
		return nil
	}
	text, err := t.read(name)
	if err != nil {
		return nil
	}
	s, n := readSource(name, text, t.report)
	if n != nil {
		t.adopt(n, s)
	}
	t.files[name] = n
	return n
}

// pointerNode follows a JSON Pointer.
func pointerNode(n *yaml.Node, pointer string) *yaml.Node {
	if pointer == "" {
		return n
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		if n = childNode(n, unescapeToken(token)); n == nil {
			return nil
		}
	}
	return n
}

func childNode(n *yaml.Node, token string) *yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return lookup(n, token)
	}
	i, ok := arrayIndex(token)
	if !ok || i >= len(n.Content) {
		return nil
	}
	return n.Content[i]
}
