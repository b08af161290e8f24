package explain

import (
	"fmt"
	"slices"
	"strings"
)

// diagram is a Mermaid sequence diagram of one delivery and what follows.
func diagram(r *Receiver) string {
	d := &drawing{}
	d.line("sequenceDiagram")
	d.in++
	d.line("participant S as %s", label(r.Source, "the sender"))
	d.line("participant R as receiver")
	d.line("participant D as database")
	handler := false
	for _, e := range r.Events {
		handler = handler || e.Handler
	}
	if handler {
		d.line("participant H as handler in Go")
	}
	outside := r.outside()
	if len(outside) > 0 {
		d.line("participant L as relay")
	}
	for _, e := range outside {
		d.participant(e)
	}
	d.delivery(r, handler)
	for _, e := range outside {
		d.send(e)
	}
	return d.out.String()
}

// outside are the effects that the relay sends.
func (r *Receiver) outside() []*Effect {
	var all []*Effect
	for _, e := range r.Effects {
		if e.Kind != "record" {
			all = append(all, e)
		}
	}
	return all
}

type drawing struct {
	out   strings.Builder
	in    int
	named map[string]string // participants of downstreams
}

func (d *drawing) line(format string, args ...any) {
	fmt.Fprintf(&d.out, "%s%s\n", strings.Repeat("  ", d.in), fmt.Sprintf(format, args...))
}

// label keeps what Mermaid gives a meaning out of a text.
func label(text, fallback string) string {
	text = strings.NewReplacer(";", ",", "#", "no. ", "\n", " ", "\r", "", ":", " ").Replace(text)
	switch text = strings.TrimSpace(text); text {
	case "":
		return fallback
	case "end": // closes a block wherever it stands
		return "(end)"
	}
	return text
}

func (d *drawing) participant(e *Effect) {
	if d.named == nil {
		d.named = map[string]string{}
	}
	target := target(e)
	if d.named[target] == "" {
		d.named[target] = fmt.Sprintf("O%d", len(d.named)+1)
		d.line("participant %s as %s", d.named[target], label(target, "outside"))
	}
}

func target(e *Effect) string {
	if e.Kind == "call" {
		return e.Name + " sender in Go"
	}
	return e.To
}

func (d *drawing) delivery(r *Receiver, handler bool) {
	d.line("S->>R: %s /webhooks/%s", label(strings.Join(r.Endpoints[0].Methods, ", "), "POST"), label(r.Source, ""))
	d.line("R->>R: method, media type, size")
	d.line("R->>R: signature, %s", label(strings.Join(r.schemes(), " or "), "none declared"))
	d.line("R->>R: event type, event key, fingerprint")
	d.line("R->>D: begin, claim the event key")
	d.line("alt the key is new")
	d.in++
	for _, t := range r.Tables {
		if len(t.Columns) > 0 {
			d.line("R->>D: rows in %s", label(t.Name, ""))
		}
	}
	if handler {
		d.line("R->>H: the event and the transaction")
		d.line("H-->>R: done, or an error, which rolls everything back")
	}
	if len(r.outside()) > 0 {
		d.line("R->>D: messages for the outside")
	}
	d.line("R->>D: commit")
	d.answer(r, "processed")
	d.in--
	for _, outcome := range []string{"duplicate", "conflict", "inProgress", "failed"} {
		if decided(r, outcome) == nil {
			continue
		}
		d.line("else %s", label(decided(r, outcome).When, outcome))
		d.in++
		d.answer(r, outcome)
		d.in--
	}
	d.line("end")
}

// schemes are the types of the endpoints' signatures, each once.
func (r *Receiver) schemes() []string {
	var all []string
	for _, e := range r.Endpoints {
		s := e.Signature
		for _, one := range append(append([]*Signature{s}, s.Any...), s.All...) {
			if one.Type != "" && !slices.Contains(all, one.Type) {
				all = append(all, one.Type)
			}
		}
	}
	return all
}

// decided is the first event's line of an outcome.
func decided(r *Receiver, outcome string) *Decision {
	for _, e := range r.Events {
		for i := range e.Decisions {
			if e.Decisions[i].Outcome == outcome {
				return &e.Decisions[i]
			}
		}
	}
	return nil
}

func (d *drawing) answer(r *Receiver, outcome string) {
	one := decided(r, outcome)
	if one == nil {
		return
	}
	text := fmt.Sprint(one.Status)
	if one.Replay {
		text = "the stored answer"
	}
	for _, e := range r.Events {
		for _, other := range e.Decisions {
			if other.Outcome == outcome && (other.Status != one.Status || other.Replay != one.Replay) {
				text = "differs by event"
			}
		}
	}
	d.line("R-->>S: %s, %s", text, outcome)
}

func (d *drawing) send(e *Effect) {
	to := d.named[target(e)]
	d.line("L->>D: lease a message of %s, commit", label(e.Name, ""))
	d.line("loop at most %d times", e.Schedule.Attempts)
	d.in++
	d.line("L->>%s: %s, the same key and bytes each time", to, label(e.Name, ""))
	d.line("%s-->>L: acknowledged, or tried again later", to)
	d.in--
	d.line("end")
	d.line("L->>D: sent, dead or uncertain")
}
