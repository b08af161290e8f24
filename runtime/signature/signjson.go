package signature

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// JSONBody fills JSON, Items and Members of a request from its body, for
// senders and tests. A receiver has readers of its own.
func JSONBody(r *Request) {
	r.JSON = func(pointer string) (string, bool) { return scalarAt(r.Body, pointer) }
	r.Items = func(pattern string) ([]Lookup, bool) {
		found, ok := itemPointers(r.Body, pattern)
		var items []Lookup
		for _, at := range found {
			items = append(items, func(pointer string) (string, bool) { return scalarAt(r.Body, at+pointer) })
		}
		return items, ok
	}
	r.Members = func() ([]Element, bool) {
		var root map[string]json.RawMessage
		if json.Unmarshal(r.Body, &root) != nil || root == nil {
			return nil, false
		}
		var all []Element
		for name, raw := range root {
			if text, ok := scalarText(raw); ok {
				all = append(all, Element{name, text})
			}
		}
		return all, true
	}
}

// eachItem does something for every item of the body.
func (g *signer) eachItem(do func() error) error {
	found, ok := itemPointers(g.r.Body, g.scheme.Items)
	if !ok {
		return fmt.Errorf("the body has no items at %s", g.scheme.Items)
	}
	for _, at := range found {
		g.at = at
		g.item = func(pointer string) (string, bool) { return scalarAt(g.r.Body, at+pointer) }
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

func (g *signer) putItem(pointer, value string) error { return g.putJSON(g.at+pointer, value) }

// putJSON sets a member of the body, as a text or, where a number stands, as
// that; everything else keeps its bytes.
func (g *signer) putJSON(pointer, value string) error {
	if !json.Valid(g.r.Body) {
		return errors.New("the body is no JSON")
	}
	start, end, err := locate(g.r.Body, pointer)
	if err != nil {
		return err
	}
	text := quote(value)
	if _, bad := strconv.ParseInt(value, 10, 64); bad == nil && start < end && g.r.Body[start] != '"' {
		text = value
	}
	if there := string(g.r.Body[start:end]); (there == "true" || there == "false") && (value == "true" || value == "false") {
		text = value
	}
	if start == end { // a member that is not there yet
		name := pointer[strings.LastIndexByte(pointer, '/')+1:]
		text = quote(unescapeToken(name)) + ":" + text
		if rest := bytes.TrimLeft(g.r.Body[end:], " \t\r\n"); len(rest) > 0 && rest[0] != '}' {
			text += ","
		}
	}
	g.r.Body = slices.Concat(g.r.Body[:start], []byte(text), g.r.Body[end:])
	return nil
}

func quote(text string) string {
	quoted, _ := json.Marshal(text) // a text always has a JSON form
	return string(quoted)
}

// locate gives the place of a value, or an empty one right behind the brace of
// the object that lacks the last member.
func locate(body []byte, pointer string) (start, end int, err error) {
	at, raw := 0, json.RawMessage(body)
	tokens := strings.Split(pointer, "/")[1:]
	for i, token := range tokens {
		members, err := split(raw)
		if err != nil {
			return 0, 0, fmt.Errorf("the body has no %s", pointer)
		}
		m, ok := members[unescapeToken(token)]
		if !ok {
			if i < len(tokens)-1 || bytes.TrimLeft(raw, " \t\r\n")[0] != '{' {
				return 0, 0, fmt.Errorf("the body has no %s", pointer)
			}
			brace := at + bytes.IndexByte(raw, '{') + 1
			return brace, brace, nil
		}
		at, raw = at+m.at, m.raw
	}
	return at, at + len(raw), nil
}

type placed struct {
	at  int // offset in the container
	raw json.RawMessage
}

var errNoContainer = errors.New("is neither object nor list")

// split cuts an object or a list into its members, with their places.
func split(raw json.RawMessage) (map[string]placed, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	open, err := d.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return nil, errNoContainer
	}
	all := map[string]placed{}
	for i := 0; d.More(); i++ {
		name := strconv.Itoa(i)
		if open == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name = key.(string)
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		all[name] = placed{int(d.InputOffset()) - len(v), v}
	}
	return all, nil
}

// itemPointers are the pointers of every element that a pattern reaches, in order.
func itemPointers(body []byte, pattern string) ([]string, bool) {
	found := []string{""}
	for _, token := range strings.Split(pattern, "/")[1:] {
		var next []string
		for _, at := range found {
			if token != "*" {
				next = append(next, at+"/"+token)
				continue
			}
			start, end, err := 0, len(body), error(nil)
			if at != "" {
				start, end, err = locate(body, at)
			}
			if err != nil {
				return nil, false
			}
			members, err := split(body[start:end])
			if err != nil {
				return nil, false
			}
			for i := range len(members) {
				next = append(next, at+"/"+strconv.Itoa(i))
			}
		}
		found = next
	}
	return found, len(found) > 0
}

func scalarAt(body []byte, pointer string) (string, bool) {
	if pointer == "" {
		return scalarText(bytes.TrimSpace(body))
	}
	start, end, err := locate(body, pointer)
	if err != nil || start == end {
		return "", false
	}
	return scalarText(body[start:end])
}

func scalarText(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || raw[0] == 'n' || !json.Valid(raw) {
		return "", false
	}
	var text string
	if raw[0] == '"' {
		err := json.Unmarshal(raw, &text)
		return text, err == nil
	}
	return string(raw), true
}

func unescapeToken(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
