package runtime

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
)

// mediaType is one declared media type.
type mediaType struct {
	name string
	json bool
	form bool
}

func compileMedia(list []string) ([]mediaType, error) {
	if len(list) == 0 {
		return nil, errors.New("no media type is declared")
	}
	var out []mediaType
	for _, text := range list {
		name, _, err := mime.ParseMediaType(text)
		if err != nil {
			return nil, fmt.Errorf("media type %q: %w", text, err)
		}
		out = append(out, newMediaType(name))
	}
	return out, nil
}

func newMediaType(name string) mediaType {
	return mediaType{
		name: name,
		json: name == "application/json" || strings.HasSuffix(name, "+json"),
		form: name == "application/x-www-form-urlencoded",
	}
}

// media finds the declared media type of a request. Parameters do not count
// but for charset, which can only be utf-8; a declared application/json takes
// every +json suffix too; no Content-Type at all is taken for JSON where that
// is declared. Compressed bodies are refused: the signature is over the bytes
// as they come.
func (e *endpoint) mediaOf(h http.Header) (mediaType, bool) {
	if !plainEncoding(h) {
		return mediaType{}, false
	}
	lines := h["Content-Type"]
	switch {
	case len(lines) > 1:
		return mediaType{}, false
	case len(lines) == 0 || lines[0] == "":
		return e.declared("application/json")
	case lines[0] == "application/json": // the usual one, without parsing
		return e.declared(lines[0])
	}
	name, params, err := mime.ParseMediaType(lines[0])
	if err != nil {
		return mediaType{}, false
	}
	if set, ok := params["charset"]; ok && !strings.EqualFold(set, "utf-8") && !strings.EqualFold(set, "utf8") {
		return mediaType{}, false
	}
	return e.declared(name)
}

func (e *endpoint) declared(name string) (mediaType, bool) {
	for _, m := range e.media {
		if m.name == name {
			return m, true
		}
	}
	if got := newMediaType(name); got.json && name != "application/json" {
		if _, ok := e.declared("application/json"); ok {
			return got, true
		}
	}
	return mediaType{}, false
}

func plainEncoding(h http.Header) bool {
	for _, line := range h["Content-Encoding"] {
		if line != "" && !strings.EqualFold(line, "identity") {
			return false
		}
	}
	return true
}
