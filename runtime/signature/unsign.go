package signature

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Unsign takes the signatures of a scheme and of its members out of a request
// that Sign has signed: headers, fields of query and form, members of a JSON
// body (which become null). Times, ids and pinned values stay. For tests: what is
// left lacks nothing but the proof.
func Unsign(s Scheme, r *Request) error {
	for _, m := range s.members() {
		if err := Unsign(m, r); err != nil {
			return err
		}
	}
	s = prepared(s)
	if s.Type == "basic" || s.Type == "bearer" {
		s = authorization(s)
	}
	g := &signer{scheme: s, reader: reader{r: r}}
	for _, src := range s.From {
		if err := g.take(src); err != nil {
			return fmt.Errorf("take the signature out: %w", err)
		}
	}
	return nil
}

// take removes a value of the request; one that is not there is none's loss.
func (g *signer) take(src Source) error {
	r := g.r
	switch src.In {
	case "header":
		r.Header.Del(src.Name)
	case "query":
		r.RawQuery = dropField(r.RawQuery, src.Name)
		if base, _, ok := strings.Cut(r.URL, "?"); ok {
			r.URL = strings.TrimSuffix(base+"?"+r.RawQuery, "?")
		}
	case "form":
		r.Body = []byte(dropField(string(r.Body), src.Name))
	case "json":
		return g.blank(src.Name)
	case "item":
		return g.eachItem(func() error { return g.blank(g.at + src.Name) })
	default:
		return errors.New("a value cannot be taken out of " + place(src))
	}
	return nil
}

// blank sets a member of the body to null, which counts as not there.
func (g *signer) blank(pointer string) error {
	start, end, err := locate(g.r.Body, pointer)
	if err != nil || start == end {
		return nil
	}
	g.r.Body = slices.Concat(g.r.Body[:start], []byte("null"), g.r.Body[end:])
	return nil
}
