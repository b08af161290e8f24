package signature

import (
	"net/http"
	"net/url"
)

// reader reads the sources of one request; forms and queries are parsed once.
type reader struct {
	r        *Request
	elements []Element
	query    url.Values
	form     url.Values
}

// values gives every value at src in order. Header names are canonical already.
func (d *reader) values(src Source) ([]string, *Error) {
	switch src.In {
	case "header":
		return d.r.Header[src.Name], nil
	case "query":
		return d.queryValues(src.Name)
	case "form":
		return d.formValues(src.Name)
	case "json":
		return call(d.r.JSON, src.Name), nil
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

func (d *reader) queryValues(name string) ([]string, *Error) {
	if d.query == nil {
		q, err := url.ParseQuery(d.r.RawQuery)
		if err != nil {
			return nil, fail(Malformed, "the query is malformed")
		}
		d.query = q
	}
	return d.query[name], nil
}

func (d *reader) formValues(name string) ([]string, *Error) {
	if d.r.Form != nil {
		values, ok := d.r.Form(name)
		if !ok {
			return nil, fail(Malformed, "the form is malformed")
		}
		return values, nil
	}
	if d.form == nil {
		f, err := url.ParseQuery(string(d.r.Body))
		if err != nil {
			return nil, fail(Malformed, "the form is malformed")
		}
		d.form = f
	}
	return d.form[name], nil
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
		if v != q.Equals {
			return fail(Mismatch, "a required value differs: %s", place(q.From))
		}
	}
	return nil
}
