package signature

import (
	"slices"
	"strconv"
	"strings"
)

// maxSignatures bounds how many signatures one request may offer.
const maxSignatures = 32

// parseList splits a header value into signatures and other elements. Elements
// with unknown names are kept as elements and never used as signatures; those
// without names go by their index.
func parseList(l *List, value string, signatures []string, elements []Element) ([]string, []Element) {
	for i := 0; ; i++ {
		item, rest, more := strings.Cut(value, l.Separator)
		signatures, elements = l.take(i, item, signatures, elements)
		if !more {
			return signatures, elements
		}
		value = rest
	}
}

func (l *List) take(i int, item string, signatures []string, elements []Element) ([]string, []Element) {
	if l.Trim {
		item = strings.Trim(item, " \t")
	}
	if l.Name == "" {
		if i >= l.Skip && item != "" {
			signatures = append(signatures, item)
		}
		return signatures, append(elements, Element{strconv.Itoa(i), item})
	}
	name, v, ok := strings.Cut(item, l.Name)
	switch {
	case !ok:
	case slices.Contains(l.Tags, name):
		signatures = append(signatures, v)
	default:
		elements = append(elements, Element{name, v})
	}
	return signatures, elements
}

// signatures collects what the request offers, from every declared place.
func (d *reader) signatures(s *Scheme, buf []string) ([]string, *Error) {
	found := buf[:0]
	seen := false
	for _, src := range s.From {
		lines, err := d.values(src)
		if err != nil {
			return nil, err
		}
		if len(lines) > 1 && !s.RepeatAny {
			return nil, fail(Malformed, "the signature is there %d times: %s", len(lines), place(src))
		}
		for _, line := range lines {
			if line == "" {
				continue
			}
			seen = true
			found = d.offers(s, line, found)
		}
	}
	switch {
	case !seen:
		return nil, fail(Missing, "the signature is missing: %s", places(s.From))
	case len(found) == 0:
		return nil, fail(Malformed, "no signature of the declared form is there: %s", places(s.From))
	case len(found) > maxSignatures:
		return nil, fail(Malformed, "more than %d signatures are there: %s", maxSignatures, places(s.From))
	}
	return found, nil
}

func (d *reader) offers(s *Scheme, line string, found []string) []string {
	if s.List != nil {
		found, d.elements = parseList(s.List, line, found, d.elements)
		return found
	}
	if v, ok := strings.CutPrefix(line, s.Prefix); ok || s.PrefixOptional {
		return append(found, v)
	}
	return found
}

func places(srcs []Source) string {
	names := make([]string, len(srcs))
	for i, s := range srcs {
		names[i] = place(s)
	}
	return strings.Join(names, ", ")
}
