package runtime

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// condition is a compiled Condition.
type condition struct {
	from   selector
	op     Op
	values []string // comparable JSON, or plain texts
	texts  []string // of values, as a form has them
	want   bool
	asText bool
}

func (c *compiler) conditions(list []Condition) ([]condition, error) {
	var out []condition
	for _, d := range list {
		from, err := c.selector(d.From)
		if err != nil {
			return nil, err
		}
		values, texts := slices.Clone(d.Values), slices.Clone(d.Values)
		for i, v := range values {
			if d.From.Kind != Body && d.From.Kind != Envelope && d.From.Kind != Outer || d.AsText {
				continue
			}
			if !jsontext.Value(v).IsValid() {
				return nil, fmt.Errorf("condition on %s: %q is no JSON text", selectorText(d.From), v)
			}
			values[i], texts[i] = comparableJSON(jsontext.Value(v)), value{ok: true, json: jsontext.Value(v)}.plain()
		}
		out = append(out, condition{from, d.Op, values, texts, d.Want, d.AsText})
	}
	return out, nil
}

// holds reports whether all conditions hold. In the body JSON values are
// compared (true is not "true"; 1 and 1.0 are equal), elsewhere, and in forms,
// texts.
func (rq *request) holds(list []condition) (bool, *problem) {
	for i := range list {
		c := &list[i]
		v, err := rq.read(&c.from)
		if err != nil {
			return false, err
		}
		if !c.met(v) {
			return false, nil
		}
	}
	return true, nil
}

func (c *condition) met(v value) bool {
	if c.op == Present {
		return v.ok == c.want
	}
	if !v.ok {
		return false
	}
	if v.json == nil || c.asText && !v.composite() || c.from.Kind != Body && c.from.Kind != Envelope && c.from.Kind != Outer {
		return slices.Contains(c.texts, v.plain())
	}
	return slices.Contains(c.values, comparableJSON(v.json))
}

// enum is a compiled Enum.
type enum struct {
	pointer string
	slot    int
	values  map[string]bool
	texts   map[string]bool // as a form has them
}

func (c *compiler) enums(list []Enum) ([]enum, error) {
	var out []enum
	for _, e := range list {
		if err := c.pointers([]string{e.Pointer}); err != nil {
			return nil, err
		}
		values, texts := map[string]bool{}, map[string]bool{}
		for _, v := range e.Values {
			values[comparableJSON(jsontext.Value(v))] = true
			texts[value{ok: true, json: jsontext.Value(v)}.plain()] = true
		}
		out = append(out, enum{e.Pointer, c.bodySlot(e.Pointer), values, texts})
	}
	return out, nil
}

// deviations lists the values that the sender's document does not know, and
// those of a form that are of another type.
func (rq *request) deviations(list []enum) []Deviation {
	var out []Deviation
	if rq.typed != nil {
		out = append(out, rq.typed.odd...)
	}
	for i := range list {
		e := &list[i]
		raw := rq.slot(e.slot)
		if len(raw) == 0 || raw[0] == 'n' {
			continue
		}
		if known := e.values[comparableJSON(raw)] || rq.form != nil && !rq.json && raw[0] == '"' && e.texts[unquote(raw)]; !known {
			out = append(out, Deviation{Pointer: e.pointer, Kind: "enum"})
		}
	}
	return out
}
