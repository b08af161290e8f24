package spec

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"
)

// readJSON reads a JSON file into the same kind of tree. A YAML parser would
// take most of it, but not surrogate escapes or long keys, and slowly.
func readJSON(s *source, r *report) *yaml.Node {
	j := &jsonReader{source: s, report: r, in: jsontext.NewDecoder(bytes.NewReader(s.text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(false))}
	n, err := j.value()
	if err == nil {
		if _, end := j.in.ReadToken(); !errors.Is(end, io.EOF) {
			err = errors.New("more follows after the document's end")
		}
	}
	if err != nil {
		j.fail(err)
		return nil
	}
	return n
}

type jsonReader struct {
	source *source
	report *report
	in     *jsontext.Decoder
}

func (j *jsonReader) fail(err error) {
	at := j.source.offset(min(j.skip(int(j.in.InputOffset())), len(j.source.text)))
	if errors.Is(err, io.EOF) {
		j.report.err(at, "syntax", "", "the file ends too early")
		return
	}
	text := err.Error()
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at = j.source.offset(min(int(syntax.ByteOffset), len(j.source.text)))
		text = syntax.Err.Error()
	}
	j.report.err(at, "syntax", "", "%s", strings.TrimPrefix(text, "jsontext: "))
}

// skip is the offset of the next token after blanks and separators.
func (j *jsonReader) skip(at int) int {
	for at < len(j.source.text) && strings.IndexByte(" \t\r\n,:", j.source.text[at]) >= 0 {
		at++
	}
	return at
}

func (j *jsonReader) node(kind yaml.Kind, at int) *yaml.Node {
	p := j.source.offset(at)
	return &yaml.Node{Kind: kind, Line: p.Line, Column: p.Column, Style: yaml.FlowStyle}
}

func (j *jsonReader) value() (*yaml.Node, error) {
	at := j.skip(int(j.in.InputOffset()))
	token, err := j.in.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return j.object(at)
	case '[':
		return j.array(at)
	default:
		return j.scalar(token, at), nil
	}
}

func (j *jsonReader) object(at int) (*yaml.Node, error) {
	n, seen := j.node(yaml.MappingNode, at), map[string]*yaml.Node{}
	for j.in.PeekKind() != '}' {
		k, err := j.value()
		if err != nil {
			return nil, err
		}
		reportRepeat(j.report, j.source, seen, k)
		v, err := j.value()
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, k, v)
	}
	_, err := j.in.ReadToken()
	return n, err
}

func (j *jsonReader) array(at int) (*yaml.Node, error) {
	n := j.node(yaml.SequenceNode, at)
	for j.in.PeekKind() != ']' {
		v, err := j.value()
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, v)
	}
	_, err := j.in.ReadToken()
	return n, err
}

func (j *jsonReader) scalar(token jsontext.Token, at int) *yaml.Node {
	n := j.node(yaml.ScalarNode, at)
	n.Value, n.Style = token.String(), 0
	switch token.Kind() {
	case '"':
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	case '0':
		n.Tag = "!!int"
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case 't', 'f':
		n.Tag = "!!bool"
	default:
		n.Tag = "!!null"
	}
	return n
}
