package explain

import (
	"fmt"
	"slices"
	"strings"
)

// events prints what several events have in common once, for those that share
// all of it, and below that what each has of its own.
func (p *page) events(r *Receiver) {
	p.heading(2, "Events")
	for _, group := range alike(r.Events) {
		p.facts(common(group[0])...)
		p.list(group[0].Key.Warnings)
		var rows [][]string
		for _, e := range group {
			kinds := codes(e.Types)
			switch {
			case len(e.Types) == 0:
				kinds = "whatever arrives"
			case !e.Confirmed:
				kinds += " (unconfirmed: only the entry's name)"
			}
			at := ""
			if len(r.Endpoints) > 1 {
				at = strings.Join(e.Endpoints, ", ")
			}
			rows = append(rows, []string{code(e.Name), kinds, code(e.Entry), at, codes(e.When), yes(e.Handler, "yes"), codes(e.Effects), unmark(e.Summary)})
		}
		p.table([]string{"event", "type", "entry", "endpoints", "only when", "handler in Go", "effects", "summary"}, rows)
	}
}

// alike groups events whose common facts are equal, in their order.
func alike(all []*Event) [][]*Event {
	var groups [][]*Event
	for _, e := range all {
		i := slices.IndexFunc(groups, func(g []*Event) bool {
			return slices.Equal(common(g[0]), common(e)) && slices.Equal(g[0].Key.Warnings, e.Key.Warnings)
		})
		if i < 0 {
			groups = append(groups, []*Event{e})
			continue
		}
		groups[i] = append(groups[i], e)
	}
	return groups
}

// common are the facts that events usually share.
func common(e *Event) [][2]string {
	return [][2]string{
		{"event key", keyText(e.Key)},
		{"fingerprint", e.Fingerprint},
		{"captured request", e.Replay},
		{"key kept for", e.Retention.For + ": " + e.Retention.Why},
		{"body kept", e.PayloadKept},
		{"times", fmt.Sprintf("answered within %s; another's work waited for %s; own work ends after %s", e.AnswerWithin, e.InProgressWait, e.Deadline)},
	}
}

func keyText(k Key) string {
	if k.Derived != "" {
		return k.Derived
	}
	var parts []string
	for _, one := range k.Parts {
		word := " (signed)"
		if !one.Signed {
			word = " (not signed)"
		}
		parts = append(parts, code(one.From)+word)
	}
	return strings.Join(parts, " + ")
}

func (p *page) effects(r *Receiver) {
	if len(r.Effects) == 0 {
		return
	}
	p.heading(2, "Effects")
	for _, e := range r.Effects {
		p.heading(3, e.Name)
		p.effect(r, e)
		for _, u := range e.Uses {
			p.use(e, u)
		}
	}
}

func (p *page) effect(r *Receiver, e *Effect) {
	kind := map[string]string{
		"record": "a row in " + code(e.Table) + ", in the transaction that claims the event key",
		"call":   "a message to a method in Go, stored in that transaction and sent by the relay",
		"http":   "a request to " + code(e.To) + ", stored in that transaction and sent by the relay",
	}[e.Kind]
	unique := ""
	if len(e.Unique) > 0 {
		unique = codes(e.Unique) + "; a second one: " + map[string]string{
			"reject": "the event is rejected", "fail": "the event fails", "keep": "the first row stays", "update": "the row is updated",
		}[e.OnConflict]
	}
	p.facts(
		[2]string{"what", kind},
		[2]string{"unique", unique},
		[2]string{"enqueued", yes(e.Enqueue == "handler", "where the handler asks for it")},
		[2]string{"idempotency key", yes(e.Key != "", prose(e.keyForm(r))+"; "+unmark(e.Key))},
		[2]string{"schedule", e.Schedule.text()},
		[2]string{"fence", prose(e.Fence)},
	)
}

// keyForm is how a message's key is made; docs/semantics.md has the details.
func (e *Effect) keyForm(r *Receiver) string {
	return "`" + r.Source + ":" + e.Name + ":<event key>`"
}

func (s *Schedule) text() string {
	if s == nil {
		return ""
	}
	text := "one attempt"
	if s.Attempts > 1 {
		text = fmt.Sprintf("%d attempts: at once, then after %s", s.Attempts, strings.Join(s.Delays, ", "))
	}
	if s.Jitter > 0 {
		text += fmt.Sprintf(", each up to %.0f %% later", 100*s.Jitter)
	}
	text += fmt.Sprintf("; each may take %s, so the last ends after %s at the latest", s.Timeout, s.EndsAfter)
	switch {
	case s.Remembers == "" || s.Remembers == "always":
	case s.Inside:
		text += ", inside the " + s.Remembers + " for which the key is remembered"
	default:
		text += ", past the " + s.Remembers + " for which the key is remembered"
	}
	return text
}

func (p *page) use(e *Effect, u Use) {
	var rows [][]string
	for _, c := range u.Columns {
		rows = append(rows, []string{code(c.Column), code(c.From), yes(c.Null, "NULL where absent")})
	}
	in := "In " + code(u.Event)
	if len(u.When) > 0 {
		in += " when " + codes(u.When)
	}
	if e.Kind != "record" {
		in += ": " + yes(u.Request != "", code(u.Request)+" with ") + payloadText(u.Payload)
	} else {
		in += ":"
	}
	p.para(in)
	p.table([]string{"column", "from", ""}, rows)
}

// payloadText marks a payload as code, but not our own words for one.
func payloadText(text string) string {
	if text == rawBody {
		return text
	}
	if given, ok := strings.CutPrefix(text, fromHandler); ok {
		return fromHandler + code(given)
	}
	return code(text)
}

func (p *page) tables(r *Receiver) {
	p.heading(2, "Tables")
	var rows [][]string
	for _, t := range r.Tables {
		var unique []string
		for _, u := range t.Unique {
			unique = append(unique, code("("+u+")"))
		}
		rows = append(rows, []string{code(t.Name), t.Holds, columnsText(t.Columns), strings.Join(unique, " ")})
	}
	p.table([]string{"table", "holds", "columns", "unique"}, rows)
}

func columnsText(all []Column) string {
	var texts []string
	for _, c := range all {
		texts = append(texts, code(c.Name)+" "+c.Type+yes(c.Nullable, " null"))
	}
	return strings.Join(texts, ", ")
}

func (p *page) outside(r *Receiver) {
	if len(r.Downstreams) > 0 {
		p.heading(2, "Downstreams")
		var rows [][]string
		for _, d := range r.Downstreams {
			private := "public addresses only"
			if d.Private {
				private = "private ones too"
			}
			rows = append(rows, []string{code(d.Name), code(d.URL), codes(d.Headers), d.Timeout, d.Success, d.RetryOn, private, d.Rate})
		}
		p.table([]string{"name", "url", "headers", "timeout", "success", "tried again", "addresses", "rate"}, rows)
	}
	var names []string
	seen := map[string]bool{}
	for _, e := range r.Endpoints {
		for _, s := range append(append([]*Signature{e.Signature}, e.Signature.Any...), e.Signature.All...) {
			for _, one := range s.Secrets {
				if !seen[one.Name] && !one.Fetched {
					seen[one.Name] = true
					names = append(names, code(one.Name)+" (secret, or public key)")
				}
			}
		}
	}
	for _, s := range r.Settings {
		names = append(names, code(s.Name)+yes(s.Secret, " (secret)"))
	}
	if len(names) > 0 {
		p.heading(2, "Read at start")
		p.list(names)
	}
}
