package send

import (
	"encoding/json"
	"fmt"
	"strings"
)

// joined is a body with the elements of all bodies: the first one's, with the
// others' elements added to its array. items is event.items, such as /events/*.
func joined(bodies []string, items string) (string, error) {
	before, _, found := strings.Cut(items, "/*")
	if !found {
		return "", fmt.Errorf("the elements of a batch stand at %q; want a pointer such as /events/*", items)
	}
	tokens := strings.Split(before, "/")[1:]
	var elements []json.RawMessage
	for _, body := range bodies {
		own, err := elementsAt(json.RawMessage(body), tokens)
		if err != nil {
			return "", err
		}
		elements = append(elements, own...)
	}
	whole, err := json.Marshal(elements)
	if err != nil {
		return "", fmt.Errorf("write the batch: %w", err)
	}
	body, err := replaced(json.RawMessage(bodies[0]), tokens, whole)
	return string(body), err
}

func elementsAt(value json.RawMessage, tokens []string) ([]json.RawMessage, error) {
	for _, token := range tokens {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil {
			return nil, fmt.Errorf("find the elements of the batch: %w", err)
		}
		if value = object[unescape(token)]; value == nil {
			return nil, fmt.Errorf("find the elements of the batch: the body has no %q", unescape(token))
		}
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(value, &elements); err != nil {
		return nil, fmt.Errorf("read the elements of the batch: %w", err)
	}
	return elements, nil
}

// replaced is a value with another one at the end of the tokens.
func replaced(value json.RawMessage, tokens []string, with json.RawMessage) (json.RawMessage, error) {
	if len(tokens) == 0 {
		return with, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(value, &object); err != nil {
		return nil, fmt.Errorf("write the batch: %w", err)
	}
	inner, err := replaced(object[unescape(tokens[0])], tokens[1:], with)
	if err != nil {
		return nil, err
	}
	object[unescape(tokens[0])] = inner
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("write the batch: %w", err)
	}
	return text, nil
}

func unescape(token string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(token) }
