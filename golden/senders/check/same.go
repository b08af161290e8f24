package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// same compares two JSON texts as values: order of members and blanks aside.
// Numbers must have the same digits. The error names the first place.
func same(want, got []byte) error {
	var w, g any
	for _, one := range []struct {
		text []byte
		v    *any
	}{{want, &w}, {got, &g}} {
		d := json.NewDecoder(bytes.NewReader(one.text))
		d.UseNumber()
		if err := d.Decode(one.v); err != nil {
			return fmt.Errorf("read back: %w", err)
		}
	}
	return differ(w, g, "")
}

func differ(want, got any, at string) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for name := range g {
			if _, ok := w[name]; !ok {
				return fmt.Errorf("%s/%s was added", at, name)
			}
		}
		for _, name := range names(w) {
			if _, ok := g[name]; !ok {
				return fmt.Errorf("%s/%s is lost", at, name)
			}
			if err := differ(w[name], g[name], at+"/"+name); err != nil {
				return err
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if err := differ(w[i], g[i], at+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
		return nil
	default:
		if want == got {
			return nil
		}
	}
	return fmt.Errorf("%s has become another value", at)
}

func names(m map[string]any) []string {
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
