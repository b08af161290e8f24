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
		values := slices.Clone(d.Values)
		for i, v := range values {
			if d.From.Kind != Body && d.From.Kind != Envelope || d.AsText {
				continue
			}
			if !jsontext.Value(v).IsValid() {
				return nil, fmt.Errorf("condition on %s: %q is no JSON text", selectorText(d.From), v)
			}
			values[i] = comparableJSON(jsontext.Value(v))
		}
		out = append(out, condition{from, d.Op, values, d.Want, d.AsText})
	}
	return out, nil
}

// holds reports whether all conditions hold. In the body JSON values are
// compared (true is not "true"; 1 and 1.0 are equal), elsewhere texts.
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
	text := v.text
	switch {
	case v.json != nil && c.asText && !v.composite():
		text = v.plain()
	case v.json != nil:
		text = comparableJSON(v.json)
	}
	return slices.Contains(c.values, text)
}

// enum is a compiled Enum.
type enum struct {
	pointer string
	slot    int
	values  map[string]bool
}

func (c *compiler) enums(list []Enum) ([]enum, error) {
	var out []enum
	for _, e := range list {
		if err := c.pointers([]string{e.Pointer}); err != nil {
			return nil, err
		}
		values := map[string]bool{}
		for _, v := range e.Values {
			values[comparableJSON(jsontext.Value(v))] = true
		}
		out = append(out, enum{e.Pointer, c.bodySlot(e.Pointer), values})
	}
	return out, nil
}

// deviations lists the values that the sender's document does not know.
func (rq *request) deviations(list []enum) []Deviation {
	var out []Deviation
	for i := range list {
		e := &list[i]
		raw := rq.slot(e.slot)
		if len(raw) == 0 || raw[0] == 'n' {
			continue
		}
		if !e.values[comparableJSON(raw)] {
			out = append(out, Deviation{Pointer: e.pointer, Kind: "enum"})
		}
	}
	return out
}
