package initial

import (
	"fmt"
	"path"
	"strings"
)

// overlay writes what was found out. It can be asked again.
func (p *proposer) overlay() []byte {
	w := &writer{}
	w.line(0, "# The receiver's policy for %s, proposed by whgen init.", comment(path.Base(p.survey.File)))
	w.line(0, `# Lines that begin with "# ?" ask for a decision. The comment below one is a proposal: take its "# " away,`)
	w.line(0, "# or write what is right. Until then whgen lint reports what is missing.")
	w.line(0, "overlay: 1.0.0")
	w.line(0, "info: {title: %s, version: \"1\"}", yamlText("Receiver of "+p.source))
	w.line(0, "actions:")
	w.line(2, "- target: $")
	w.line(4, "update:")
	w.line(6, "x-whgen:")
	w.line(8, "version: 1")
	w.line(8, "source: %s # names tables, metrics and idempotency keys: choose it before the first event", p.source)
	p.writeSender(w, 8)
	p.writeEvent(w, 8)
	p.writeHabits(w, 8)
	p.writeOutcomes(w, 8)
	p.writeEntries(w, 2)
	p.questions = w.questions
	return []byte(w.out.String())
}

// writeSender writes the preset or asks for the signature.
func (p *proposer) writeSender(w *writer, in int) {
	s := p.sender
	secret := "secrets: [" + strings.ToUpper(p.source) + "_WEBHOOK_SECRET]"
	switch {
	case s.preset != "" && s.sure:
		w.line(in, "preset: %s # %s; whgen explain shows what it brings", s.preset, comment(s.why))
		w.line(in, "%s # a name of a setting, never the value", secret)
	case s.preset != "":
		or := ""
		if len(s.others) > 0 {
			or = " It may be " + strings.Join(s.others, " or ") + " as well."
		}
		w.question(in, fmt.Sprintf("Is the sender %s? %s.%s The preset brings the signature, and event type and key where they belong to it; "+
			"otherwise write signature, event.type and event.key.", s.preset, capital(s.why), or), "preset: "+s.preset, secret)
	default:
		text, proposal := p.signatureQuestion()
		w.question(in, text, proposal, secret)
	}
}

// signatureQuestion asks how deliveries are authenticated, with what the
// document shows as the proposal.
func (p *proposer) signatureQuestion() (text, proposal string) {
	for _, e := range p.taken {
		for _, s := range e.Security {
			switch {
			case s.Type == "http" && (s.Scheme == "bearer" || s.Scheme == "basic"):
				return fmt.Sprintf("How are deliveries authenticated? The operation %s declares HTTP %s, which proves nothing about the body. Look whether the sender signs as well.", e.Name, s.Scheme),
					"signature: {type: " + s.Scheme + "}"
			case s.Type == "apiKey" && s.In == "header":
				return fmt.Sprintf("How are deliveries authenticated? The operation %s declares a key in the header %s, which proves nothing about the body. Look whether the sender signs as well.", e.Name, s.Name),
					"signature: {type: token, from: " + yamlText("header:"+s.Name) + "}"
			}
		}
	}
	for _, h := range p.survey.Headers {
		lower := strings.ToLower(h)
		if strings.Contains(lower, "signature") || strings.Contains(lower, "hmac") || strings.Contains(lower, "digest") {
			return fmt.Sprintf("How is the header %s made? The document declares it, but not from what. The proposal is the most frequent form, the HMAC-SHA256 of the body; "+
					"a signed time or id belongs into content.", h),
				"signature: {type: hmac, from: " + yamlText("header:"+h) + `, encoding: hex, content: "{body}"}`
		}
	}
	return "How are deliveries signed? The document does not say. Look into the sender's documentation; the proposal is only a form to fill in. " +
			"Where nothing is signed: signature: {type: none, reason: ...}",
		`signature: {type: hmac, from: header:X-Signature, encoding: hex, content: "{body}"}`
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// writeEvent writes batch, type and key. Below a preset a bare `event:` would
// take back the preset's, so there questions bring the whole key.
func (p *proposer) writeEvent(w *writer, in int) {
	lines := &writer{}
	p.writeItems(lines, in+2)
	p.writeType(lines, in+2)
	p.writeKey(lines, in+2)
	text := lines.out.String()
	if text == "" {
		return
	}
	w.questions = append(w.questions, lines.questions...)
	sure := false
	for line := range strings.Lines(text) {
		sure = sure || !strings.HasPrefix(strings.TrimSpace(line), "#")
	}
	if sure || len(p.facts[p.sender.preset].Key)+len(p.facts[p.sender.preset].Type) == 0 {
		w.line(in, "event:")
		w.out.WriteString(text)
		return
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if answer, ok := strings.CutPrefix(line, "# "); ok && !strings.HasPrefix(answer, "?") {
			line = "# event: {" + answer + "}"
		}
		w.line(in, "%s", line)
	}
}

func (p *proposer) writeItems(w *writer, in int) {
	switch {
	case p.facts[p.sender.preset].Items != "" || p.pointer == "":
	case p.batch:
		w.line(in, "items: %s # a batch: type and key are those of an element", yamlText(p.pointer))
	default:
		w.question(in, fmt.Sprintf("The body holds a batch of events at %s, which this version of whgen does not take apart: it would be one event. Wait for a version that does.", p.pointer))
	}
}

func (p *proposer) writeType(w *writer, in int) {
	switch {
	case p.kind.none:
	case len(p.kind.selectors) > 0:
		w.line(in, "type: %s # %s", yamlList(p.kind.selectors), comment(p.kind.why))
	default:
		text := "Where does the sender tell the type of an event?"
		proposals := p.kind.proposals
		if len(proposals) == 0 {
			text += " The document shows no such place."
			proposals = []string{"header:X-Event-Type"}
		} else {
			text += " By their names it may be " + strings.Join(most(proposals, 6), ", ") + "."
		}
		if len(p.taken) > 1 {
			text += " The entries below then need the value on the wire: x-whgen: {event: the.value}; without it their names are taken, and lint says so."
		} else {
			text += " A single entry needs none, if whatever arrives is that event."
		}
		w.question(in, text, "type: "+yamlText(proposals[0]))
	}
}

func most(all []string, n int) []string { return all[:min(len(all), n)] }

func (p *proposer) writeKey(w *writer, in int) {
	switch {
	case len(p.id.selectors) > 0:
		w.line(in, "key: %s # %s", yamlList(p.id.selectors), comment(p.id.why))
	case !p.id.none:
		p.askKey(w, in)
		return
	}
	if p.replay != "" {
		text := fmt.Sprintf("The signature does not cover the event key %s: whoever has captured a request can send it again under a new key. Accept that (process)", p.replay)
		if p.facts[p.sender.preset].Body {
			w.question(in, text+", or take a known body under a new key for a repeat (refuse; two facts with equal bytes are then one)?", "replay: refuse")
			return
		}
		w.question(in, text+"?", "replay: process")
	}
}

func (p *proposer) askKey(w *writer, in int) {
	text := "What identifies an event, the same in every attempt and in no other event? It must be the event's id, not that of the thing that it is about."
	if len(p.id.proposals) == 0 && len(p.id.together) > 0 {
		w.question(in, text+" The document shows no such member; these may tell events apart together. A time belongs to it only where it is the event's, not that of the sending.",
			"key: "+yamlList(p.id.together))
		return
	}
	if len(p.id.proposals) == 0 {
		w.question(in, text+" The document shows none. Where the sender gives none: derived: {of: [...]} with the members that tell one event from another.",
			"key: header:X-Event-Id", "replay: process # where the signature does not cover the key")
		return
	}
	proposal := []string{"key: " + yamlText(p.id.proposals[0])}
	text += " By their names it may be " + strings.Join(most(p.id.proposals, 6), ", ") + "."
	if strings.HasPrefix(p.id.proposals[0], "header:") || p.replay != "" {
		proposal = append(proposal, "replay: process # where the signature does not cover the key")
	}
	w.question(in, text, proposal...)
}

// writeHabits asks what lint can do without: a horizon shortens retention.
func (p *proposer) writeHabits(w *writer, in int) {
	if p.facts[p.sender.preset].Horizon && p.sender.sure {
		return
	}
	w.question(in, "For how long does the sender retry, and what stops it? Without an answer event keys are kept for 30 days, and answers are not checked against its habits.",
		"sender: {retryHorizon: 72h}")
}

// writeOutcomes asks for the answers, with what the document declares.
func (p *proposer) writeOutcomes(w *writer, in int) {
	status, declared := p.success()
	w.line(in, "outcomes:")
	w.question(in+2, "Which answer stops the sender's retries, and which one makes it deliver again? "+declared+" A conflict (a known key with other content) that is answered as processed is recorded and not repeated.",
		"processed: "+status, "duplicate: processed", "conflict: processed", "inProgress: {status: 503, retryAfter: 5s}", "failed: {status: 503, retryAfter: 30s}")
}

// success is the answer that the document declares for a delivery that arrived.
func (p *proposer) success() (status, text string) {
	var all []string
	seen := map[string]bool{}
	for _, e := range p.taken {
		for _, s := range e.Statuses {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	status = "200"
	for _, s := range all {
		if len(s) == 3 && s[0] == '2' && s[1:] != "XX" && s[1:] != "xx" && !seen["200"] {
			status = s
			break
		}
	}
	if len(all) == 0 {
		return status, "The document declares no answers."
	}
	return status, "The document declares " + strings.Join(most(all, 8), ", ") + "."
}
