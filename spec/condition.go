package spec

// conditions reads `when` and `signature.require`. Values of the body are kept
// as JSON texts, others as plain texts.
func (r *report) conditions(v *value, name string, kinds []SelectorKind) []Condition {
	var all []Condition
	for _, item := range v.each() {
		if !item.is(mapForm) {
			continue
		}
		if c, ok := r.condition(item, place{name, kinds}); ok {
			all = append(all, c)
		}
	}
	return all
}

func (r *report) condition(v *value, p place) (Condition, bool) {
	s := r.mapSelector(v, p)
	if s == nil {
		return Condition{}, false
	}
	c := Condition{From: *s}
	for _, op := range []string{"equals", "in", "present"} {
		n := v.get(op)
		if n == nil {
			continue
		}
		if c.Op != "" {
			r.err(v.keyPos(op), "condition", "write two conditions", "%s: %s and %s in one condition", p.name, c.Op, op)
			return Condition{}, false
		}
		c.Op, c.Present = op, isTrue(n)
		if op != "present" {
			c.Values = conditionValues(n, op, s.Kind)
		}
	}
	if c.Op == "" {
		r.err(v.at, "condition", "write equals, in or present", "%s: the condition says nothing about %q", p.name, s.Text())
		return Condition{}, false
	}
	return c, true
}

func conditionValues(n *value, op string, kind SelectorKind) []string {
	values := []*value{n}
	if op == "in" {
		values = n.each()
	}
	texts := make([]string, 0, len(values))
	for _, v := range values {
		if kind == SelectBody || kind == SelectItem || kind == SelectEnvelope {
			texts = append(texts, v.jsonText())
			continue
		}
		texts = append(texts, textOf(v))
	}
	return texts
}
