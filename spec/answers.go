package spec

// demanded are the outcomes without a default in sync mode.
func demanded(derived bool) []Outcome {
	if derived {
		return []Outcome{Processed, Duplicate, InProgress, Failed}
	}
	return []Outcome{Processed, Duplicate, Conflict, InProgress, Failed}
}

// answers resolves the outcomes of one event and holds them against the
// sender's habits.
func (w *work) answers() {
	v := w.policy.get("outcomes")
	at := w.contract.Pos // one gap at the root is one finding
	if v != nil {
		at = v.at
	}
	w.set = w.outcomesOf(v, at, demanded(w.event.Derived != nil))
	w.event.Outcomes = map[Outcome]Response{}
	for _, o := range outcomes {
		if o == Accepted {
			continue
		}
		r := w.set.resolve(o)
		if r == nil && o == Conflict && w.event.Derived != nil {
			r = w.set.resolve(Processed)
		}
		if r == nil {
			continue
		}
		c := *r
		w.holdResponse(o, &c)
		w.event.Outcomes[o] = c
	}
	if a := v.get(string(Accepted)); a != nil {
		w.warn(a.at, "outcome-unused", "", "outcome %q is never answered in sync mode", Accepted)
	}
	w.lintAnswers(w.set, w.sender)
	w.lintResponses(w.label, w.statuses, w.set)
}

// holdResponse holds the selectors of a response against the schema. The
// response may be shared with another outcome or event, so its templates are
// copied first.
func (w *work) holdResponse(o Outcome, r *Response) {
	if r.Body != nil {
		r.Body = w.holdCopy(*r.Body, "outcome "+string(o))
	}
	headers := make([]Header, len(r.Headers))
	for i, h := range r.Headers {
		headers[i] = Header{Name: h.Name, Value: *w.holdCopy(h.Value, "outcome "+string(o))}
	}
	r.Headers = headers
	if len(headers) == 0 {
		r.Headers = nil
	}
}

func (w *work) holdCopy(t Template, what string) *Template {
	c := Template{Pos: t.Pos, Parts: make([]TemplatePart, len(t.Parts))}
	copy(c.Parts, t.Parts)
	for i := range c.Parts {
		if c.Parts[i].Selector == nil {
			continue
		}
		s := *c.Parts[i].Selector
		w.hold(&s, what, true)
		c.Parts[i].Selector = &s
	}
	return &c
}
