package runtime

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// node is one step of the pointers that an endpoint reads. All of them are
// found in one pass over the body, by raw sub-slices.
type node struct {
	slot     int // -1: nobody asks for this value itself
	children []child
}

type child struct {
	quoted []byte // the member's name as a JSON string without escapes
	name   string
	index  int // as an array index, -1 where it is none
	node   *node
}

func newNode() *node { return &node{slot: -1} }

// add makes room for a pointer and gives its slot; equal pointers share one.
func (n *node) add(pointer string, slots *int) int {
	if pointer != "" {
		for token := range strings.SplitSeq(pointer[1:], "/") {
			n = n.step(unescapePointer(token))
		}
	}
	if n.slot < 0 {
		n.slot = *slots
		*slots++
	}
	return n.slot
}

func (n *node) step(name string) *node {
	for i := range n.children {
		if n.children[i].name == name {
			return n.children[i].node
		}
	}
	quoted, _ := jsontext.AppendQuote(nil, name)
	c := child{quoted: quoted, name: name, index: arrayIndex(name), node: newNode()}
	n.children = append(n.children, c)
	return c.node
}

// arrayIndex reads an RFC 6901 array index: digits without leading zeros.
func arrayIndex(name string) int {
	i, err := strconv.Atoi(name)
	if err != nil || strconv.Itoa(i) != name || i < 0 {
		return -1
	}
	return i
}

func unescapePointer(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

func validPointer(p string) bool { return jsontext.Pointer(p).IsValid() }

// scanner holds what one pass needs; they are pooled.
type scanner struct {
	buffer bytes.Buffer
	dec    *jsontext.Decoder
	body   []byte
	slots  []jsontext.Value
	name   []byte
}

var scanners = sync.Pool{New: func() any { return &scanner{dec: jsontext.NewDecoder(strings.NewReader(""))} }}

// scan validates the whole body (one value, unique names everywhere, UTF-8, at
// most 10,000 levels, nothing behind it; a byte order mark is refused) and
// fills slots with the raw values that the tree asks for. Absent ones are nil.
func scan(root *node, body []byte, slots []jsontext.Value) error {
	s := scanners.Get().(*scanner)
	defer s.release()
	s.buffer = *bytes.NewBuffer(body)
	s.dec.Reset(&s.buffer)
	s.body, s.slots = body, slots
	if err := s.value(root); err != nil {
		return err
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errors.New("there is more than one value")
		}
		return err
	}
	return nil
}

func (s *scanner) release() {
	s.buffer = bytes.Buffer{}
	s.dec.Reset(&s.buffer)
	s.body, s.slots = nil, nil
	scanners.Put(s)
}

// value reads one value and whatever n asks for in it.
func (s *scanner) value(n *node) error {
	if len(n.children) > 0 {
		switch s.dec.PeekKind() {
		case '{':
			return s.container(n, s.object)
		case '[':
			return s.container(n, s.array)
		}
	}
	v, err := s.dec.ReadValue()
	if err != nil {
		return err
	}
	if n.slot >= 0 {
		end := s.dec.InputOffset()
		s.slots[n.slot] = s.body[end-int64(len(v)) : end : end]
	}
	return nil
}

// container reads an object or array member by member, and keeps the whole
// where n asks for it too.
func (s *scanner) container(n *node, members func(*node) error) error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	start := s.dec.InputOffset() - 1
	if err := members(n); err != nil {
		return err
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	if n.slot >= 0 {
		end := s.dec.InputOffset()
		s.slots[n.slot] = s.body[start:end:end]
	}
	return nil
}

func (s *scanner) object(n *node) error {
	for s.dec.PeekKind() != '}' {
		name, err := s.dec.ReadValue()
		if err != nil {
			return err
		}
		if err := s.member(n.child(name, s)); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) array(n *node) error {
	for i := 0; s.dec.PeekKind() != ']'; i++ {
		if err := s.member(n.element(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) member(n *node) error {
	if n != nil {
		return s.value(n)
	}
	_, err := s.dec.ReadValue()
	return err
}

// child finds the child of a quoted name, decoding it only where it has escapes.
func (n *node) child(quoted []byte, s *scanner) *node {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		plain, err := jsontext.AppendUnquote(s.name[:0], quoted)
		if err != nil {
			return nil
		}
		s.name = plain
		for i := range n.children {
			if n.children[i].name == string(plain) {
				return n.children[i].node
			}
		}
		return nil
	}
	for i := range n.children {
		if bytes.Equal(n.children[i].quoted, quoted) {
			return n.children[i].node
		}
	}
	return nil
}

func (n *node) element(i int) *node {
	for k := range n.children {
		if n.children[k].index == i {
			return n.children[k].node
		}
	}
	return nil
}

// syntaxReason says what is wrong with a body, by place and without quoting it.
func syntaxReason(err error) string {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return "a member name is repeated near byte " + strconv.FormatInt(syntax.ByteOffset, 10)
	case errors.As(err, &syntax):
		return "the body is not valid JSON near byte " + strconv.FormatInt(syntax.ByteOffset, 10)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "the body is empty or ends early"
	default:
		return "the body is not one JSON value"
	}
}
