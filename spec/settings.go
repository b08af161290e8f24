package spec

import "sort"

// settings collects every name whose value is read at start.
func settings(c *Contract) []Setting {
	secret := map[string]bool{}
	take := func(t Template, hidden bool) {
		for _, p := range t.Parts {
			if p.Setting != "" {
				secret[p.Setting] = secret[p.Setting] || hidden
			}
		}
	}
	for _, d := range c.Downstreams {
		take(d.URL, false)
		for _, h := range d.Headers {
			take(h.Value, true)
		}
	}
	for _, name := range c.Params {
		secret[name] = true // often a shared text that authenticates
	}
	if c.PublicURL != "" {
		secret[c.PublicURL] = secret[c.PublicURL] || false
	}
	found := make([]Setting, 0, len(secret))
	for name, hidden := range secret {
		found = append(found, Setting{Name: name, Secret: hidden})
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Name < found[j].Name })
	return found
}
