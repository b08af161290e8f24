package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	whrt "github.com/whgen/whgen/runtime"
)

// batch delivers a batch twice: what its elements come to must be what is
// expected, and each must arrive at its event with nothing lost.
func (i *instance) batch(x expectation, body []byte, items string, want Expectation, result *Result) error {
	elements, err := elementsOf(body, strings.Split(strings.TrimPrefix(items, "/"), "/"))
	if err != nil {
		return err
	}
	n := int64(len(elements))
	if want.First == nil {
		want.First, want.Again = map[string]int64{"processed": n}, map[string]int64{"duplicate": n}
	}
	attempts, err := i.sendBatch(x, body, n, want.First)
	if err != nil {
		return err
	}
	if err := arrived(attempts, want); err != nil {
		return err
	}
	result.Routed++
	for e, name := range want.Events {
		if name == "" {
			continue
		}
		if err := i.lossless(name, elements[e]); err != nil {
			return fmt.Errorf("element %d: %w", e, err)
		}
	}
	result.Decoded++
	if _, err := i.sendBatch(x, body, n, want.Again); err != nil {
		return err
	}
	result.Once++
	return nil
}

func (i *instance) sendBatch(x expectation, body []byte, n int64, want map[string]int64) ([]whrt.Attempt, error) {
	w, attempts, err := i.send(x, body, "batch")
	if err != nil {
		return nil, err
	}
	got := map[string]int64{}
	for _, a := range attempts {
		got[a.Outcome.String()]++
	}
	if n == 0 && len(attempts) == 1 {
		want = map[string]int64{"ignored": 1} // the empty batch itself
	}
	if !maps.Equal(got, nonzero(maps.Clone(want))) {
		return nil, fmt.Errorf("%d elements came to %v; want %v", n, got, want)
	}
	if w.Code/100 != 2 {
		return nil, fmt.Errorf("answered %d", w.Code)
	}
	return attempts, nil
}

func nonzero(m map[string]int64) map[string]int64 {
	maps.DeleteFunc(m, func(_ string, n int64) bool { return n == 0 })
	return m
}

// arrived compares the events of the elements, which are worked on in no
// particular order.
func arrived(attempts []whrt.Attempt, want Expectation) error {
	if want.Events == nil {
		return nil
	}
	got, named := map[string]int{}, map[string]int{}
	for _, a := range attempts {
		got[a.Event]++
	}
	for _, name := range want.Events {
		named[name]++
	}
	if !maps.Equal(got, named) {
		return fmt.Errorf("arrived at %v; want %v", got, named)
	}
	return nil
}

// elementsOf are the values behind a pointer with "*" in it.
func elementsOf(body json.RawMessage, tokens []string) ([]json.RawMessage, error) {
	if len(tokens) == 0 {
		return []json.RawMessage{body}, nil
	}
	if tokens[0] != "*" {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			return nil, fmt.Errorf("look for the elements: %w", err)
		}
		return elementsOf(members[strings.NewReplacer("~1", "/", "~0", "~").Replace(tokens[0])], tokens[1:])
	}
	var elements, all []json.RawMessage
	if err := json.Unmarshal(body, &elements); err != nil {
		return nil, fmt.Errorf("look for the elements: %w", err)
	}
	for _, e := range elements {
		below, err := elementsOf(e, tokens[1:])
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}
