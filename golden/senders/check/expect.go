package check

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	whrt "github.com/whgen/whgen/runtime"
)

// expectation is where a payload must arrive.
type expectation struct {
	endpoint int
	event    int    // in Definition.Events; -1 where nothing tells
	wire     string // the event's type as sent; "" where the body tells it all
}

// expected finds the event that a payload is an example of: the one that the
// sender's folder names, else the one whose type or name the file is named
// after, else the only one.
func (r *Receiver) expected(file, named string) (expectation, bool) {
	stem := strings.TrimPrefix(strings.TrimSuffix(path.Base(file), ".json"), "assembled-")
	for e, endpoint := range r.Definition.Endpoints {
		for _, route := range endpoint.Routes {
			name := r.Definition.Events[route.Event].Name
			if named != "" {
				if name == named {
					return expectation{e, route.Event, wireOf(route.Type, stem)}, true
				}
				continue
			}
			if name == stem || route.Type == stem || wireOf(route.Type, stem) == stem {
				return expectation{e, route.Event, wireOf(route.Type, stem)}, true
			}
		}
	}
	if named == "" && len(r.Definition.Events) == 1 {
		return expectation{0, 0, ""}, true
	}
	return expectation{0, -1, ""}, named == ""
}

// wireOf is a type as a sender sends it where the contract has a pattern: what
// the file is named after, if it fits.
func wireOf(kind, stem string) string {
	if head, ok := strings.CutSuffix(kind, "*"); ok && strings.HasPrefix(stem, head) {
		return stem
	}
	return kind
}

// headType is the part of the type that stands outside of the body: the whole,
// less what the body adds.
func headType(e *whrt.Endpoint, wire string, body []byte) string {
	for _, s := range slices.Backward(e.Type) {
		if s.Kind != whrt.Body {
			break
		}
		if text := textAt(body, s.Name); text != "" {
			wire = strings.TrimSuffix(wire, "."+text)
		}
	}
	return wire
}

// textAt is the text at a pointer, "" where there is none.
func textAt(body []byte, pointer string) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return ""
	}
	for _, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		m, _ := v.(map[string]any)
		v = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
	}
	text, _ := v.(string)
	return text
}
