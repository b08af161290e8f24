package initial

import (
	"slices"
	"strings"
)

// forms writes pointers as fields of a form where every entry takes one and no
// JSON: there a pointer reads nothing.
func (p *proposer) forms() {
	if len(p.taken) == 0 || slices.ContainsFunc(p.taken, func(e *entry) bool { return !takesForm(e) }) {
		return
	}
	for _, all := range [][]string{p.kind.selectors, p.kind.proposals, p.id.selectors, p.id.proposals, p.id.together} {
		for i, text := range all {
			all[i] = formField(text)
		}
	}
}

func takesForm(e *entry) bool {
	json := slices.ContainsFunc(e.Media, func(m string) bool { return strings.Contains(m, "json") || strings.Contains(m, "*") })
	return !json && slices.ContainsFunc(e.Media, func(m string) bool {
		return strings.HasPrefix(m, "application/x-www-form-urlencoded") || strings.HasPrefix(m, "multipart/form-data")
	})
}

// formField is the field that a pointer stands for: /data/id is data[id].
func formField(pointer string) string {
	if !strings.HasPrefix(pointer, "/") {
		return pointer
	}
	tokens := strings.Split(pointer, "/")[1:]
	name := "form:" + unescaped(tokens[0])
	for _, t := range tokens[1:] {
		name += "[" + unescaped(t) + "]"
	}
	return name
}

func unescaped(token string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(token) }
