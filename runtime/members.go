package runtime

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

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

// members is a compiled Members.
type members struct {
	raw    bool
	cuts   *cut
	names  *cut // of a form: cuts, and decoded names
	keep   bool
	others []selector // what stands outside of the body, sorted by text
	texts  []string
}

func (c *compiler) members(m Members) (members, error) {
	if len(m.Of) == 0 && len(m.Exclude) == 0 && len(m.ExcludeForm) == 0 {
		return members{raw: true}, nil
	}
	if len(m.Of) == 0 {
		return members{cuts: newCut(m.Exclude), names: newFieldCut(m.Exclude, m.ExcludeForm)}, c.pointers(m.Exclude)
	}
	out := members{keep: true}
	var pointers, names []string
	of := slices.Clone(m.Of)
	slices.SortStableFunc(of, func(a, b Selector) int { return strings.Compare(selectorText(a), selectorText(b)) })
	for _, s := range of {
		if s.Kind == Body {
			pointers = append(pointers, s.Name)
			continue
		}
		if s.Kind == Form {
			names = append(names, s.Name)
			continue
		}
		sel, err := c.selector(s)
		if err != nil {
			return out, err
		}
		out.others = append(out.others, sel)
		out.texts = append(out.texts, selectorText(s))
	}
	out.cuts, out.names = newCut(pointers), newFieldCut(pointers, names)
	return out, c.pointers(pointers)
}

// newFieldCut is newCut for forms, whose fields can be named whole too.
func newFieldCut(pointers, names []string) *cut {
	root := newCut(pointers)
	for _, name := range names {
		root.step(name).end = true
	}
	return root
}

// digest is SHA-256 over the members of a JSON document, or the fields of a
// form, absence included.
func (m *members) digest(rq *request) ([]byte, error) {
	h := sha256.New()
	switch {
	case rq.form != nil && !rq.json:
		rq.form.hashInto(h, func(f *formField) bool { return f.within(m.names) == m.keep })
	case rq.json:
		c := canonicalizers.Get().(*canonicalizer)
		defer c.release()
		text, err := c.project(rq.doc, m.cuts, m.keep)
		if err != nil {
			return nil, err
		}
		h.Write(text)
	}
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
