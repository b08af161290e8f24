package spec

import "strings"

// Refinement is one place where the contract says something else than the
// preset that it names, or something more.
type Refinement struct {
	Pos    Pos    // in the user's file
	Where  string // "" at the root, else such as "endpoint inbound" or "entry push"
	Preset string // the preset's name
	Path   string // such as signature.timestamp.tolerance
	Was    string // the preset's value as JSON text; "" where it has none
	Is     string // the contract's as JSON text; "" where it was taken back
}

// refined are the parts of a vocabulary that presets bring.
var refined = []string{"signature", "event", "sender", "challenge"}

// refinements compares the levels of a contract with the presets under them.
func (l *loader) refinements(root *value) []Refinement {
	named := root.get("preset")
	base := quietPreset(named, "preset")
	all := refineLevel(Refinement{Preset: textOf(named)}, base, root)
	for _, f := range root.get("endpoints").fieldsOf() {
		all = append(all, refineLevel(Refinement{Where: "endpoint " + f.name, Preset: textOf(named)}, base, f.value)...)
	}
	for _, e := range l.entries {
		for _, one := range refineLevel(Refinement{Where: "entry " + e.name, Preset: textOf(named)}, base, e.policy) {
			if one.Was != "" {
				all = append(all, one)
			}
		}
	}
	return all
}

// quietPreset reads a preset whose unknown names have been reported already.
func quietPreset(v *value, name string) *value { return (&report{}).presetValue(v, name) }

// refineLevel compares one level with the root preset, and its signature with
// the scheme that it names itself.
func refineLevel(at Refinement, base, level *value) []Refinement {
	var all []Refinement
	if own := level.get("signature", "preset"); own != nil {
		scheme := Refinement{Where: at.Where, Preset: own.text, Path: "signature"}
		all = refine(all, scheme, quietPreset(own, "signature.preset").get("signature"), level.field("signature"))
		base = base.with("signature", nil)
		level = level.with("signature", nil)
	}
	if at.Preset == "" {
		return all
	}
	for _, part := range refined {
		at.Path = part
		all = refine(all, at, base.get(part), level.field(part))
	}
	return all
}

// refine compares what a preset and the contract have at one path; the maps
// that both have are entered.
func refine(all []Refinement, at Refinement, was *value, is *field) []Refinement {
	if is == nil {
		return all
	}
	if !entered(at.Path, was, is.value) {
		if was.equal(is.value) {
			return all
		}
		at.Pos, at.Was, at.Is = is.at, jsonOf(was), jsonOf(is.value)
		return append(all, at)
	}
	path := at.Path
	for _, f := range was.fieldsOf() {
		at.Path = path + "." + f.name
		all = refine(all, at, f.value, is.value.field(f.name))
	}
	for i := range is.value.fields {
		f := &is.value.fields[i]
		if was.field(f.name) == nil && f.value.form != nullForm && f.name != "preset" {
			at.Path = path + "." + f.name
			all = refine(all, at, nil, f)
		}
	}
	return all
}

// entered: maps merge key by key; selectors, and a scheme of another type, are
// replaced whole. A part that the preset lacks is shown by its members.
func entered(path string, was, is *value) bool {
	if !is.is(mapForm) || was != nil && !was.is(mapForm) {
		return false
	}
	if kind := is.get("type"); path == "signature" && (kind != nil && kind.text != textOf(was.get("type")) || is.get("any") != nil || is.get("all") != nil) {
		return false
	}
	k := &key{keys: rootKeys}
	for _, name := range strings.Split(path, ".") {
		if k = k.under(name); k == nil {
			return false
		}
	}
	return !k.whole
}

func jsonOf(v *value) string {
	if v == nil || v.form == nullForm {
		return ""
	}
	return v.jsonText()
}
