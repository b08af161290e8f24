package generator

import (
	"time"

	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// fields drops what is not there; the emitters give nil for zero values.
func fields(all ...jen.Code) []jen.Code {
	var out []jen.Code
	for _, c := range all {
		if c != nil {
			out = append(out, c)
		}
	}
	return out
}

// field is `name: value`, nil where the value is nil.
func field(name string, value jen.Code) jen.Code {
	if value == nil {
		return nil
	}
	return jen.Id(name).Op(":").Add(value)
}

func textField(name, text string) jen.Code {
	if text == "" {
		return nil
	}
	return field(name, jen.Lit(text))
}

func onlyIf(on bool, c jen.Code) jen.Code {
	if !on {
		return nil
	}
	return c
}

// list is `[]whrt.T{{...}, {...}}`, nil where empty.
func list(typeName string, n int, element func(i int) []jen.Code) jen.Code {
	if n == 0 {
		return nil
	}
	var all []jen.Code
	for i := range n {
		all = append(all, jen.Values(multilineLong(element(i))...))
	}
	return jen.Index().Add(whrt(typeName)).Values(multilineLong(all)...)
}

// multilineLong breaks only what is more than a few words.
func multilineLong(all []jen.Code) []jen.Code {
	if len(all) <= 2 {
		return all
	}
	return multiline(all)
}

func texts(all []string) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, s := range all {
			g.Lit(s)
		}
	})
}

func durations(all []time.Duration) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return jen.Index().Qual("time", "Duration").ValuesFunc(func(g *jen.Group) {
		for _, d := range all {
			g.Add(duration(d))
		}
	})
}

// duration is `5 * time.Second`.
func duration(d time.Duration) *jen.Statement {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d != 0 && d%u.size == 0 {
			return jen.Lit(int(d/u.size)).Op("*").Qual("time", u.name)
		}
	}
	return jen.Lit(int(d))
}

// timing is what bounds one attempt.
type timing struct{ answerWithin, deadline, inProgressWait time.Duration }

func timingLiteral(t timing) jen.Code {
	return whrt("Timing").Values(
		jen.Id("AnswerWithin").Op(":").Add(duration(t.answerWithin)),
		jen.Id("Deadline").Op(":").Add(duration(t.deadline)),
		jen.Id("InProgressWait").Op(":").Add(duration(t.inProgressWait)),
	)
}

// unlisted gives timing and key of types that nobody listed: what all events
// of the endpoint agree on; the timing of the most impatient.
func unlisted(e *spec.Endpoint) (timing, []spec.Selector) {
	t := timing{8 * time.Second, 30 * time.Second, 2 * time.Second}
	var key []spec.Selector
	for i, event := range e.Events {
		own := timing{event.AnswerWithin, event.Deadline, event.InProgressWait}
		if i == 0 {
			t, key = own, event.Key
			continue
		}
		if own.answerWithin < t.answerWithin {
			t = own
		}
		if !sameSelectors(key, event.Key) {
			key = nil
		}
	}
	return t, key
}

func sameSelectors(a, b []spec.Selector) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text() != b[i].Text() || a[i].Optional != b[i].Optional || (a[i].Default == nil) != (b[i].Default == nil) ||
			a[i].Default != nil && *a[i].Default != *b[i].Default {
			return false
		}
	}
	return true
}

var kinds = map[spec.SelectorKind]string{
	spec.SelectHeader: "Header", spec.SelectQuery: "Query", spec.SelectForm: "Form", spec.SelectPath: "Path",
	spec.SelectSigned: "Signed", spec.SelectParam: "Param", spec.SelectConst: "Const", spec.SelectMethod: "Method", spec.SelectEnvelope: "Outer",
}

func selector(s spec.Selector) []jen.Code {
	name, kind := s.Pointer, jen.Code(nil)
	if s.Kind == spec.SelectEnvelope {
		kind = whrt("Outer")
	} else if s.Kind != spec.SelectBody && s.Kind != spec.SelectItem {
		name, kind = s.Name, whrt(mustKnow(string(s.Kind), kindNames()))
	}
	switch {
	case s.Kind == spec.SelectParam:
		name = s.Setting // the runtime knows settings, not the contract's names for them
	case s.Kind == spec.SelectMethod:
		name = ""
	case s.Whole:
		kind = whrt("Envelope")
	}
	value := ""
	if s.Default != nil {
		value = *s.Default
	}
	return fields(
		field("Kind", kind),
		onlyIf(name != "" || s.Kind != spec.SelectMethod, field("Name", jen.Lit(name))),
		onlyIf(s.Optional, field("Optional", jen.True())),
		textField("Default", value),
	)
}

func kindNames() map[string]string {
	out := map[string]string{}
	for k, name := range kinds {
		out[string(k)] = name
	}
	return out
}

func selectors(all []spec.Selector) jen.Code {
	return list("Selector", len(all), func(i int) []jen.Code { return selector(all[i]) })
}

// members is `whrt.Members{...}`, the empty one for nil.
func members(m *spec.Members) *jen.Statement {
	if m == nil {
		m = &spec.Members{}
	}
	exclude, names := bodyPlaces(m.Exclude)
	return whrt("Members").Values(fields(field("Of", selectors(m.Of)), field("Exclude", texts(exclude)), field("ExcludeForm", texts(names)))...)
}

func conditions(all []spec.Condition) jen.Code {
	return list("Condition", len(all), func(i int) []jen.Code { return conditionFields(all[i]) })
}

func conditionFields(c spec.Condition) []jen.Code {
	return fields(
		field("From", whrt("Selector").Values(selector(c.From)...)),
		onlyIf(c.Op == "in", field("Op", whrt("In"))),
		onlyIf(c.Op == "present", field("Op", whrt("Present"))),
		field("Values", texts(c.Values)),
		onlyIf(c.Present, field("Want", jen.True())),
	)
}

// text is a template as whrt.Text, nil without one.
func text(t *spec.Template) jen.Code {
	if t == nil {
		return nil
	}
	var parts []jen.Code
	for _, p := range t.Parts {
		if p.Digest != nil {
			parts = append(parts, digestPart(p.Digest))
			continue
		}
		if p.Selector != nil {
			parts = append(parts, jen.Values(jen.Id("From").Op(":").Op("&").Add(whrt("Selector")).Values(selector(*p.Selector)...)))
			continue
		}
		parts = append(parts, jen.Values(jen.Id("Text").Op(":").Lit(p.Text)))
	}
	return whrt("Text").Values(parts...)
}

func payloadTree(p *spec.Payload) []jen.Code {
	switch {
	case p == nil:
		return nil // the raw body
	case p.IsObject && len(p.Members) == 0:
		return []jen.Code{field("Literal", jen.Lit("{}"))}
	case p.IsObject:
		return []jen.Code{field("Object", list("Member", len(p.Members), func(i int) []jen.Code {
			m := p.Members[i]
			return []jen.Code{jen.Id("Name").Op(":").Lit(m.Name), jen.Id("Value").Op(":").Add(whrt("Payload")).Values(payloadTree(m.Value)...)}
		}))}
	case p.IsArray && len(p.Items) == 0:
		return []jen.Code{field("Literal", jen.Lit("[]"))}
	case p.IsArray:
		return []jen.Code{field("Array", list("Payload", len(p.Items), func(i int) []jen.Code { return payloadTree(p.Items[i]) }))}
	case p.Selector != nil:
		return []jen.Code{field("Value", jen.Op("&").Add(whrt("Selector")).Values(selector(*p.Selector)...))}
	case p.Template != nil:
		return []jen.Code{field("Text", text(p.Template))}
	}
	return []jen.Code{field("Literal", jen.Lit(p.Literal))}
}
