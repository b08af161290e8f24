package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// writer writes JSON with one token a line and remembers which position of the
// user's each line stands for. kin-openapi's origins are lines of this text.
type writer struct {
	tree  *tree
	out   strings.Builder
	lines []Pos
	comma bool
}

func (w *writer) token(text string, at Pos) {
	if w.comma {
		w.out.WriteByte(',')
		w.comma = false
	}
	if len(w.lines) > 0 {
		w.out.WriteByte('\n')
	}
	w.out.WriteString(text)
	w.lines = append(w.lines, at)
}

func (w *writer) open(bracket string, at Pos) { w.token(bracket, at) }

func (w *writer) shut(bracket string) {
	w.comma = false
	w.out.WriteByte('\n')
	w.out.WriteString(bracket)
	w.lines = append(w.lines, Pos{})
	w.comma = true
}

func (w *writer) key(name string, at Pos) {
	w.token(quoteJSON(name)+":", at)
}

func (w *writer) raw(text string, at Pos) {
	w.token(text, at)
	w.comma = true
}

func (w *writer) text(text string, at Pos) { w.raw(quoteJSON(text), at) }

// textMember writes a member from a scalar node, if there is one.
func (w *writer) textMember(name string, parent *yaml.Node) {
	k, v := lookupPair(parent, name)
	if v == nil || v.Kind != yaml.ScalarNode || scalarForm(v) == nullForm {
		return
	}
	w.key(name, w.tree.pos(k))
	w.text(v.Value, w.tree.pos(v))
}

// node writes a subtree as it is.
func (w *writer) node(n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		w.open("{", w.tree.pos(n))
		for i := 0; i+1 < len(n.Content); i += 2 {
			w.key(n.Content[i].Value, w.tree.pos(n.Content[i]))
			w.node(n.Content[i+1])
		}
		w.shut("}")
	case yaml.SequenceNode:
		w.open("[", w.tree.pos(n))
		for _, item := range n.Content {
			w.node(item)
		}
		w.shut("]")
	default:
		w.raw(scalarJSON(scalarForm(n), n.Value), w.tree.pos(n))
	}
}
