package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// canonicalizer writes the canonical form of a JSON text in one pass: RFC 8785
// in order and strings, but numbers stay as they were received (as doubles 2^53
// and 2^53+1 would be one). It is for texts that scan has validated; of others
// it may write anything, or say that they are broken.
//
// Canonicalize of go-json-experiment/json does the same in three passes, and
// took a third of a receiver's CPU time.
type canonicalizer struct {
	in      []byte
	at      int
	keep    bool // the pointers name what stays, not what goes
	out     []byte
	members []place // of the objects that are open, innermost last
	spare   []byte
	name    []byte
}

// place is a written member: name and value are slices of out.
type place struct{ name, colon, end int }

var errNoJSON = errors.New("the text is not valid JSON")

// maxSpare is the size up to which buffers are kept for the next delivery, in bytes.
const maxSpare = 64 << 10

var canonicalizers = sync.Pool{New: func() any { return &canonicalizer{} }}

func (c *canonicalizer) release() {
	c.in = nil
	if cap(c.out) <= maxSpare && cap(c.spare) <= maxSpare {
		canonicalizers.Put(c)
	}
}

// canonicalize gives a canonical copy of a value.
func canonicalize(v jsontext.Value) (jsontext.Value, error) {
	c := &canonicalizer{}
	return c.project(v, &cut{}, false)
}

// project gives the canonical form of body without the members that pointers
// name, or with nothing but them. Where elements of an array lose everything
// they stay as null, so that positions do not shift; a member that is absent
// stays absent. The result is valid until the next call.
func (c *canonicalizer) project(body []byte, pointers *cut, keep bool) ([]byte, error) {
	c.in, c.at, c.keep, c.out, c.members = body, 0, keep, c.out[:0], c.members[:0]
	written, err := c.value([]*cut{pointers})
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	if !written {
		c.out = append(c.out, "null"...)
	}
	return c.out, nil
}

// value writes one value, and reports whether anything of it stays.
func (c *canonicalizer) value(cuts []*cut) (stays bool, err error) {
	switch {
	case ended(cuts):
		return c.whole(c.keep)
	case len(cuts) == 0:
		return c.whole(!c.keep)
	}
	switch c.peek() {
	case '{', '[':
		return c.container(cuts)
	}
	return c.whole(!c.keep)
}

// whole writes one value, or skips it.
func (c *canonicalizer) whole(stays bool) (bool, error) {
	start := len(c.out)
	var err error
	switch c.peek() {
	case '{', '[':
		_, err = c.container(nil)
	case '"':
		_, err = c.text()
	default:
		err = c.literal()
	}
	if !stays {
		c.out = c.out[:start]
	}
	return stays, err
}

// peek is the next byte that is no white space; 0 at the end.
func (c *canonicalizer) peek() byte {
	for ; c.at < len(c.in); c.at++ {
		switch b := c.in[c.at]; b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}

// literal copies a number, true, false or null.
func (c *canonicalizer) literal() error {
	start := c.at
	for c.at < len(c.in) {
		switch c.in[c.at] {
		case ',', ']', '}', ':', '"', '[', '{', ' ', '\t', '\r', '\n':
			goto end
		}
		c.at++
	}
end:
	if start == c.at {
		return errNoJSON
	}
	c.out = append(c.out, c.in[start:c.at]...)
	return nil
}

// text writes a string and gives its raw form. Without escapes it is canonical.
func (c *canonicalizer) text() ([]byte, error) {
	start, escaped := c.at, false
	for c.at++; ; c.at++ {
		if c.at >= len(c.in) {
			return nil, errNoJSON
		}
		if b := c.in[c.at]; b == '\\' {
			escaped = true
			c.at++
		} else if b == '"' {
			break
		}
	}
	c.at++
	raw := c.in[start:c.at]
	if !escaped {
		c.out = append(c.out, raw...)
		return raw, nil
	}
	plain, err := jsontext.AppendUnquote(c.name[:0], raw)
	if err != nil {
		return nil, err
	}
	c.name = plain
	c.out, err = jsontext.AppendQuote(c.out, plain)
	return raw, err
}

// container writes an object or array. Without cuts all of it stays.
func (c *canonicalizer) container(cuts []*cut) (bool, error) {
	start, open := len(c.out), c.in[c.at]
	c.at++
	c.out = append(c.out, open)
	base := len(c.members)
	written := false
	end := open + 2 // ']' and '}' in ASCII
	for i := 0; c.peek() != end; i++ {
		if i > 0 && !c.skip(',') {
			return false, errNoJSON
		}
		stays, err := c.inner(open, i, cuts)
		if err != nil {
			return false, err
		}
		written = written || stays
	}
	c.at++
	if cuts != nil && c.keep && !written {
		c.out, c.members = c.out[:start], c.members[:base]
		return false, nil
	}
	if open == '{' {
		c.sort(start+1, c.members[base:])
		c.members = c.members[:base]
	}
	c.out = append(bytes.TrimSuffix(c.out, []byte(",")), end)
	return true, nil
}

// inner writes a member or an element, with a comma behind it.
func (c *canonicalizer) inner(open byte, i int, cuts []*cut) (stays bool, err error) {
	start := len(c.out)
	if open == '[' {
		stays, err = c.element(i, cuts)
	} else {
		stays, err = c.member(cuts)
	}
	if err != nil || !stays {
		c.out = c.out[:start]
		return stays, err
	}
	c.out = append(c.out, ',')
	return true, nil
}

func (c *canonicalizer) member(cuts []*cut) (bool, error) {
	if c.peek() != '"' {
		return false, errNoJSON
	}
	m := place{name: len(c.out)}
	raw, err := c.text()
	if err != nil || c.peek() != ':' {
		return false, errors.Join(err, errNoJSON)
	}
	c.at++
	m.colon = len(c.out)
	c.out = append(c.out, ':')
	stays := true
	if cuts == nil {
		_, err = c.whole(true)
	} else {
		stays, err = c.value(below(cuts, c.plain(raw)))
	}
	if m.end = len(c.out); stays {
		c.members = append(c.members, m)
	}
	return stays, err
}

// plain is a name without quotes and escapes.
func (c *canonicalizer) plain(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	plain, _ := jsontext.AppendUnquote(c.name[:0], raw) // text has read it
	c.name = plain
	return plain
}

func (c *canonicalizer) element(i int, cuts []*cut) (bool, error) {
	if cuts == nil {
		return c.whole(true)
	}
	stays, err := c.value(below(cuts, strconv.AppendInt(nil, int64(i), 10)))
	if !stays && err == nil && slices.ContainsFunc(cuts, func(c *cut) bool { return c.children["*"] != nil }) {
		c.out = append(c.out, "null"...)
		stays = true
	}
	return stays, err
}

func (c *canonicalizer) skip(b byte) bool {
	if c.peek() != b {
		return false
	}
	c.at++
	return true
}

// sort puts the members of an object, which stand in out from start on, into
// the order of their names' UTF-16 code units.
func (c *canonicalizer) sort(start int, members []place) {
	less := func(a, b place) int { return c.compare(a, b) }
	if slices.IsSortedFunc(members, less) {
		return
	}
	slices.SortFunc(members, less)
	c.spare = c.spare[:0]
	for _, m := range members {
		c.spare = append(append(c.spare, c.out[m.name:m.end]...), ',')
	}
	c.out = append(c.out[:start], c.spare...)
}

// compare compares names, which are canonical strings here: escapes make a
// difference, so those with one are read again.
func (c *canonicalizer) compare(a, b place) int {
	x, y := c.out[a.name+1:a.colon-1], c.out[b.name+1:b.colon-1]
	if bytes.IndexByte(x, '\\') >= 0 || bytes.IndexByte(y, '\\') >= 0 {
		x, _ = jsontext.AppendUnquote(nil, c.out[a.name:a.colon])
		y, _ = jsontext.AppendUnquote(nil, c.out[b.name:b.colon])
	}
	return compareUTF16(x, y)
}

// compareUTF16 compares UTF-8 texts as UTF-16 would: only the characters above
// U+FFFF, whose surrogates come before U+E000, are not in the order of bytes.
func compareUTF16(x, y []byte) int {
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}
		less := x[i] < y[i]
		if x[i] >= 0xEE && y[i] >= 0xEE && (x[i] >= 0xF0) != (y[i] >= 0xF0) {
			less = !less
		}
		if less {
			return -1
		}
		return 1
	}
	return len(x) - len(y)
}
