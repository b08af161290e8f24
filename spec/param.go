package spec

import (
	"regexp"
	"sort"
)

// paramName keeps parameters and settings apart: a setting begins with A-Z.
var paramName = regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`)

// params reads `params`: which setting holds what a contract calls param:x.
func (l *loader) params(v *value, c *Contract) {
	for _, f := range v.fieldsOf() {
		if !paramName.MatchString(f.name) {
			l.err(f.at, "param", "write a name such as verify_token", "params: %q: a name is of the form [a-z][A-Za-z0-9_]*", f.name)
			continue
		}
		if setting, ok := l.setting(f.value, "params."+f.name); ok {
			c.Params = append(c.Params, Param{Pos: f.at, Name: f.name, Setting: setting})
		}
	}
	sort.Slice(c.Params, func(i, j int) bool { return c.Params[i].Name < c.Params[j].Name })
}

// publicURL reads the name of the setting that holds the public address.
func (l *loader) publicURL(v *value, c *Contract) {
	if v == nil {
		return
	}
	c.PublicURL, _ = l.setting(v, "publicUrl")
}

// holdParam demands that a parameter is declared.
func (r *report) holdParam(s *Selector, c *Contract, what string) {
	names := make([]string, 0, len(c.Params))
	for _, p := range c.Params {
		if p.Name == s.Name {
			return
		}
		names = append(names, p.Name)
	}
	r.err(s.Pos, "param", orElse(didYouMean(s.Name, names), "write params: {"+s.Name+": SOME_SETTING} at the root"), "%s: parameter %q is not declared", what, s.Name)
}

// holdPath demands that a path has the parameter.
func (r *report) holdPath(s *Selector, path, what string) {
	names := pathParams(path)
	if contains(names, s.Name) {
		return
	}
	r.err(s.Pos, "path", orElse(didYouMean(s.Name, names), "write path: "+path+"/{"+s.Name+"}"), "%s: %q: the path %q has no such parameter", what, s.Text(), path)
}
