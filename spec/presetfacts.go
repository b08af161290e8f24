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

// Presets lists the presets that this version generates, by name.
func Presets() []PresetFacts {
	var all []PresetFacts
	table := presetTable()
	for _, name := range sorted(keysOf(table)) {
		v := fromPreset(lookup(table, name), Pos{})
		p := PresetFacts{Name: name, Type: texts(v.get("event", "type")), Key: texts(v.get("event", "key")), Items: textOf(v.get("event", "items")), Horizon: v.get("sender", "retryHorizon") != nil || textOf(v.get("sender", "retries")) == "never"}
		content := v.get("signature", "content")
		p.Body = textOf(v.get("signature", "type")) == "hmac" && (content == nil || strings.Contains(textOf(content), "{body}"))
		for _, text := range texts(v.get("signature", "from")) {
			if kind, header, ok := splitSelector(text); ok && kind == SelectHeader {
				p.From = append(p.From, header)
			}
		}
		all = append(all, p)
	}
	return all
}

func texts(v *value) []string {
	var all []string
	for _, one := range v.each() {
		all = append(all, textOf(one))
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
