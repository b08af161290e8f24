package signature

import (
	"fmt"
	"slices"
)

var placeholders = []string{"body", "timestamp", "id", "method", "path", "url", "secret", "crc32:body", "sha256:body"}

// checkScheme refuses declarations that could never verify anything, or that
// would verify less than they seem to.
func checkScheme(s Scheme) error {
	for _, src := range s.sources() {
		if !slices.Contains([]string{"header", "query", "form", "json", "element", "param", "method"}, src.In) {
			return fmt.Errorf("a value cannot be read from %q", src.In)
		}
	}
	if s.Type == "hmac" {
		return checkHMAC(s)
	}
	if s.Type == "token" && len(s.From) == 0 {
		return fmt.Errorf("a token needs a place")
	}
	return nil
}

func checkHMAC(s Scheme) error {
	switch {
	case len(s.From) == 0:
		return fmt.Errorf("signatures need a place")
	case !slices.Contains([]string{"hex", "base64", "base64url"}, s.Encoding):
		return fmt.Errorf("encoding %q of a signature is not supported", s.Encoding)
	case s.List != nil && s.List.Separator == "":
		return fmt.Errorf("a list of signatures needs a separator")
	case s.List != nil && s.List.Name != "" && len(s.List.Tags) == 0:
		return fmt.Errorf("a list of named elements needs a tag")
	}
	if t := s.Timestamp; t != nil && !slices.Contains([]string{"unix", "unix_ms", "unix_us", "rfc3339", "http_date"}, t.Format) {
		return fmt.Errorf("time format %q is not supported", t.Format)
	}
	for _, p := range s.Content {
		if err := checkPart(s, p); err != nil {
			return err
		}
	}
	return nil
}

func checkPart(s Scheme, p Part) error {
	switch {
	case p.Placeholder != "" && !slices.Contains(placeholders, p.Placeholder):
		return fmt.Errorf("placeholder {%s} is not supported", p.Placeholder)
	case p.Placeholder == "timestamp" && s.Timestamp == nil:
		return fmt.Errorf("{timestamp} is signed, but no timestamp is declared")
	case p.Placeholder == "id" && s.ID == nil:
		return fmt.Errorf("{id} is signed, but no id is declared")
	}
	return nil
}

// sources lists every source of the scheme.
func (s Scheme) sources() []Source {
	all := slices.Clone(s.From)
	for _, q := range s.Require {
		all = append(all, q.From)
	}
	for _, p := range s.Content {
		if p.Source != nil {
			all = append(all, *p.Source)
		}
	}
	if s.Timestamp != nil {
		all = append(all, s.Timestamp.From)
	}
	if s.ID != nil {
		all = append(all, *s.ID)
	}
	return all
}

// Reads reports whether the scheme reads a value from in ("json", "form", ...),
// and Places the names it reads there.
func (s Scheme) Reads(in string) bool { return len(s.Places(in)) > 0 }

// Places lists the names that the scheme reads from in, such as the headers
// that carry signatures.
func (s Scheme) Places(in string) []string {
	var names []string
	for _, src := range s.sources() {
		if src.In == in {
			names = append(names, src.Name)
		}
	}
	return names
}

// SignsURL reports whether the public URL is part of what is signed.
func (s Scheme) SignsURL() bool {
	return slices.ContainsFunc(s.Content, func(p Part) bool { return p.Placeholder == "url" })
}

// prepared is s with defaults filled and header names in canonical form; the
// caller's own is not changed.
func prepared(s Scheme) Scheme {
	s.From = slices.Clone(s.From)
	for i := range s.From {
		s.From[i] = canonical(s.From[i])
	}
	s.Require = slices.Clone(s.Require)
	for i := range s.Require {
		s.Require[i].From = canonical(s.Require[i].From)
	}
	if s.Timestamp != nil {
		t := *s.Timestamp
		t.From = canonical(t.From)
		s.Timestamp = &t
	}
	if s.ID != nil {
		id := canonical(*s.ID)
		s.ID = &id
	}
	if len(s.Content) == 0 {
		s.Content = []Part{{Placeholder: "body"}}
	}
	s.Content = slices.Clone(s.Content)
	for i, p := range s.Content {
		if p.Source != nil {
			src := canonical(*p.Source)
			s.Content[i].Source = &src
		}
	}
	return s
}
