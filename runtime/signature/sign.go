package signature

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// place puts timestamp and pinned values where the scheme reads them.
func (v *hmacVerifier) place(d *reader, now time.Time) error {
	for _, q := range v.scheme.Require {
		if q.From.In == "header" || q.From.In == "query" {
			if err := put(d.r, q.From, q.Equals); err != nil {
				return err
			}
		}
	}
	t := v.scheme.Timestamp
	if t == nil {
		return nil
	}
	text := formatTime(t.Format, now)
	switch t.From.In {
	case "element":
		d.elements = append(d.elements, Element{t.From.Name, text})
	case "header", "query":
		return put(d.r, t.From, text)
	}
	return nil
}

// line writes the signature the way the scheme has it.
func (v *hmacVerifier) line(sum string, elements []Element) string {
	l := v.scheme.List
	if l == nil {
		return v.scheme.Prefix + sum
	}
	if l.Name == "" {
		return strings.Repeat("0"+l.Separator, l.Skip) + sum
	}
	line := ""
	for _, e := range elements {
		line += e.Name + l.Name + e.Value + l.Separator
	}
	return line + l.Tags[0] + l.Name + sum
}

// put sets a value of the request.
func put(r *Request, src Source, value string) error {
	if !printable(value) {
		return fmt.Errorf("sign request: a value for %s has a line end in it", place(src))
	}
	switch src.In {
	case "header":
		r.Header.Set(src.Name, value)
	case "query":
		q, err := url.ParseQuery(r.RawQuery)
		if err != nil {
			return fmt.Errorf("sign request: parse query: %w", err)
		}
		q.Set(src.Name, value)
		r.RawQuery = q.Encode()
	default:
		return fmt.Errorf("sign request: a value cannot be put into %s", place(src))
	}
	return nil
}
