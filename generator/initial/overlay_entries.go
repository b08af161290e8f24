package initial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// writeEntries marks the operations that are received.
func (p *proposer) writeEntries(w *writer, in int) {
	switch {
	case p.open && len(p.shapes) > 0 && p.taken[0].Target == "":
		p.askEntry(w, in)
	case p.open && len(p.taken) > 0:
		var lines []string
		for _, e := range p.taken {
			lines = append(lines, action(e)...)
		}
		w.question(in, "Which operation does the sender call? The document describes none as a webhook; these sound like it.", lines...)
	case p.open:
		p.askEntry(w, in)
	default:
		if len(p.taken) > 1 {
			w.line(0, "") // ends the proposal above
			w.line(in, "# Take out what you do not need: events of a type that is not listed are acknowledged and ignored.")
		}
		for _, e := range p.taken {
			for _, line := range action(e) {
				w.line(in, "%s", line)
			}
		}
		p.writeUntold(w, in)
	}
	p.writeLeft(w, in)
	p.writeRefused(w, in)
	w.line(0, "")
	w.line(in, "# effects: in an entry's x-whgen say what happens with an event; without any, a method in Go is called.")
}

// writeUntold names the entries whose type the document does not tell.
func (p *proposer) writeUntold(w *writer, in int) {
	var names []string
	for _, e := range p.taken {
		if e.untold {
			names = append(names, e.Name)
		}
	}
	if len(names) > 0 {
		w.question(in, fmt.Sprintf("The document does not tell which type these have on the wire: %s. Write it at them, as x-whgen: {event: the.value}; "+
			"without it their names are taken, and lint says so.", listed(names)))
	}
}

// writeLeft names the operations that are not taken, reason by reason.
func (p *proposer) writeLeft(w *writer, in int) {
	var reasons []string
	for _, l := range p.left {
		if !slices.Contains(reasons, l.why) {
			reasons = append(reasons, l.why)
		}
	}
	for _, why := range reasons {
		var names []string
		for _, l := range p.left {
			if l.why == why {
				names = append(names, l.name)
			}
		}
		w.question(in, fmt.Sprintf("These are left out, %s: %s. Do they come to this URL at all? They need an entry, an endpoint or a receiver of their own.",
			why, listed(names)))
	}
}

// listed names a dozen, and says how many more there are.
func listed(names []string) string {
	text := strings.Join(most(names, 12), ", ")
	if more := len(names) - 12; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// writeRefused tells what this version cannot generate of the document.
func (p *proposer) writeRefused(w *writer, in int) {
	for _, text := range most(p.refused, 6) {
		w.question(in, "whgen lint refuses what stands here: "+comment(text)+". Take the entry out, or say it otherwise.")
	}
	if more := len(p.refused) - 6; more > 0 {
		w.question(in, fmt.Sprintf("whgen lint names %d more of the kind.", more))
	}
}

// action marks one operation.
func action(e *entry) []string {
	policy := "{}"
	if e.event != "" {
		policy = "{event: " + yamlText(e.event) + "}"
	}
	if len(e.carried) == 0 {
		return []string{fmt.Sprintf("- {target: %s, update: {x-whgen: %s}}", yamlText(e.Target), policy)}
	}
	lines := []string{"- target: " + yamlText(e.Target), "  update:", "    x-whgen:", "      events:"}
	for _, kind := range e.carried {
		lines = append(lines, "        "+yamlText(kind)+": {}")
	}
	return lines
}

// askEntry proposes an entry of our own, for a document that has schemas but
// nothing that receives them.
func (p *proposer) askEntry(w *writer, in int) {
	candidates := p.shapes
	text := "Nothing in the document receives deliveries, so the overlay has to add the entry. Which schema does a delivery have?"
	ref := "'#/components/schemas/Event'"
	var names []string
	for _, s := range candidates {
		names = append(names, s.Name)
	}
	if len(names) > 0 {
		ref = "'" + candidates[0].Ref + "'"
		text += " By their names and members it may be " + strings.Join(most(names, 6), ", ") + "."
	}
	w.question(in, text,
		"- target: $", "  update:", "    webhooks:", "      event:", "        post:", "          x-whgen: {}",
		"          requestBody: {content: {application/json: {schema: {$ref: "+ref+"}}}}", `          responses: {"200": {description: Understood.}}`)
}

// eventSchemas are components that sound like deliveries: named so, and with
// an id and a type. The best first.
func eventSchemas(all []*spec.SchemaFacts) []*spec.SchemaFacts {
	score := func(s *spec.SchemaFacts) int {
		points := 0
		lower := strings.ToLower(s.Name)
		switch {
		case lower == "event" || lower == "webhookevent" || lower == "notification" || lower == "webhook_event":
			points += 3
		case strings.Contains(lower, "event") || strings.Contains(lower, "notification") || strings.Contains(lower, "webhook"):
			points++
		default:
			return 0
		}
		for _, m := range s.Members {
			switch {
			case depth(m) > 1:
			case rank(m, idNames) >= 0:
				points += 2
			case rank(m, typeNames) >= 0 && rank(m, typeNames) < 4:
				points += 2
			}
		}
		return points
	}
	found := slices.DeleteFunc(slices.Clone(all), func(s *spec.SchemaFacts) bool { return score(s) < 3 })
	slices.SortStableFunc(found, func(a, b *spec.SchemaFacts) int { return score(b) - score(a) })
	return found
}
