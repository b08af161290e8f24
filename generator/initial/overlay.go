package initial

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
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
	settings := p.settings()
	switch {
	case s.preset != "" && s.sure:
		w.line(in, "preset: %s # %s; whgen explain shows what it brings", s.preset, comment(s.why))
		for _, one := range settings {
			w.line(in, "%s # names of settings, never their values", one)
		}
	case s.preset != "":
		or := ""
		if len(s.others) > 0 {
			or = " It may be " + strings.Join(s.others, " or ") + " as well."
		}
		w.question(in, fmt.Sprintf("Is the sender %s? %s.%s The preset brings the signature, and event type and key where they belong to it; "+
			"otherwise write signature, event.type and event.key.", s.preset, capital(s.why), or), append([]string{"preset: " + s.preset}, settings...)...)
	case p.signed():
		w.line(in, "# How deliveries are signed is what %s of the document says; a signature here would count before it.", p.survey.Signed)
	default:
		text, proposal := p.signatureQuestion()
		if len(p.unsaid) > 0 {
			text = fmt.Sprintf("The document says how deliveries are signed, but not all of it can be taken over: %s. Write it as the sender documents it.", comment(strings.Join(most(p.unsaid, 3), "; ")))
		}
		w.question(in, text, proposal, secret)
	}
}

// settings are the names that a preset's scheme needs: of secrets or public
// keys, parameters of the subscription, and the public address.
func (p *proposer) settings() []string {
	s := p.facts[p.sender.preset].Scheme
	if s == nil {
		return nil
	}
	upper := strings.ToUpper(p.source)
	var lines, named []string
	switch {
	case len(s.Members()) > 0 || s.Type == "ip" || s.Type == "none" || s.Type == "plugin": // the names are the default ones
	case s.PublicKeys():
		lines = append(lines, "keys: ["+upper+"_PUBLIC_KEY]")
	default:
		lines = append(lines, "secrets: ["+upper+"_WEBHOOK_SECRET]")
	}
	for _, one := range append([]*spec.Scheme{s}, s.Members()...) {
		for _, name := range params(one) {
			named = append(named, name+": "+upper+"_"+strings.ToUpper(name))
		}
	}
	if len(named) > 0 {
		lines = append(lines, "params: {"+strings.Join(named, ", ")+"}")
	}
	if s.SignsURL() {
		lines = append(lines, "publicUrl: "+upper+"_PUBLIC_URL")
	}
	return lines
}

// params are the parameters that a scheme names: in the signed text, or as a
// value that it pins.
func params(s *spec.Scheme) []string {
	var all []string
	if s.Content != nil {
		for _, part := range s.Content.Parts {
			if v := part.Selector; v != nil && v.Kind == spec.SelectParam {
				all = append(all, v.Name)
			}
		}
	}
	for _, c := range s.Require {
		for _, value := range c.Values {
			if name, ok := strings.CutPrefix(value, "{param:"); ok {
				all = append(all, strings.TrimSuffix(name, "}"))
			}
		}
	}
	return slices.Compact(all)
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
	var answers []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		answer, ok := strings.CutPrefix(line, "# ")
		if !ok {
			continue
		}
		if strings.HasPrefix(answer, "?") {
			w.line(in, "%s", line)
			continue
		}
		answer, _, _ = strings.Cut(answer, " # ")
		answers = append(answers, answer)
	}
	w.line(in, "# event: {%s}", strings.Join(answers, ", "))
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
		if p.facts[p.sender.preset].Scheme.Body() == spec.BoundWhole {
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
	if known := p.facts[p.sender.preset]; p.sender.sure && (known.Horizon > 0 || known.Never) {
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

// success is the answer that the document declares for a delivery that
// arrived, as far as the preset's sender takes it for that.
func (p *proposer) success() (status, text string) {
	var all []string
	for _, e := range p.taken {
		for _, s := range e.Statuses {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	text = "The document declares " + strings.Join(most(all, 8), ", ") + "."
	if len(all) == 0 {
		text = "The document declares no answers."
	}
	acks := p.facts[p.sender.preset].Acks
	if len(acks) > 0 {
		text += " By the preset the sender takes " + strings.Join(acks, ", ") + " for received."
	}
	plain := slices.DeleteFunc(append(append([]string{"200"}, all...), acks...), func(s string) bool {
		return len(s) != 3 || s[0] != '2' || strings.ContainsAny(s, "xX")
	})
	acked := func(s string) bool { return len(acks) == 0 || matchesAny(acks, s) }
	for _, fits := range []func(string) bool{func(s string) bool { return acked(s) && (len(all) == 0 || matchesAny(all, s)) }, acked} {
		if i := slices.IndexFunc(plain, fits); i >= 0 {
			return plain[i], text
		}
	}
	return "200", text
}

// matchesAny holds a status against patterns such as 2xx, 2XX, 202 and default.
func matchesAny(patterns []string, status string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return p == status || p == "default" || strings.EqualFold(p, status[:1]+"xx")
	})
}
