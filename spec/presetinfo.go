package spec

import (
	"fmt"
	"strings"
	"time"
)

// Preset is what the table knows of one sender.
type Preset struct {
	Name       string
	Title      string
	Docs       string // the sender's documentation
	Confidence string // of the sender's figures: doc, lib, general
	Note       string
	Scheme     *Scheme
	Type       []string // selectors of the event's type
	Key        []string // selectors of the event's key
	Unsigned   []string // parts of the key that the scheme does not bind, where it binds anything
	Items      string   // pointer to the elements of a batch
	Volatile   []string
	Acks       []string // statuses that stop its retries
	Stops      []string
	Never      bool          // it never retries
	Timeout    time.Duration // 0 where it is not known well enough
	Horizon    time.Duration // the same
	Redelivers time.Duration
	Challenge  bool
	Hearsay    Hearsay
	Findings   Diagnostics // of a contract that says nothing but its name
}

// Hearsay are figures that are only general knowledge: shown, never used.
type Hearsay struct {
	Timeout string
	Horizon string
	Retries string
	Key     []string
}

// Presets lists the table, in its order.
func Presets() []Preset {
	var all []Preset
	for _, name := range keysOf(presetTable()) {
		all = append(all, presetInfo(name))
	}
	return all
}

func presetInfo(name string) Preset {
	v := fromPreset(lookup(presetTable(), name), Pos{})
	about, hearsay := v.get("about"), v.get("hearsay")
	r := &report{}
	s := r.sender(v.get("sender"))
	p := Preset{
		Name: name, Title: textOf(about.get("title")), Docs: textOf(about.get("docs")), Confidence: textOf(about.get("confidence")), Note: textOf(about.get("note")),
		Type: textsOf(v.get("event", "type")), Key: textsOf(v.get("event", "key")), Items: textOf(v.get("event", "items")),
		Volatile: textsOf(v.get("sender", "volatile")), Acks: textsOf(v.get("sender", "acknowledges")), Stops: textsOf(v.get("sender", "stops")),
		Never: s.never, Timeout: s.timeout, Horizon: s.horizon, Redelivers: s.redelivers, Challenge: v.get("challenge") != nil,
		Hearsay: Hearsay{Timeout: textOf(hearsay.get("timeout")), Horizon: textOf(hearsay.get("retryHorizon")), Retries: textOf(hearsay.get("retries")), Key: textsOf(hearsay.get("key"))},
	}
	media := "application/json"
	for _, text := range append(textsOf(v.get("signature", "from")), p.Type...) {
		if strings.HasPrefix(text, "form:") {
			media = formMedia
		}
	}
	_, p.Findings = loadPreset("preset: "+name, media)
	c, _ := loadPreset(fmt.Sprintf("signature: {preset: %s}\n  event: {derived: {of: /id}, replay: process}", name), media)
	if c != nil {
		p.Scheme = c.Endpoints[0].Signature
	}
	if p.Scheme.Binds() {
		for _, one := range r.selectors(v.get("event", "key"), place{"event.key", append([]SelectorKind{SelectForm, SelectItem}, inDelivery...)}) {
			if !p.Scheme.covers(one) {
				p.Unsigned = append(p.Unsigned, one.Text())
			}
		}
	}
	return p
}

func loadPreset(lines, media string) (*Contract, Diagnostics) {
	return Load(Receiver{Contract: "preset.yaml", Engine: "sqlite"}, func(string) ([]byte, error) {
		return fmt.Appendf(nil, presetContract, lines, media), nil
	})
}

// presetContract is the shortest contract with a preset.
const presetContract = `openapi: 3.1.0
info: {title: Preset, version: "1"}
x-whgen:
  version: 1
  source: sender
  %s
  publicUrl: SENDER_PUBLIC_URL
  params: {webhook_id: SENDER_WEBHOOK_ID, app_key: SENDER_APP_KEY}
  outcomes: {processed: 200, duplicate: 200, conflict: 200, inProgress: 503, failed: 500}
webhooks:
  event: {post: {x-whgen: {}, requestBody: {content: {%s: {schema: {type: object}}}}}}
`

func textsOf(v *value) []string {
	var all []string
	for _, item := range v.each() {
		all = append(all, textOf(item))
	}
	return all
}
