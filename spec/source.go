package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// source is one file as it was read. Its table of lines translates the
// parser's positions (lines after YAML's rules, columns in characters) into
// those that editors show (bytes; U+2028 and its like break no line).
type source struct {
	name   string
	text   []byte
	lines  []int  // byte offset at which each line of the parser begins
	odd    []bool // that line begins after a break that only YAML knows
	before []int  // how many such lines there are up to it
	ascii  bool   // a character is a byte
	bytes  bool   // the parser counted columns in bytes
}

// readSource parses one file. The tree is nil when there is a finding that
// leaves nothing to look at.
func readSource(name string, text []byte, r *report) (*source, *yaml.Node) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	s := &source{name: name, text: text, bytes: path.Ext(name) == ".json"}
	if s.bytes {
		s.index(false)
		return s, readJSON(s, r)
	}
	s.index(true)
	root := s.parseYAML(r)
	if root == nil {
		return s, nil
	}
	return s, newExpander(s, r).document(root)
}

// parseYAML parses the first document and refuses a second one.
func (s *source) parseYAML(r *report) *yaml.Node {
	d := yaml.NewDecoder(bytes.NewReader(s.text))
	root, err := decodeNode(d)
	switch {
	case errors.Is(err, io.EOF):
		r.err(s.start(), "syntax", "", "the file is empty")
		return nil
	case err != nil:
		s.reportSyntax(err, r)
		return nil
	}
	second, err := decodeNode(d)
	switch {
	case err == nil:
		r.err(s.pos(second), "second-document", "split the file", "a second YAML document begins here; a contract is one document")
	case !errors.Is(err, io.EOF):
		s.reportSyntax(err, r)
		return nil
	}
	return root
}

func decodeNode(d *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	n = new(yaml.Node)
	if err := d.Decode(n); err != nil {
		return nil, err
	}
	return n, nil
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// reportSyntax turns the parser's error into a finding at its line. A tab is
// looked for by ourselves, because the parser names the line after it.
func (s *source) reportSyntax(err error, r *report) {
	text, line := err.Error(), 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	for _, near := range []int{line, line - 1, line + 1} {
		if column := s.tabIn(near); column > 0 {
			r.err(s.at(near, column), "tab", "indent with blanks", "a tab stands in the indentation, which YAML forbids")
			return
		}
	}
	r.err(s.at(line, 1), "syntax", "", "%s", strings.TrimPrefix(text, "yaml: "))
}

// tabIn is the column of a tab in the indentation of a line, 0 without one.
func (s *source) tabIn(line int) int {
	if line < 1 || line > len(s.lines) {
		return 0
	}
	for i, b := range s.text[s.lines[line-1]:] {
		switch b {
		case ' ':
		case '\t':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

func (s *source) start() Pos { return Pos{File: s.name, Line: 1, Column: 1} }

func (s *source) pos(n *yaml.Node) Pos { return s.at(n.Line, n.Column) }

// at is the user's position of a position of the parser, always inside the file.
func (s *source) at(line, column int) Pos {
	if line < 1 {
		return s.start()
	}
	if line > len(s.lines) {
		line, column = len(s.lines), 1
	}
	offset := s.lines[line-1]
	end := len(s.text)
	if line < len(s.lines) {
		end = s.lines[line]
	}
	for end > offset && (s.text[end-1] == '\n' || s.text[end-1] == '\r') {
		end--
	}
	if s.bytes || s.ascii {
		return s.offset(min(offset+max(column, 1)-1, end))
	}
	for i := 1; i < column && offset < end; i++ {
		_, width := utf8.DecodeRune(s.text[offset:])
		offset += width
	}
	return s.offset(min(offset, end))
}

// offset is the position of a byte, lines counted by \n, \r\n and \r.
func (s *source) offset(at int) Pos {
	near := searchLine(s.lines, at)
	for s.odd[near] {
		near--
	}
	return Pos{File: s.name, Line: near + 1 - s.before[near], Column: at - s.lines[near] + 1}
}

func searchLine(starts []int, at int) int {
	low, high := 0, len(starts)
	for high-low > 1 {
		if middle := (low + high) / 2; starts[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// index fills the table of lines. Without yaml, only \n, \r\n and \r break one.
func (s *source) index(yaml bool) {
	s.ascii = true
	s.begin(0, false)
	for i := 0; i < len(s.text); i++ {
		b := s.text[i]
		switch {
		case b == '\r' && i+1 < len(s.text) && s.text[i+1] == '\n':
			i++
			s.begin(i+1, false)
		case b == '\n' || b == '\r':
			s.begin(i+1, false)
		case b < utf8.RuneSelf:
		default:
			s.ascii = false
			if width := oddBreak(s.text[i:]); yaml && width > 0 {
				s.begin(i+width, true)
			}
		}
	}
}

func (s *source) begin(at int, odd bool) {
	count := 0
	if n := len(s.lines); n > 0 {
		count = s.before[n-1]
	}
	if odd {
		count++
	}
	s.lines, s.odd, s.before = append(s.lines, at), append(s.odd, odd), append(s.before, count)
}

// oddBreak is the width of a line break that YAML knows and editors do not.
func oddBreak(text []byte) int {
	for _, b := range []string{"\u0085", "\u2028", "\u2029"} {
		if bytes.HasPrefix(text, []byte(b)) {
			return len(b)
		}
	}
	return 0
}
