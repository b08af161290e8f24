package explain

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// pageOf lays a report out.
func pageOf(r *Report) page {
	var p page
	for _, one := range r.Receivers {
		p.receiver(one)
	}
	return p
}

func (p *page) receiver(r *Receiver) {
	p.heading(1, unmark(r.Source))
	document := code(r.Document.Path)
	if r.Document.Title != "" {
		document += " (" + unmark(r.Document.Title) + ", OpenAPI " + r.Document.OpenAPI + ")"
	}
	p.facts(
		[2]string{"document", document},
		[2]string{"overlays", codes(r.Document.Overlays)},
		[2]string{"package", code(r.Package.Out) + ", " + r.Package.Engine},
		[2]string{"preset", code(r.Preset)},
		[2]string{"tenants", yes(r.Tenant != "", "told by "+code(r.Tenant)+", before the signature is verified; a part of the event key")},
	)
	p.refinements(r)
	for _, e := range r.Endpoints {
		p.endpoint(r, e)
	}
	p.decisions(r)
	p.events(r)
	p.effects(r)
	p.tables(r)
	p.outside(r)
	p.heading(2, "Sequence")
	p.code("mermaid", r.Diagram)
}

func (p *page) refinements(r *Receiver) {
	if r.Preset == "" && len(r.Refinements) == 0 {
		return
	}
	p.heading(2, "What differs from the preset")
	if len(r.Refinements) == 0 {
		p.para("Nothing: everything is as the preset " + code(r.Preset) + " has it.")
		return
	}
	var rows [][]string
	for _, one := range r.Refinements {
		was, is := code(one.Was), code(one.Is)
		if one.Was == "" {
			was = "nothing"
		}
		if one.Is == "" {
			is = "taken back"
		}
		rows = append(rows, []string{code(one.Key), was, is, one.Where, code(one.Position)})
	}
	p.table([]string{"key", "preset", "contract", "where", "at"}, rows)
}

func endpointName(e *Endpoint) string {
	if e.Name == "" {
		return "The mount point"
	}
	return "Endpoint " + e.Name
}

func (p *page) endpoint(r *Receiver, e *Endpoint) {
	p.heading(2, endpointName(e))
	unknown := map[string]string{"acknowledge": "acknowledged, without effects", "retry": "answered as failed", "reject": "rejected"}[e.Unknown]
	kind := "one entry, whatever arrives"
	if len(e.Type) > 0 {
		kind = codes(e.Type) + yes(len(e.Type) > 1, ", joined by a dot") + "; one that nobody listed is " + unknown
	}
	p.facts(
		[2]string{"path", code(strings.Join(e.Methods, ", ")+" /webhooks/"+r.Source+e.Path) + " where the scaffolded main mounts it"},
		[2]string{"media types", codes(e.Media)},
		[2]string{"body", "at most " + size(e.MaxBody)},
		[2]string{"events", yes(e.Items != "", "a batch, each element of "+code(e.Items)+" one of its own; type, key and pointers are the element's")},
		[2]string{"event type", kind},
		[2]string{"event keys", yes(e.Shared, "the source's, not the endpoint's (shared: true)")},
	)
	p.challenges(e)
	p.heading(3, "Signature")
	p.signature(e.Signature)
	p.heading(3, "The sender's habits")
	p.habits(e.Sender)
}

func (p *page) challenges(e *Endpoint) {
	var rows [][]string
	proof := map[string]string{"signature": "after the signature was verified", "params": "after parameters were compared", "none": "to anybody"}
	for _, c := range e.Challenges {
		rows = append(rows, []string{codes(c.When), proof[c.Authenticate], strconv.Itoa(c.Status), code(c.Body)})
	}
	if len(rows) > 0 {
		p.para("Challenges, answered without an event:")
		p.table([]string{"when", "to whom", "answer", "body"}, rows)
	}
}

func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

func (p *page) signature(s *Signature) {
	own := schemeFacts(s)
	members, which := s.Any, "One of these has to accept:"
	if len(s.All) > 0 {
		members, which = s.All, "Every one of these has to accept:"
	}
	if len(members) > 0 {
		p.para(which)
		own = nil
	}
	for _, m := range members {
		p.facts(schemeFacts(m)...)
	}
	p.facts(append(own, [2]string{"covers", orNothing(s.Covers)}, [2]string{"does not cover", orNothing(s.Leaves)})...)
	p.list(s.Warnings)
}

func schemeFacts(s *Signature) [][2]string {
	var secrets []string
	for _, one := range s.Secrets {
		secrets = append(secrets, code(one.Name)+yes(one.Until != "", " until "+one.Until)+yes(one.Fetched, " (fetched)"))
	}
	kind := strings.TrimSpace(s.Type + " " + s.Hash)
	age := ""
	if s.Tolerance != "" {
		age = "at most " + s.Tolerance + " old" + yes(s.Future != "", " and "+s.Future+" in the future")
	}
	if s.Tolerance == "none" {
		age = "not judged"
	}
	return [][2]string{
		{"scheme", yes(kind != "", kind+yes(s.Preset != "", ", of the preset "+code(s.Preset)))},
		{"declared by", code(s.Imported)},
		{"reason", unmark(s.Reason)},
		{"verifier", code(s.Plugin)},
		{"read from", codes(s.From) + yes(s.Encoding != "", ", "+s.Encoding)},
		{"networks", codes(s.Networks)},
		{"algorithms", codes(s.Algs)},
		{"signed text", code(s.Content)},
		{"signed by itself", yes(s.Items != "", "each element of "+code(s.Items))},
		{"hash of the body", code(s.BodyHash)},
		{"signed time", age},
		{"secrets", strings.Join(secrets, ", ")},
	}
}

func orNothing(all []string) string {
	if len(all) == 0 {
		return "nothing"
	}
	return unmark(strings.Join(all, "; "))
}

func (p *page) habits(h Sender) {
	acknowledges := strings.Join(h.Acknowledges, ", ")
	if acknowledges == "" {
		acknowledges = "not declared: what it makes of an answer is unknown"
	}
	horizon, again := h.RetryHorizon, h.Retries
	if horizon == "" {
		horizon = "not declared"
	}
	switch again {
	case "others":
		again = "any other answer"
	case "never":
		again, horizon = "nothing: it never retries", ""
	}
	p.facts(
		[2]string{"takes for received", unmark(acknowledges)},
		[2]string{"delivers again after", again},
		[2]string{"stops after", unmark(strings.Join(h.Stops, ", "))},
		[2]string{"waits for an answer", h.Timeout},
		[2]string{"retries for", horizon},
		[2]string{"redelivers by hand for", h.Redelivers},
		[2]string{"signs", yes(!h.Resigns, "once: retries repeat the first timestamp")},
	)
}

// decisions prints a table for all events that share it.
func (p *page) decisions(r *Receiver) {
	p.heading(2, "Decision table")
	for _, e := range r.Endpoints {
		if len(r.Endpoints) > 1 {
			p.para(endpointName(e) + ", before the event is known:")
		} else {
			p.para("Before the event is known:")
		}
		p.decisionTable(e.Early)
	}
	var groups [][]*Event
	for _, e := range r.Events {
		found := false
		for i := range groups {
			if reflect.DeepEqual(groups[i][0].Decisions, e.Decisions) {
				groups[i], found = append(groups[i], e), true
			}
		}
		if !found {
			groups = append(groups, []*Event{e})
		}
	}
	for _, e := range r.Endpoints {
		if e.Items != "" {
			p.para(endpointName(e) + " answers a batch as a whole: as failed where any of its events failed, else as inProgress where any is, else as processed. " +
				"The table is that of one event.")
		}
	}
	for _, g := range groups {
		var names []string
		for _, e := range g {
			names = append(names, e.Name)
		}
		who := "Every event:"
		if len(groups) > 1 {
			who = codes(names) + ":"
		}
		p.para(who)
		p.decisionTable(g[0].Decisions)
	}
}

var reactions = map[string]string{
	"acknowledged": "takes it for received", "retried": "delivers again", "dropped": "does not deliver again",
	"stops": "stops delivering", "unknown": "not declared",
}

func (p *page) decisionTable(all []Decision) {
	var rows [][]string
	for _, d := range all {
		answer := strconv.Itoa(d.Status)
		if d.Replay {
			answer = "the stored answer, else " + answer
		}
		headers := d.Headers
		if d.ContentType != "" {
			headers = append([]string{"Content-Type: " + d.ContentType}, headers...)
		}
		if d.RetryAfter != "" {
			headers = append(headers, "Retry-After: "+d.RetryAfter)
		}
		rows = append(rows, []string{code(d.Outcome), prose(d.When), answer, codes(headers), code(d.Body), reactions[d.Sender]})
	}
	p.table([]string{"outcome", "when", "answer", "headers", "body", "the sender"}, rows)
}

// prose turns backticks of our own texts into marks.
func prose(text string) string {
	parts := strings.Split(text, "`")
	for i := 1; i+1 < len(parts); i += 2 {
		parts[i] = code(parts[i])
	}
	return strings.Join(parts, "")
}
