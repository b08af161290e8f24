package runtime

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFields bounds the fields and files of one form; PHP, from which names
// like a[b][] come, stops at the same number.
const maxFields = 1000

// form is a decoded form body, its fields in the order received.
type form struct {
	fields   []formField
	repeated map[string]bool // pointers of the nested view that several values compete for
	view     *formNode
}

// formField is one field, or one file of a multipart body.
type formField struct {
	name, value string
	path        []string // where it stands in the nested view
	from, to    int      // of the value as it was written in a URL-encoded body
	file        bool     // value is the hash of the content
}

// values gives the values of a name, files left out.
func (f *form) values(name string) []string {
	if f == nil {
		return nil
	}
	var out []string
	for i := range f.fields {
		if f.fields[i].name == name && !f.fields[i].file {
			out = append(out, f.fields[i].value)
		}
	}
	return out
}

// parseForm reads an application/x-www-form-urlencoded body after the URL
// standard, but strictly: escapes that are none, and texts that are not UTF-8,
// are refused instead of guessed at. A semicolon is data.
func parseForm(body []byte) (*form, *problem) {
	f := &form{}
	for at := 0; at < len(body); {
		end := len(body)
		if i := bytes.IndexByte(body[at:], '&'); i >= 0 {
			end = at + i
		}
		if end > at {
			field, err := parseField(body, at, end)
			if err != nil {
				return nil, err
			}
			if f.fields = append(f.fields, field); len(f.fields) > maxFields {
				return nil, tooManyFields()
			}
		}
		at = end + 1
	}
	return f, nil
}

func tooManyFields() *problem {
	return malformed("the form has more than %d fields", maxFields)
}

func parseField(body []byte, from, to int) (formField, *problem) {
	name, value, found := strings.Cut(string(body[from:to]), "=")
	f := formField{from: from + len(name), to: to}
	if found {
		f.from++
	}
	var err error
	if f.name, err = url.QueryUnescape(name); err == nil {
		f.value, err = url.QueryUnescape(value)
	}
	switch {
	case err != nil:
		return f, malformed("the form has an escape that is none near byte %d", from)
	case !utf8.ValidString(f.name) || !utf8.ValidString(f.value):
		return f, malformed("the form is not UTF-8 near byte %d", from)
	}
	return f, nil
}

// digest is over the decoded fields that counts takes: by name as bytes, equal
// names in the order received.
func (f *form) digest(counts func(*formField) bool) []byte {
	h := sha256.New()
	f.hashInto(h, counts)
	return h.Sum(nil)
}

func (f *form) hashInto(h hash.Hash, counts func(*formField) bool) {
	order := make([]int, len(f.fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(f.fields[a].name, f.fields[b].name) })
	for _, i := range order {
		field := &f.fields[i]
		if counts != nil && !counts(field) {
			continue
		}
		mark := "="
		if field.file {
			mark = "=@" // no escaped value begins so
		}
		fmt.Fprintf(h, "%s%s%s&", url.QueryEscape(field.name), mark, url.QueryEscape(field.value))
	}
}

func fileHash(sum []byte) string { return hex.EncodeToString(sum) }

// within reports whether a cut ends at the field or above it, by its place in
// the nested view or by its decoded name.
func (f *formField) within(c *cut) bool {
	return reaches(c, f.path) || reaches(c, []string{f.name})
}

func reaches(c *cut, path []string) bool {
	at := []*cut{c}
	for _, token := range path {
		if ended(at) {
			return true
		}
		at = below(at, []byte(token))
	}
	return ended(at)
}
