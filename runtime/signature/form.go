package signature

import (
	"strings"
)

// ParseForm reads a query or a form body (application/x-www-form-urlencoded) as
// schemes do: in order, a semicolon is a character. It is false where an escape
// is none.
func ParseForm(text string) ([]Element, bool) {
	pairs, ok := parseForm(text)
	all := make([]Element, len(pairs))
	for i, p := range pairs {
		all[i] = Element{p.name, p.value}
	}
	return all, ok
}

// pair is a field of a query or a form, decoded.
type pair struct{ name, value string }

// parseForm reads application/x-www-form-urlencoded text. Unlike net/url it
// keeps the order and takes a semicolon for what it is, a character: that is
// how senders sign it (URL Standard, 5.1). Escapes that are none are malformed.
func parseForm(text string) ([]pair, bool) {
	var all []pair
	for text != "" {
		piece, rest, _ := strings.Cut(text, "&")
		text = rest
		if piece == "" {
			continue
		}
		name, value, _ := strings.Cut(piece, "=")
		n, ok := unescapeForm(name)
		v, also := unescapeForm(value)
		if !ok || !also {
			return nil, false
		}
		all = append(all, pair{n, v})
	}
	return all, true
}

func unescapeForm(s string) (string, bool) {
	if !strings.ContainsAny(s, "%+") {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '+':
			out = append(out, ' ')
		case '%':
			if i+2 >= len(s) {
				return "", false
			}
			high, low := unhex(s[i+1]), unhex(s[i+2])
			if high < 0 || low < 0 {
				return "", false
			}
			out = append(out, byte(high<<4|low))
			i += 2
		default:
			out = append(out, c)
		}
	}
	return string(out), true
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func valuesOf(all []pair, name string) []string {
	var vs []string
	for _, p := range all {
		if p.name == name {
			vs = append(vs, p.value)
		}
	}
	return vs
}
