package spec

import (
	"fmt"
	"slices"
	"sort"
)

// checkLevel holds one x-whgen against the vocabulary: unknown keys, keys at a
// level where they cannot work, wrong forms, and what is not generated yet.
func (r *report) checkLevel(v *value, at level) {
	switch {
	case v == nil || v.form == nullForm:
		return
	case v.form != mapForm:
		r.err(v.at, "wrong-type", "", "x-whgen: want a map, got %s", v.form)
		return
	}
	r.checkMembers("", v, rootKeys, at)
	if e := v.get("event"); at != atEntry && e.is(scalarForms|listForm) {
		r.err(e.at, "wrong-type", "the type of one entry stands on that entry", "%q: want a map, got %s", "event", e.form)
	}
	for _, f := range v.get("endpoints").fieldsOf() {
		if at == atRoot {
			r.checkLevel(f.value, atEndpoint)
		}
	}
	for _, f := range v.get("events").fieldsOf() {
		if at == atEntry {
			r.checkLevel(f.value, atEvent)
		}
	}
}

// fieldsOf is the members of a map that are not null.
func (v *value) fieldsOf() []field {
	if v == nil || v.form != mapForm {
		return nil
	}
	var all []field
	for _, f := range v.fields {
		if f.value.form != nullForm {
			all = append(all, f)
		}
	}
	return all
}

// checkMembers checks a map against its keys. levels is 0 where the vocabulary
// has none (whgen.yaml).
func (r *report) checkMembers(path string, v *value, known keys, at level) {
	for _, f := range v.fields {
		name := join(path, f.name)
		k := known[f.name]
		if k == nil {
			r.unknownKey(path, f, known, at)
			continue
		}
		if k.at != 0 && at&k.at == 0 {
			r.err(f.at, "key-level", fmt.Sprintf("move it; it works %s", k.at), "%q cannot stand %s", name, at)
			continue
		}
		if k.later && f.value.form != nullForm { // null takes back what a preset brings
			r.later(f.at, "%q", name)
		}
		r.checkValue(name, f.value, k, at)
	}
}

// unknownKey looks for the meant key among the siblings, and then on other
// shelves of the vocabulary.
func (r *report) unknownKey(path string, f field, known keys, at level) {
	hint := didYouMean(f.name, sortedNames(known))
	if hint == "" && at != 0 {
		hint = homeOf(f.name, path)
	}
	if hint == "" && len(known) < 16 {
		hint = "known here: " + list(sortedNames(known), "and")
	}
	if path == "" {
		r.err(f.at, "unknown-key", hint, "unknown key %q", f.name)
		return
	}
	r.err(f.at, "unknown-key", hint, "unknown key %q in %q", f.name, path)
}

// homeOf says where a key that was written elsewhere belongs.
func homeOf(name, path string) string {
	shelves := []struct {
		path string
		keys keys
	}{{"", rootKeys}, {"event", eventKeys}, {"sender", senderKeys}, {"delivery", deliveryKeys}, {"signature", signatureKeys}, {"outcomes", rootKeys["outcomes"].keys}}
	for _, shelf := range shelves {
		if home := join(shelf.path, name); shelf.keys[name] != nil && home != join(path, name) {
			return fmt.Sprintf("it stands at %q", home)
		}
	}
	for _, shelf := range shelves {
		if near := nearest(name, sortedNames(shelf.keys)); near != "" {
			return fmt.Sprintf("did you mean %q?", join(shelf.path, near))
		}
	}
	return ""
}

func (r *report) checkValue(path string, v *value, k *key, at level) {
	if v.form == nullForm {
		return
	}
	if v.form&k.takes == 0 {
		r.err(v.at, "wrong-type", "", "%q: want %s, got %s", path, k.want, v.form)
		return
	}
	switch v.form {
	case mapForm:
		if k.keys != nil {
			r.checkMembers(path, v, k.keys, at)
			return
		}
		for _, f := range v.fields {
			if k.of != nil {
				r.checkValue(join(path, f.name), f.value, k.of, at)
			}
		}
	case listForm:
		for _, item := range v.items {
			if k.of != nil {
				r.checkValue(path, item, k.of, at)
			}
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func sortedNames[V any](known map[string]V) []string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	sort.Strings(names)
	return slices.Compact(names)
}
