package spec

import "strings"

// PresetFacts is what a preset brings, as contracts write it.
type PresetFacts struct {
	Name    string
	From    []string // headers that hold signatures
	Type    []string // selectors
	Key     []string
	Items   string
	Body    bool // the signed text holds the whole body
	Horizon bool // it says for how long the sender retries
}

// FactsOfPresets lists the presets by name, each with what tells its sender.
func FactsOfPresets() []PresetFacts {
	var all []PresetFacts
	table := presetTable()
	for _, name := range sorted(keysOf(table)) {
		v := fromPreset(lookup(table, name), Pos{})
		p := PresetFacts{Name: name, Type: textsOf(v.get("event", "type")), Key: textsOf(v.get("event", "key")), Items: textOf(v.get("event", "items")), Horizon: v.get("sender", "retryHorizon") != nil || textOf(v.get("sender", "retries")) == "never"}
		content := v.get("signature", "content")
		p.Body = textOf(v.get("signature", "type")) == "hmac" && (content == nil || strings.Contains(textOf(content), "{body}"))
		for _, text := range textsOf(v.get("signature", "from")) {
			if kind, header, ok := splitSelector(text); ok && kind == SelectHeader {
				p.From = append(p.From, header)
			}
		}
		all = append(all, p)
	}
	return all
}

// Generated reports whether this version generates what a key of x-whgen asks
// for, such as Generated("event", "items").
func Generated(names ...string) bool {
	k := &key{keys: rootKeys}
	for _, name := range names {
		if k = k.under(name); k == nil || k.later {
			return false
		}
	}
	return true
}
