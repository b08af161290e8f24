package spec

import (
	_ "embed" // the table
	"sort"
	"sync"

	"gopkg.in/yaml.v3"
)

// presets is the table of senders; its head says how it is written.
//
//go:embed presets.yaml
var presets []byte

// presetValue is a preset as if the user had written it where its name stands.
func (r *report) presetValue(v *value, name string) *value {
	if !v.is(scalarForms) {
		return nil
	}
	all := keysOf(presetTable())
	sort.Strings(all)
	if r.word(v, name, all, pluginSenders) == "" {
		return nil
	}
	p := fromPreset(lookup(presetTable(), v.text), v.at)
	return p.with("about", nil).with("hearsay", nil)
}

// pluginSenders have schemes that want a verifier in Go: there is nothing to preset.
var pluginSenders = []string{"aws-sns", "truelayer", "ebay"}

// presetTable is the parsed table. Nothing changes it.
var presetTable = sync.OnceValue(func() *yaml.Node {
	_, n := readSource("presets.yaml", presets, &report{})
	return n
})

func fromPreset(n *yaml.Node, at Pos) *value {
	t := &tree{source: &source{name: "presets.yaml", lines: []int{0}, odd: []bool{false}, before: []int{0}}}
	v := t.valueOf(n, at)
	v.moveTo(at)
	return v
}

// moveTo gives a whole value one position, the preset's name.
func (v *value) moveTo(at Pos) {
	v.at, v.preset = at, true
	for i := range v.fields {
		v.fields[i].at = at
		v.fields[i].value.moveTo(at)
	}
	for _, item := range v.items {
		item.moveTo(at)
	}
}

// withPresets lays a level over the presets that it names: a root preset under
// everything, signature.preset in place of the scheme below.
func (r *report) withPresets(base, level *value) *value {
	if name := level.get("preset"); name != nil && base == nil {
		base = r.presetValue(name, "preset")
		if scheme := base.get("signature"); scheme != nil {
			base = base.with("signature", scheme.with("preset", &value{at: name.at, form: textForm, text: name.text, preset: true}))
		}
	}
	signature := level.get("signature")
	if name := signature.get("preset"); name != nil {
		if p := r.presetValue(name, "signature.preset"); p != nil {
			base = base.with("signature", p.get("signature"))
		}
	} else if kind, old := signature.get("type"), base.get("signature", "type"); kind != nil && old != nil && kind.text != old.text || signature.get("any") != nil || signature.get("all") != nil {
		base = base.with("signature", nil)
	}
	return mergeValues(&key{keys: rootKeys}, base, level)
}

// presetNote is what the table says of a sender, to be added to a hint.
func presetNote(name string) string {
	n := lookup(presetTable(), name)
	if n == nil {
		return ""
	}
	note := fromPreset(n, Pos{}).get("about", "note")
	if note == nil {
		return ""
	}
	return "; of " + name + ": " + note.text
}
