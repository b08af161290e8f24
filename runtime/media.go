package runtime

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// reading is how a body is read.
type reading int

const (
	rawBody reading = iota // not at all: only headers and query are
	jsonBody
	formBody
	multipartBody
)

// mediaType is one declared media type.
type mediaType struct {
	name     string
	reads    reading
	boundary string // of one request
}

func (m mediaType) isForm() bool { return m.reads == formBody || m.reads == multipartBody }

func compileMedia(list, asJSON []string) ([]mediaType, error) {
	if len(list) == 0 {
		return nil, errors.New("no media type is declared")
	}
	var out []mediaType
	for _, text := range list {
		name, _, err := mime.ParseMediaType(text)
		if err != nil {
			return nil, fmt.Errorf("media type %q: %w", text, err)
		}
		m := newMediaType(name)
		if slices.Contains(asJSON, text) {
			m.reads = jsonBody
		}
		out = append(out, m)
	}
	return out, nil
}

func newMediaType(name string) mediaType {
	m := mediaType{name: name}
	switch {
	case name == "application/json", name == "text/json", strings.HasSuffix(name, "+json"):
		m.reads = jsonBody
	case name == "application/x-www-form-urlencoded":
		m.reads = formBody
	case name == "multipart/form-data":
		m.reads = multipartBody
	}
	return m
}

// mediaOf finds the declared media type of a request. Parameters do not count
// but for charset, which can only be utf-8 where text is read, and a multipart
// body's boundary; a declared application/json takes every +json suffix too. No
// Content-Type at all is taken for JSON where that is declared, else for the
// only type that is.
func (e *endpoint) mediaOf(h http.Header) (mediaType, bool) {
	lines := h["Content-Type"]
	switch {
	case len(lines) > 1:
		return mediaType{}, false
	case len(lines) == 0 || lines[0] == "":
		if m, ok := e.declared("application/json"); ok || len(e.media) != 1 {
			return m, ok
		}
		return e.media[0], true
	case lines[0] == "application/json": // the usual one, without parsing
		return e.declared(lines[0])
	}
	name, params, err := mime.ParseMediaType(lines[0])
	if err != nil {
		return mediaType{}, false
	}
	m, ok := e.declared(name)
	if set := params["charset"]; set != "" && m.reads != rawBody && !isUTF8(set) {
		return mediaType{}, false
	}
	m.boundary = params["boundary"]
	return m, ok
}

func isUTF8(charset string) bool {
	for _, name := range []string{"utf-8", "utf8", "us-ascii"} {
		if strings.EqualFold(charset, name) {
			return true
		}
	}
	return false
}

func (e *endpoint) declared(name string) (mediaType, bool) {
	for _, m := range e.media {
		if m.name == name {
			return m, true
		}
	}
	if got := newMediaType(name); strings.HasSuffix(name, "+json") {
		if _, ok := e.declared("application/json"); ok {
			return got, true
		}
	}
	return mediaType{}, false
}
