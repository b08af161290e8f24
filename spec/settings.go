package spec

import "sort"

// settings collects every setting that is read at start.
func settings(c *Contract) []Setting {
	secret := map[string]bool{}
	take := func(t Template, hidden bool) {
		for _, p := range t.Parts {
			if p.Setting != "" {
				secret[p.Setting] = secret[p.Setting] || hidden
			}
		}
	}
	for _, name := range c.Params {
		secret[name] = false
	}
	if c.PublicURL != "" {
		secret[c.PublicURL] = false
	}
	for _, d := range c.Downstreams {
		take(d.URL, false)
		for _, h := range d.Headers {
			take(h.Value, true)
		}
	}
	found := make([]Setting, 0, len(secret))
	for name, hidden := range secret {
		found = append(found, Setting{Name: name, Secret: hidden})
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Name < found[j].Name })
	return found
}
