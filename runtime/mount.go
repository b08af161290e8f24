package runtime

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// segment is one part of an endpoint's path: text, or a parameter.
type segment struct {
	text  string // "" for a parameter
	param string
}

// compilePath splits the path of an endpoint.
func compilePath(p string) ([]segment, error) {
	if p == "" {
		return nil, nil
	}
	if !strings.HasPrefix(p, "/") || !cleanPath(p) {
		return nil, fmt.Errorf("path %q is no clean path", p)
	}
	var out []segment
	for text := range strings.SplitSeq(p[1:], "/") {
		name, isParam := strings.CutPrefix(text, "{")
		name, closed := strings.CutSuffix(name, "}")
		switch {
		case isParam && closed && name != "" && !strings.ContainsAny(name, "{}.$"):
			out = append(out, segment{param: name})
		case strings.ContainsAny(text, "{}"):
			return nil, fmt.Errorf("path %q: a parameter is a whole segment such as {tenant}", p)
		default:
			out = append(out, segment{text: text})
		}
	}
	return out, nil
}

// fits reports whether a request's path ends in the endpoint's. What stands
// before that is the mount point, which the receiver does not know.
func (e *endpoint) fits(p string) bool {
	for _, s := range slices.Backward(e.segments) {
		i := strings.LastIndexByte(p, '/')
		if i < 0 || s.param == "" && p[i+1:] != s.text || p[i+1:] == "" {
			return false
		}
		p = p[:i]
	}
	return true
}

// below is the end of a path that belongs to the endpoint.
func (e *endpoint) below(p string) string {
	end := len(p)
	for range e.segments {
		end = strings.LastIndexByte(p[:end], '/')
		if end < 0 {
			return ""
		}
	}
	return p[end:]
}

// pathParam is the value of a parameter of the endpoint's path.
func (e *endpoint) pathParam(p, name string) string {
	rest := strings.TrimPrefix(e.below(p), "/")
	for _, s := range e.segments {
		var text string
		if text, rest, _ = strings.Cut(rest, "/"); s.param == name {
			return text
		}
	}
	return ""
}

func (e *endpoint) hasParam(name string) bool {
	return slices.ContainsFunc(e.segments, func(s segment) bool { return s.param == name })
}

// exactFirst orders endpoints so that the first one that fits is the right one:
// the longest path, text before parameters.
func exactFirst(a, b *endpoint) int {
	if d := cmp.Compare(len(b.segments), len(a.segments)); d != 0 {
		return d
	}
	for i := range a.segments {
		if pa, pb := a.segments[i].param != "", b.segments[i].param != ""; pa != pb {
			if pb {
				return -1
			}
			return 1
		}
	}
	return 0
}

// find gives the endpoint of a request: the one with the longest path that the
// request's path ends in.
func (r *Receiver) find(hr *http.Request) *endpoint {
	p := hr.URL.Path
	if !wellWritten(hr.URL) {
		return nil
	}
	for _, e := range r.byPath {
		if e.fits(p) {
			return e
		}
	}
	return nil
}

// wellWritten reports whether a path is written the one way: clean, and without
// a slash hidden in a segment.
func wellWritten(u *url.URL) bool {
	return cleanPath(u.Path) && !strings.Contains(u.RawPath, "%2F") && !strings.Contains(u.RawPath, "%2f")
}

// cleanPath reports whether a path is written the one way: no empty or dotted
// segments, no slash at the end. Below a stripped prefix it may be empty.
func cleanPath(p string) bool {
	return p == "" || p == "/" || p[0] == '/' && p[len(p)-1] != '/' && path.Clean(p) == p
}

// Paths are the endpoints' paths below the mount point; "" is the mount point.
// A segment in braces is a parameter, spelled as http.ServeMux does.
func (r *Receiver) Paths() []string {
	var paths []string
	for _, e := range r.endpoints {
		paths = append(paths, e.Path)
	}
	return paths
}

// Handle mounts every endpoint below prefix, for all methods: the receiver
// itself answers those that are not declared. Where endpoints have parameters
// in their paths, this (or http.StripPrefix) is the way: behind another router
// the receiver only sees how a path ends.
func (r *Receiver) Handle(mux *http.ServeMux, prefix string) {
	for _, e := range r.endpoints {
		mux.HandleFunc(strings.TrimSuffix(prefix, "/")+e.Path, func(w http.ResponseWriter, hr *http.Request) {
			if !wellWritten(hr.URL) || !e.fits(hr.URL.Path) {
				notFound(w, hr)
				return
			}
			r.serve(w, hr, e)
		})
	}
}

func notFound(w http.ResponseWriter, hr *http.Request) {
	send(w, hr.Method, http.StatusNotFound, "", []byte("not found\n"))
}
