package runtime

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// canonicalOptions are RFC 8785 in order and strings, but numbers stay as they
// were received: as doubles 2^53 and 2^53+1 would be one.
var canonicalOptions = []jsontext.Options{
	jsontext.CanonicalizeRawInts(false),
	jsontext.CanonicalizeRawFloats(false),
}

func canonicalize(v jsontext.Value) (jsontext.Value, error) {
	c := slices.Clone(v)
	if err := c.Canonicalize(canonicalOptions...); err != nil {
		return nil, fmt.Errorf("canonicalize: %w", err)
	}
	return c, nil
}

// cut is one step of the pointers of Members: which members go (or stay). "*"
// stands for every element of an array and every member of an object.
type cut struct {
	end      bool
	children map[string]*cut
}

func newCut(pointers []string) *cut {
	root := &cut{}
	for _, p := range pointers {
		n := root
		if p != "" {
			for token := range strings.SplitSeq(p[1:], "/") {
				n = n.step(unescapePointer(token))
			}
		}
		n.end = true
	}
	return root
}

func (c *cut) step(name string) *cut {
	next := c.children[name]
	if next == nil {
		if c.children == nil {
			c.children = map[string]*cut{}
		}
		next = &cut{}
		c.children[name] = next
	}
	return next
}

// below gives the steps that apply to a member.
func below(cuts []*cut, name []byte) []*cut {
	var next []*cut
	for _, c := range cuts {
		if n := c.children[string(name)]; n != nil {
			next = append(next, n)
		}
		if n := c.children["*"]; n != nil && string(name) != "*" {
			next = append(next, n)
		}
	}
	return next
}

func ended(cuts []*cut) bool { return slices.ContainsFunc(cuts, func(c *cut) bool { return c.end }) }

// projection writes a document without what it leaves out.
type projection struct {
	dec  *jsontext.Decoder
	keep bool // the pointers name what stays, not what goes
	out  []byte
}

// project gives body without the members that pointers name, or with nothing
// but them. Where elements of an array lose everything they stay as null, so
// that positions do not shift; a member that is absent stays absent.
func project(body []byte, pointers *cut, keep bool) (jsontext.Value, error) {
	p := projection{dec: jsontext.NewDecoder(bytes.NewBuffer(body)), keep: keep}
	written, err := p.value([]*cut{pointers})
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	if !written {
		p.out = append(p.out, "null"...)
	}
	return p.out, nil
}

// value writes one value, and reports whether anything of it stays.
func (p *projection) value(cuts []*cut) (bool, error) {
	switch {
	case ended(cuts):
		return p.whole(p.keep)
	case len(cuts) == 0:
		return p.whole(!p.keep)
	}
	switch p.dec.PeekKind() {
	case '{':
		return p.container(cuts, '{', '}', p.members)
	case '[':
		return p.container(cuts, '[', ']', p.elements)
	}
	return p.whole(!p.keep)
}

// whole copies or skips one value.
func (p *projection) whole(stays bool) (bool, error) {
	v, err := p.dec.ReadValue()
	if stays {
		p.out = append(p.out, v...)
	}
	return stays, err
}

func (p *projection) container(cuts []*cut, open, end byte, inner func([]*cut) (bool, error)) (bool, error) {
	start := len(p.out)
	if _, err := p.dec.ReadToken(); err != nil {
		return false, err
	}
	p.out = append(p.out, open)
	written, err := inner(cuts)
	if err != nil {
		return false, err
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return false, err
	}
	if p.keep && !written {
		p.out = p.out[:start]
		return false, nil
	}
	p.out = append(bytes.TrimSuffix(p.out, []byte(",")), end)
	return true, nil
}

func (p *projection) members(cuts []*cut) (any bool, err error) {
	for p.dec.PeekKind() != '}' {
		start := len(p.out)
		quoted, err := p.dec.ReadValue()
		if err != nil {
			return false, err
		}
		p.out = append(append(p.out, quoted...), ':')
		name, err := jsontext.AppendUnquote(nil, quoted)
		if err != nil {
			return false, err
		}
		written, err := p.value(below(cuts, name))
		if err != nil {
			return false, err
		}
		if !written {
			p.out = p.out[:start]
			continue
		}
		p.out = append(p.out, ',')
		any = true
	}
	return any, nil
}

func (p *projection) elements(cuts []*cut) (any bool, err error) {
	every := slices.ContainsFunc(cuts, func(c *cut) bool { return c.children["*"] != nil })
	for i := 0; p.dec.PeekKind() != ']'; i++ {
		written, err := p.value(below(cuts, fmt.Append(nil, i)))
		if err != nil {
			return false, err
		}
		if !written && every {
			p.out = append(p.out, "null"...)
			written = true
		}
		if written {
			p.out = append(p.out, ',')
			any = true
		}
	}
	return any, nil
}

// members is a compiled Members.
type members struct {
	raw    bool
	cuts   *cut
	keep   bool
	others []selector // what stands outside of the body, sorted by text
	texts  []string
}

func (c *compiler) members(m Members) (members, error) {
	if len(m.Of) == 0 && len(m.Exclude) == 0 {
		return members{raw: true}, nil
	}
	if len(m.Of) == 0 {
		return members{cuts: newCut(m.Exclude)}, c.pointers(m.Exclude)
	}
	out := members{keep: true}
	var pointers []string
	of := slices.Clone(m.Of)
	slices.SortStableFunc(of, func(a, b Selector) int { return strings.Compare(selectorText(a), selectorText(b)) })
	for _, s := range of {
		if s.Kind == Body {
			pointers = append(pointers, s.Name)
			continue
		}
		sel, err := c.selector(s)
		if err != nil {
			return out, err
		}
		out.others = append(out.others, sel)
		out.texts = append(out.texts, selectorText(s))
	}
	out.cuts = newCut(pointers)
	return out, c.pointers(pointers)
}

// digest is SHA-256 over the members of a JSON body, absence included.
func (m *members) digest(rq *request) ([]byte, error) {
	var body jsontext.Value
	if rq.json {
		v, err := project(rq.body, m.cuts, m.keep)
		if err != nil {
			return nil, err
		}
		if err := v.Canonicalize(canonicalOptions...); err != nil {
			return nil, fmt.Errorf("canonicalize: %w", err)
		}
		body = v
	}
	h := sha256.New()
	h.Write(body)
	for i := range m.others {
		v, problem := rq.read(&m.others[i])
		if problem != nil {
			return nil, problem
		}
		if v.ok {
			fmt.Fprintf(h, "\n%s=%q", m.texts[i], v.plain())
		}
	}
	return h.Sum(nil), nil
}
