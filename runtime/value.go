package runtime

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// value is what a selector has read: JSON text from the body, else plain text.
// It is not ok where the value is absent or null.
type value struct {
	ok   bool
	json jsontext.Value // nil for plain text
	text string
}

// plain is the value as text: of a JSON string its content, of anything else
// the text as it came.
func (v value) plain() string {
	if v.json == nil {
		return v.text
	}
	if v.json.Kind() == '"' {
		return unquote(v.json)
	}
	return string(v.json)
}

// appendJSON writes the value as JSON: verbatim, or a text quoted.
func (v value) appendJSON(dst []byte) []byte {
	if v.json != nil {
		return append(dst, v.json...)
	}
	dst, _ = jsontext.AppendQuote(dst, v.text)
	return dst
}

// composite reports whether the value is an object or an array.
func (v value) composite() bool {
	return v.json != nil && (v.json[0] == '{' || v.json[0] == '[')
}

func unquote(v jsontext.Value) string {
	for _, c := range v[1 : len(v)-1] {
		if c == '\\' {
			text, _ := jsontext.AppendUnquote(nil, v)
			return string(text)
		}
	}
	return string(v[1 : len(v)-1])
}

// problem is why a delivery ends before the database: malformed or rejected.
type problem struct {
	outcome Outcome
	reason  string
}

func (p *problem) Error() string { return p.reason }

func malformed(format string, args ...any) *problem {
	return &problem{Malformed, fmt.Sprintf(format, args...)}
}

func rejected(format string, args ...any) *problem {
	return &problem{Rejected, fmt.Sprintf(format, args...)}
}

// read gives a selector's value; absence is not judged. Two lines or values of
// one name are malformed wherever they are selected.
func (rq *request) read(s *selector) (value, *problem) {
	v, err := rq.lookup(s)
	if err == nil && !v.ok && s.fallback != nil {
		return value{ok: true, json: s.fallback}, nil
	}
	return v, err
}

func (rq *request) lookup(s *selector) (value, *problem) {
	switch s.Kind {
	case Body:
		return rq.bodyValue(s)
	case Envelope:
		raw := rq.outer(s.slot)
		if len(raw) == 0 || raw[0] == 'n' {
			return value{}, nil
		}
		return value{ok: true, json: raw}, nil
	case Header:
		return rq.headerValue(s.Name)
	case Query:
		if rq.query == nil {
			q, ok := parseQuery(rq.http.URL.RawQuery)
			if !ok {
				return value{}, malformed("the query is malformed")
			}
			rq.query = q
		}
		return single(rq.query[s.Name], "query", s.Name)
	case Form:
		return single(rq.form.values(s.Name), "form", s.Name)
	case Outer:
		return slotValue(rq.around, s.slot), nil
	case Method:
		return value{ok: true, text: rq.http.Method}, nil
	case Path:
		text := ""
		if rq.endpoint.hasParam(s.Name) {
			text = rq.endpoint.pathParam(rq.http.URL.Path, s.Name)
		} else {
			text = rq.http.PathValue(s.Name) // of the user's own pattern
		}
		return value{ok: text != "", text: text}, nil
	case Signed:
		return value{ok: rq.signedID != "", text: rq.signedID}, nil
	default:
		return value{ok: true, text: s.Name}, nil
	}
}

// bodyValue reads a pointer. In the nested view of a form values are texts, and
// two of one name are malformed here as they are by name. A pointer into JSON
// that stands in one field finds it where the schema has said so.
func (rq *request) bodyValue(s *selector) (value, *problem) {
	v := slotValue(rq.slots, s.slot)
	if rq.form == nil || rq.json {
		return v, nil
	}
	if rq.form.repeated[s.Name] {
		return value{}, malformed("form field %s is there several times", s.Name)
	}
	if !v.ok && rq.typed != nil {
		v = slotValue(rq.typed.slots, s.slot)
	}
	if v.ok && !v.composite() {
		v.text, v.json = v.plain(), nil
	}
	return v, nil
}

func slotValue(slots []jsontext.Value, i int) value {
	if i >= len(slots) || len(slots[i]) == 0 || slots[i][0] == 'n' {
		return value{}
	}
	return value{ok: true, json: slots[i]}
}

// headerValue reads a header. The attributes of a CloudEvent in binary mode
// (ce-...) are percent-encoded once (CloudEvents HTTP binding 1.0, 3.1.3.2);
// what is no escape there stands for itself.
func (rq *request) headerValue(name string) (value, *problem) {
	v, err := single(rq.http.Header[name], "header", name)
	if err != nil || !strings.HasPrefix(name, "Ce-") || !strings.Contains(v.text, "%") {
		return v, err
	}
	if text, bad := url.PathUnescape(v.text); bad == nil && utf8.ValidString(text) {
		v.text = text
	}
	return v, nil
}

func single(vs []string, kind, name string) (value, *problem) {
	switch {
	case len(vs) == 0:
		return value{}, nil
	case len(vs) > 1:
		return value{}, malformed("%s %s is there %d times", kind, name, len(vs))
	case !utf8.ValidString(vs[0]):
		return value{}, malformed("%s %s is not UTF-8", kind, name)
	}
	return value{ok: true, text: vs[0]}, nil
}

// need is read for a value that has to be there unless it is optional.
func (rq *request) need(s *selector) (value, *problem) {
	v, err := rq.read(s)
	if err != nil {
		return v, err
	}
	if !v.ok && !s.Optional {
		return v, malformed("%s is missing", selectorText(s.Selector))
	}
	return v, nil
}
