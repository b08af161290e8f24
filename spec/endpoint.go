package spec

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// pathText is a path of plain segments, each text or one parameter.
	pathText  = regexp.MustCompile(`^(/([A-Za-z0-9._~!$&'()*+,;=:@-]+|\{[a-z][A-Za-z0-9_]*\}))*$`)
	pathParam = regexp.MustCompile(`^\{(.+)\}$`)
)

// endpointPath reads where an endpoint is, below the mount point.
func (l *loader) endpointPath(v *value, name string) string {
	if v == nil {
		if name == "" {
			return ""
		}
		return "/" + name
	}
	text := strings.TrimSuffix(textOf(v), "/")
	if !pathText.MatchString(text) || slices.Contains(segments(text), ".") || slices.Contains(segments(text), "..") {
		l.err(v.at, "path", "write it as /inbound or /{tenant}/inbound; a parameter is a whole segment", "path %q is no path", textOf(v))
		return text
	}
	params := pathParams(text)
	slices.Sort(params)
	if len(slices.Compact(params)) < len(params) {
		l.err(v.at, "path", "name them apart", "path %q: two parameters have one name", text)
	}
	return text
}

func segments(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path[1:], "/")
}

// pathParams are the names of a path's parameters.
func pathParams(path string) []string {
	var names []string
	for _, s := range segments(path) {
		if m := pathParam.FindStringSubmatch(s); m != nil {
			names = append(names, m[1])
		}
	}
	return names
}

// refusePaths refuses endpoints of which nobody could say which one a request
// is for. A text in place of a parameter is the more exact one, and is fine.
func (l *loader) refusePaths(all []*scope) {
	for i, s := range all {
		for _, o := range all[:i] {
			a, b := o.endpoint, s.endpoint
			switch {
			case a.Path == b.Path:
				l.err(s.at, "path", "", "endpoints %q and %q have one path, %q", a.Name, b.Name, b.Path)
			case ambiguous(a.Path, b.Path):
				l.err(s.at, "path", "give one of them another text segment", "endpoints %q and %q: %q and %q fit the same requests", a.Name, b.Name, a.Path, b.Path)
			}
		}
	}
}

// ambiguous reports whether some request fits both paths, and neither is the
// more exact one.
func ambiguous(a, b string) bool {
	as, bs := segments(a), segments(b)
	if len(as) != len(bs) {
		return false
	}
	exactA, exactB := false, false
	for i := range as {
		isA, isB := pathParam.MatchString(as[i]), pathParam.MatchString(bs[i])
		switch {
		case !isA && !isB && as[i] != bs[i]:
			return false
		case !isA && isB:
			exactA = true
		case isA && !isB:
			exactB = true
		}
	}
	return exactA == exactB
}
