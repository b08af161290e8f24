package runtime

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// text is a compiled Text.
type text []textPart

type textPart struct {
	literal string
	from    *selector
	digest  *digest
}

func (c *compiler) text(t Text) (text, error) {
	out := make(text, 0, len(t))
	for _, p := range t {
		if p.Digest != nil {
			d, err := c.digest(p.Digest)
			if err != nil {
				return nil, err
			}
			out = append(out, textPart{digest: d})
			continue
		}
		if p.From == nil {
			out = append(out, textPart{literal: p.Text})
			continue
		}
		s, err := c.selector(*p.From)
		if err != nil {
			return nil, err
		}
		out = append(out, textPart{from: &s})
	}
	return out, nil
}

// constant gives the text of a template without selectors.
func (t text) constant() (string, bool) {
	all := ""
	for _, p := range t {
		if p.from != nil || p.digest != nil {
			return "", false
		}
		all += p.literal
	}
	return all, true
}

// usesBody reports whether the template reads the body.
func (t text) usesBody() bool {
	for _, p := range t {
		if p.from.readsBody() {
			return true
		}
		if p.digest != nil && slices.ContainsFunc(p.digest.of, func(s selector) bool { return s.readsBody() }) {
			return true
		}
	}
	return false
}

func (s *selector) readsBody() bool {
	return s != nil && (s.Kind == Body || s.Kind == Envelope || s.Kind == Outer || s.Kind == Form)
}

// usesBody reports whether a payload reads the body.
func (p *payload) usesBody() bool {
	if p == nil {
		return false
	}
	for _, m := range p.object {
		if m.value.usesBody() {
			return true
		}
	}
	return slices.ContainsFunc(p.array, (*payload).usesBody) || p.value.readsBody() || p.text.usesBody()
}

// render fills a template; its values are required, objects come as compact JSON.
func (rq *request) render(t text) (string, *problem) {
	return rq.fill(t, func(_ *selector, text string) (string, *problem) { return text, nil })
}

// renderPath fills the path of an http effect: each value is one segment,
// percent-encoded. Values that would make another path are refused.
func (rq *request) renderPath(t text) (string, *problem) {
	return rq.fill(t, func(s *selector, text string) (string, *problem) {
		segment, ok := PathSegment(text)
		if !ok {
			return "", rejected("%s cannot be a segment of a path", selectorText(s.Selector))
		}
		return segment, nil
	})
}

// PathSegment is a value as one segment of a URL's path, percent-encoded. It is
// false for values that would make another path: "", "." and "..".
func PathSegment(value string) (string, bool) {
	if value == "" || value == "." || value == ".." {
		return "", false
	}
	return url.PathEscape(value), true
}

func (rq *request) fill(t text, each func(*selector, string) (string, *problem)) (string, *problem) {
	if len(t) == 1 && t[0].from == nil && t[0].digest == nil {
		return t[0].literal, nil
	}
	var b strings.Builder
	for _, p := range t {
		if p.digest != nil {
			text, err := rq.digestText(p.digest)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			continue
		}
		if p.from == nil {
			b.WriteString(p.literal)
			continue
		}
		v, err := rq.read(p.from)
		if err != nil {
			return "", err
		}
		if !v.ok && !p.from.Optional {
			return "", malformed("%s is missing", selectorText(p.from.Selector))
		}
		text, err := each(p.from, v.compact())
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// compact is plain, with objects and arrays without white space.
func (v value) compact() string {
	if !v.ok {
		return ""
	}
	if !v.composite() {
		return v.plain()
	}
	c := append(jsontext.Value(nil), v.json...)
	if err := c.Compact(); err != nil {
		return string(v.json)
	}
	return string(c)
}

// message is a compiled Message.
type message struct {
	effect  *Effect
	when    []condition
	payload *payload
	target  text
}

// payload is a compiled Payload; nil is the body as it came.
type payload struct {
	object  []payloadMember
	array   []*payload
	value   *selector
	text    text
	literal string
	kind    byte // 'o', 'a', 'v', 't', 'l'
}

type payloadMember struct {
	name  []byte // quoted, with its colon
	value *payload
}

func (c *compiler) messages(list []Message) ([]message, error) {
	var out []message
	for i := range list {
		d := &list[i]
		if d.Effect < 0 || d.Effect >= len(c.def.Effects) {
			return nil, fmt.Errorf("message %d names effect %d, which is not there", i, d.Effect)
		}
		m := message{effect: &c.def.Effects[d.Effect]}
		var err error
		if m.when, err = c.conditions(d.When); err != nil {
			return nil, fmt.Errorf("effect %s: %w", m.effect.Name, err)
		}
		if m.payload, err = c.payload(d.Payload); err != nil {
			return nil, fmt.Errorf("effect %s: payload: %w", m.effect.Name, err)
		}
		if m.target, err = c.text(d.Target); err != nil {
			return nil, fmt.Errorf("effect %s: path: %w", m.effect.Name, err)
		}
		out = append(out, m)
	}
	return out, nil
}

func (c *compiler) payload(p *Payload) (*payload, error) {
	switch {
	case p == nil:
		return nil, nil
	case p.Object != nil:
		return c.object(p.Object)
	case p.Array != nil:
		out := &payload{kind: 'a'}
		for i := range p.Array {
			v, err := c.payload(&p.Array[i])
			if err != nil {
				return nil, err
			}
			out.array = append(out.array, v)
		}
		return out, nil
	case p.Value != nil:
		s, err := c.selector(*p.Value)
		return &payload{kind: 'v', value: &s}, err
	case p.Text != nil:
		t, err := c.text(p.Text)
		return &payload{kind: 't', text: t}, err
	case !jsontext.Value(p.Literal).IsValid():
		return nil, errors.New("a constant is no JSON text")
	default:
		return &payload{kind: 'l', literal: p.Literal}, nil
	}
}

func (c *compiler) object(list []Member) (*payload, error) {
	out := &payload{kind: 'o'}
	for i := range list {
		v, err := c.payload(&list[i].Value)
		if err != nil {
			return nil, err
		}
		name, err := jsontext.AppendQuote(nil, list[i].Name)
		if err != nil {
			return nil, err
		}
		out.object = append(out.object, payloadMember{append(name, ':'), v})
	}
	return out, nil
}

// outgoing renders the event's messages whose conditions hold.
func (rq *request) outgoing(list []message, source, key string) ([]MessageRow, *problem) {
	var rows []MessageRow
	seen := map[string]int{}
	for i := range list {
		m := &list[i]
		on, err := rq.holds(m.when)
		if err != nil {
			return nil, err
		}
		if !on {
			continue
		}
		row := MessageRow{Effect: m.effect.Name}
		if n := seen[row.Effect]; n > 0 {
			row.Element = strconv.Itoa(n)
		}
		seen[row.Effect]++
		row.IdempotencyKey = IdempotencyKey(source, row.Effect, key, row.Element)
		if row.Payload, err = rq.messagePayload(m.payload); err != nil {
			return nil, err
		}
		if row.Target, err = rq.renderPath(m.target); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (rq *request) messagePayload(p *payload) ([]byte, *problem) {
	if p == nil {
		return rq.shared(), nil
	}
	out, written, err := rq.appendPayload(nil, p)
	if err == nil && !written {
		out = append(out, "null"...)
	}
	return out, err
}

// appendPayload writes p; nothing is written for an optional value that is not there.
func (rq *request) appendPayload(dst []byte, p *payload) ([]byte, bool, *problem) {
	switch p.kind {
	case 'o':
		return rq.appendObject(dst, p)
	case 'a':
		return rq.appendArray(dst, p)
	case 'v':
		v, err := rq.need(p.value)
		if err != nil || !v.ok {
			return dst, false, err
		}
		return rq.payloadJSON(dst, p.value, v), true, nil
	case 't':
		t, err := rq.render(p.text)
		if err != nil {
			return dst, false, err
		}
		dst, _ = jsontext.AppendQuote(dst, t)
		return dst, true, nil
	default:
		return append(dst, p.literal...), true, nil
	}
}

func (rq *request) appendObject(dst []byte, p *payload) ([]byte, bool, *problem) {
	dst = append(dst, '{')
	first := true
	for i := range p.object {
		start := len(dst)
		if !first {
			dst = append(dst, ',')
		}
		dst = append(dst, p.object[i].name...)
		out, written, err := rq.appendPayload(dst, p.object[i].value)
		if err != nil {
			return dst, false, err
		}
		if !written {
			dst = out[:start]
			continue
		}
		dst, first = out, false
	}
	return append(dst, '}'), true, nil
}

func (rq *request) appendArray(dst []byte, p *payload) ([]byte, bool, *problem) {
	dst = append(dst, '[')
	first := true
	for _, e := range p.array {
		start := len(dst)
		if !first {
			dst = append(dst, ',')
		}
		out, written, err := rq.appendPayload(dst, e)
		if err != nil {
			return dst, false, err
		}
		if !written {
			dst = out[:start]
			continue
		}
		dst, first = out, false
	}
	return append(dst, ']'), true, nil
}
