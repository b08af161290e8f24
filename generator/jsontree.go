package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a JSON value whose objects keep their order; sample bodies are made of it.
type node struct {
	text    string // of a scalar: JSON text
	names   []string
	members []*node // of an object, beside names, or of an array
	object  bool
	array   bool
}

func scalarNode(text string) *node { return &node{text: text} }

func textNode(s string) *node { return scalarNode(quote(s)) }

func quote(s string) string {
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b)
}

func parseNode(text []byte) (*node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	return readNode(d)
}

func readNode(d *jsontext.Decoder) (*node, error) {
	switch d.PeekKind() {
	case '{':
		n := &node{object: true}
		return n, n.fill(d, '}')
	case '[':
		n := &node{array: true}
		return n, n.fill(d, ']')
	}
	v, err := d.ReadValue()
	return scalarNode(string(v)), err
}

func (n *node) fill(d *jsontext.Decoder, end jsontext.Kind) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != end {
		if n.object {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			n.names = append(n.names, name.String())
		}
		m, err := readNode(d)
		if err != nil {
			return err
		}
		n.members = append(n.members, m)
	}
	_, err := d.ReadToken()
	return err
}

func (n *node) write(b *strings.Builder) {
	switch {
	case n.object:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(n.names[i]) + ":")
			m.write(b)
		}
		b.WriteByte('}')
	case n.array:
		b.WriteByte('[')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			m.write(b)
		}
		b.WriteByte(']')
	default:
		b.WriteString(n.text)
	}
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) clone() *node {
	c := *n
	c.names = append([]string(nil), n.names...)
	c.members = nil
	for _, m := range n.members {
		c.members = append(c.members, m.clone())
	}
	return &c
}

func (n *node) child(token string) (*node, int) {
	if n.array {
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.members) {
			return n.members[i], i
		}
		return nil, -1
	}
	for i, name := range n.names {
		if name == token {
			return n.members[i], i
		}
	}
	return nil, -1
}

func (n *node) at(pointer string) *node {
	for _, token := range pointerTokens(pointer) {
		if n, _ = n.child(token); n == nil {
			return nil
		}
	}
	return n
}

// set puts v at pointer, making the objects on the way.
func (n *node) set(pointer string, v *node) error {
	tokens := pointerTokens(pointer)
	if len(tokens) == 0 {
		*n = *v
		return nil
	}
	for _, token := range tokens[:len(tokens)-1] {
		next, _ := n.child(token)
		if next == nil || !next.object && !next.array {
			next = &node{object: true}
			if err := n.put(token, next); err != nil {
				return err
			}
		}
		n = next
	}
	return n.put(tokens[len(tokens)-1], v)
}

func (n *node) put(token string, v *node) error {
	if _, i := n.child(token); i >= 0 {
		n.members[i] = v
		return nil
	}
	if !n.object {
		return errors.New("pointer leads into an array that the sample does not have")
	}
	n.names, n.members = append(n.names, token), append(n.members, v)
	return nil
}

func (n *node) remove(pointer string) {
	tokens := pointerTokens(pointer)
	for i, token := range tokens {
		next, at := n.child(token)
		if next == nil {
			return
		}
		if i == len(tokens)-1 && n.object {
			n.names = append(n.names[:at], n.names[at+1:]...)
			n.members = append(n.members[:at], n.members[at+1:]...)
			return
		}
		n = next
	}
}

// plain is the text of a scalar, unquoted.
func (n *node) plain() string {
	if strings.HasPrefix(n.text, `"`) {
		var s string
		if json.Unmarshal([]byte(n.text), &s) == nil {
			return s
		}
	}
	return n.text
}

func pointerTokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens
}

func escapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}
