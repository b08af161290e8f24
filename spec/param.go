package spec

import "regexp"

var paramName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// holdParam demands that a parameter is declared, and notes its setting.
func (r *report) holdParam(s *Selector, c *Contract, what string) {
	setting, ok := c.Params[s.Name]
	if !ok {
		r.err(s.Pos, "param", orElse(didYouMean(s.Name, sortedNames(c.Params)), "write params: {"+s.Name+": SOME_SETTING} at the root"), "%s: parameter %q is not declared", what, s.Name)
	}
	s.Setting = setting
}

// holdPath demands that a path has the parameter.
func (r *report) holdPath(s *Selector, path, what string) {
	names := pathParams(path)
	if contains(names, s.Name) {
		return
	}
	r.err(s.Pos, "path", orElse(didYouMean(s.Name, names), "write path: "+path+"/{"+s.Name+"}"), "%s: %q: the path %q has no such parameter", what, s.Text(), path)
}
