package runtime

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNesting is how many brackets a name is taken apart by; one with more
// stands flat.
const maxNesting = 32

// formNode is a place in the nested view of a form: data[FIELDS][ID] is
// /data/FIELDS/ID, and each [] another element.
type formNode struct {
	names    []string // of the children, in the order met
	children map[string]*formNode
	values   []string // of a field
	next     int      // index of the next []
}

// nest builds the nested view. Names that stand in flat, and those that
// contradict each other (a value and a group under one name), stand at the top
// by their whole name: nothing is lost, and the order received does not matter.
func (f *form) nest(flat map[string]bool) {
	alone := map[string]bool{}
	for {
		f.view = &formNode{}
		again := false
		for i := range f.fields {
			field := &f.fields[i]
			if field.file {
				continue
			}
			tokens := splitName(field.name)
			if flat[field.name] || alone[tokens[0]] {
				tokens = []string{field.name}
			}
			var ok bool
			if field.path, ok = f.view.insert(tokens, field.value); !ok {
				alone[tokens[0]], again = true, true
			}
		}
		if !again {
			f.repeated = map[string]bool{}
			f.view.findRepeated("", f.repeated)
			return
		}
	}
}

// splitName takes a name apart as PHP does: a[b][] is a, b and an empty token.
// One that is not written so is one token.
func splitName(name string) []string {
	open := strings.IndexByte(name, '[')
	if open <= 0 || name[len(name)-1] != ']' {
		return []string{name}
	}
	tokens := []string{name[:open]}
	for _, part := range strings.Split(name[open+1:len(name)-1], "][") {
		if strings.ContainsAny(part, "[]") || len(tokens) > maxNesting {
			return []string{name}
		}
		tokens = append(tokens, part)
	}
	return tokens
}

// insert puts a value at its place; false where a value stands on the way, or
// a group in its place.
func (n *formNode) insert(tokens []string, value string) (path []string, ok bool) {
	for i, token := range tokens {
		if len(n.values) > 0 {
			return nil, false
		}
		if token == "" && i > 0 {
			token = strconv.Itoa(n.next)
		}
		path = append(path, token)
		n = n.child(token)
	}
	n.values = append(n.values, value)
	return path, len(n.names) == 0
}

func (n *formNode) child(token string) *formNode {
	if c := n.children[token]; c != nil {
		return c
	}
	if n.children == nil {
		n.children = map[string]*formNode{}
	}
	c := &formNode{}
	n.children[token] = c
	n.names = append(n.names, token)
	if i := arrayIndex(token); i >= n.next && i < maxFields {
		n.next = i + 1
	}
	return c
}

// elements gives the children in order where they are numbered from 0 on
// without a gap; nil: they are members.
func (n *formNode) elements() []*formNode {
	out := make([]*formNode, len(n.names))
	for _, name := range n.names {
		i := arrayIndex(name)
		if i < 0 || i >= len(out) {
			return nil
		}
		out[i] = n.children[name]
	}
	return out
}

func (n *formNode) findRepeated(pointer string, into map[string]bool) {
	if len(n.values) > 1 {
		into[pointer] = true
	}
	for _, name := range n.names {
		n.children[name].findRepeated(pointer+"/"+escapePointer(name), into)
	}
}

func escapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// fieldShape is what the schema says of a place in the view: nil, nothing.
type fieldShape struct {
	kind     FieldType
	nullable bool
	members  map[string]*fieldShape
	each     *fieldShape // "*"
}

func newShape(fields []Field) *fieldShape {
	root := &fieldShape{kind: ObjectField}
	for _, f := range fields {
		at := root
		if f.Pointer != "" {
			for token := range strings.SplitSeq(f.Pointer[1:], "/") {
				at = at.step(unescapePointer(token))
			}
		}
		at.kind, at.nullable = f.Type, f.Nullable
	}
	return root
}

func (s *fieldShape) step(token string) *fieldShape {
	if token == "*" {
		if s.each == nil {
			s.each = &fieldShape{}
		}
		return s.each
	}
	if s.members == nil {
		s.members = map[string]*fieldShape{}
	}
	if s.members[token] == nil {
		s.members[token] = &fieldShape{}
	}
	return s.members[token]
}

func (s *fieldShape) below(token string) *fieldShape {
	switch {
	case s == nil:
		return nil
	case s.members[token] != nil:
		return s.members[token]
	}
	return s.each
}

func (s *fieldShape) is(kind FieldType) bool { return s != nil && s.kind == kind }

// viewWriter writes the view as JSON, texts converted after the shape. What
// does not convert stays a text and is noted.
type viewWriter struct {
	odd []string // pointers
}

func (w *viewWriter) node(b []byte, n *formNode, s *fieldShape, pointer string) []byte {
	if len(n.values) > 0 {
		return w.leaf(b, n.values, s, pointer)
	}
	elements := n.elements()
	if len(elements) > 0 && !s.is(ObjectField) {
		b = append(b, '[')
		for i, e := range elements {
			if i > 0 {
				b = append(b, ',')
			}
			name := strconv.Itoa(i)
			b = w.node(b, e, s.below(name), pointer+"/"+name)
		}
		return append(b, ']')
	}
	if s != nil && s.kind != ObjectField && s.kind != TextField {
		w.odd = append(w.odd, pointer)
	}
	b = append(b, '{')
	for i, name := range n.names {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, name)
		b = append(b, ':')
		b = w.node(b, n.children[name], s.below(name), pointer+"/"+escapePointer(name))
	}
	return append(b, '}')
}

// leaf writes a field; several values of one name are an array.
func (w *viewWriter) leaf(b []byte, values []string, s *fieldShape, pointer string) []byte {
	list := s.is(ArrayField)
	switch {
	case len(values) == 1 && list && jsonOf(values[0], '['):
		return append(b, values[0]...)
	case len(values) == 1 && !list:
		return w.scalar(b, values[0], s, pointer)
	case !list && s != nil:
		w.odd = append(w.odd, pointer)
	}
	var each *fieldShape
	if list {
		each = s.each
	}
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = w.scalar(b, v, each, pointer+"/"+strconv.Itoa(i))
	}
	return append(b, ']')
}

func (w *viewWriter) scalar(b []byte, text string, s *fieldShape, pointer string) []byte {
	converted, ok := text, false
	switch {
	case s == nil || s.kind == TextField:
		b, _ = jsontext.AppendQuote(b, text)
		return b
	case text == "" && s.nullable:
		converted, ok = "null", true
	case s.kind == NumberField:
		ok = jsonOf(text, '0')
	case s.kind == BooleanField:
		converted, ok = boolean(text)
	case s.kind == ObjectField:
		ok = jsonOf(text, '{')
	}
	if ok {
		return append(b, converted...)
	}
	w.odd = append(w.odd, pointer)
	b, _ = jsontext.AppendQuote(b, text)
	return b
}

// boolean reads what forms write for true and false.
func boolean(text string) (string, bool) {
	switch text {
	case "true", "1":
		return "true", true
	case "false", "0":
		return "false", true
	}
	return text, false
}

// jsonOf reports whether a text is one JSON value of a kind, without blanks
// around it.
func jsonOf(text string, kind jsontext.Kind) bool {
	v := jsontext.Value(text)
	return strings.TrimSpace(text) == text && v.Kind() == kind && v.IsValid()
}

// flatNames are the members of the top whose names have brackets.
func flatNames(into map[string]bool, fields []Field) {
	for _, f := range fields {
		if !strings.Contains(f.Pointer, "[") || strings.Count(f.Pointer, "/") != 1 {
			continue
		}
		into[unescapePointer(f.Pointer[1:])] = true
	}
}

// text renders the view with every value as the text that it is.
func (f *form) text() []byte {
	w := &viewWriter{}
	return w.node(nil, f.view, &fieldShape{kind: ObjectField}, "")
}

// typed renders the view after a shape, and says where it could not.
func (f *form) typed(s *fieldShape) (document []byte, odd []string) {
	w := &viewWriter{}
	document = w.node(nil, f.view, s, "")
	slices.Sort(w.odd)
	return document, w.odd
}
