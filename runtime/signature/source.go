package signature

import (
	"crypto/subtle"
	"net/http"
)

// reader reads the sources of one request; forms and queries are parsed once.
type reader struct {
	r        *Request
	elements []Element
	query    *[]pair
	form     *[]pair
	item     Lookup // of the current item
}

// values gives every value at src in order. Header names are canonical already.
func (d *reader) values(src Source) ([]string, *Error) {
	switch src.In {
	case "header":
		if src.Name == "Host" { // net/http keeps it apart
			return []string{d.r.Host}, nil
		}
		return d.r.Header[src.Name], nil
	case "query":
		q, err := d.queryFields()
		return valuesOf(q, src.Name), err
	case "form":
		f, err := d.formFields()
		return valuesOf(f, src.Name), err
	case "json":
		return call(d.r.JSON, src.Name), nil
	case "item":
		return call(d.item, src.Name), nil
	case "param":
		return call(d.r.Param, src.Name), nil
	case "method":
		return []string{d.r.Method}, nil
	case "element":
		return d.elementValues(src.Name), nil
	}
	return nil, nil
}

// one gives the only value at src: strict rule 1 of what verification allows.
func (d *reader) one(src Source, what string) (string, *Error) {
	vs, err := d.values(src)
	if err != nil {
		return "", err
	}
	switch {
	case len(vs) == 0 || vs[0] == "":
		return "", fail(Missing, "%s is missing: %s", what, place(src))
	case len(vs) > 1:
		return "", fail(Malformed, "%s is there %d times: %s", what, len(vs), place(src))
	}
	return vs[0], nil
}

func (d *reader) queryFields() ([]pair, *Error) {
	if d.query == nil {
		q, ok := parseForm(d.r.RawQuery)
		if !ok {
			return nil, fail(Malformed, "the query is malformed")
		}
		d.query = &q
	}
	return *d.query, nil
}

func (d *reader) formFields() ([]pair, *Error) {
	if d.form == nil && d.r.Form != nil {
		all, ok := d.r.Form()
		if !ok {
			return nil, fail(Malformed, "the form is malformed")
		}
		fields := make([]pair, len(all))
		for i, f := range all {
			fields[i] = pair{f.Name, f.Value}
		}
		d.form = &fields
	}
	if d.form == nil {
		f, ok := parseForm(string(d.r.Body))
		if !ok {
			return nil, fail(Malformed, "the form is malformed")
		}
		d.form = &f
	}
	return *d.form, nil
}

// members gives the fields of the form, or the scalars at the root of the JSON body.
func (d *reader) members(from string) ([]pair, *Error) {
	if from == "form" {
		return d.formFields()
	}
	if d.r.Members == nil {
		return nil, fail(Malformed, "the body is no JSON object")
	}
	all, ok := d.r.Members()
	if !ok {
		return nil, fail(Malformed, "the body is no JSON object")
	}
	pairs := make([]pair, len(all))
	for i, m := range all {
		pairs[i] = pair{m.Name, m.Value}
	}
	return pairs, nil
}

func (d *reader) elementValues(name string) []string {
	var vs []string
	for _, e := range d.elements {
		if e.Name == name {
			vs = append(vs, e.Value)
		}
	}
	return vs
}

func call(f func(string) (string, bool), name string) []string {
	if f == nil {
		return nil
	}
	v, ok := f(name)
	if !ok {
		return nil
	}
	return []string{v}
}

func canonical(src Source) Source {
	if src.In == "header" {
		src.Name = http.CanonicalHeaderKey(src.Name)
	}
	return src
}

func place(src Source) string {
	if src.Name == "" {
		return src.In
	}
	return src.In + " " + src.Name
}

// required checks the pinned values.
func (d *reader) required(reqs []Requirement) *Error {
	for _, q := range reqs {
		v, err := d.one(q.From, "a required value")
		if err != nil {
			return err
		}
		if subtle.ConstantTimeCompare([]byte(v), []byte(q.Equals)) != 1 { // it may be a token by another name
			return fail(Mismatch, "a required value differs: %s", place(q.From))
		}
	}
	return nil
}
