package signature

import (
	"testing"
	"time"
)

// TestUnsign: what is left of a signed request lacks the signature, and nothing
// else that a scheme reads.
func TestUnsign(t *testing.T) {
	when := &Timestamp{From: Source{In: "header", Name: "X-Time"}, Format: "unix", Tolerance: time.Minute}
	for name, c := range map[string]struct {
		from       Source
		body, want string
	}{
		"header":          {Source{In: "header", Name: "x-sig"}, `{"a":1}`, `{"a":1}`},
		"query":           {Source{In: "query", Name: "sig"}, `{"a":1}`, `{"a":1}`},
		"form":            {Source{In: "form", Name: "sig"}, `a=1`, `a=1`},
		"member":          {Source{In: "json", Name: "/s/sig"}, `{"a":1,"s":{}}`, `{"a":1,"s":{"sig":null}}`},
		"member of items": {Source{In: "item", Name: "/sig"}, `{"l":[{"a":1},{"a":2}]}`, `{"l":[{"sig":null,"a":1},{"sig":null,"a":2}]}`},
	} {
		s := Scheme{Type: "hmac", Secrets: []Secret{{Name: "K"}}, From: []Source{c.from}, Encoding: "hex", Timestamp: when,
			Content: []Part{{Placeholder: "timestamp"}, {Placeholder: "url"}}}
		if c.from.In == "item" {
			s.Items, s.Content = "/l/*", []Part{{Placeholder: "timestamp"}, {Source: &Source{In: "item", Name: "/a"}}}
		}
		if c.from.In == "query" {
			s.Content = s.Content[:1]
		}
		r := request(c.body)
		r.URL, r.RawQuery = "https://shop.example/hook?b=2", "b=2"
		if err := Sign(s, key, r, now); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		v, err := Compile(s, []string{key})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		JSONBody(r)
		if _, err := v.Verify(r, now); err != nil {
			t.Fatalf("%s: signed, and it is refused: %v", name, err)
		}
		if err := Unsign(Scheme{All: []Scheme{s}}, r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, err = v.Verify(r, now)
		wantKind(t, name, err, Missing)
		if string(r.Body) != c.want || r.RawQuery != "b=2" || r.Header.Get("X-Time") == "" {
			t.Errorf("%s: %s with query %s is left; want %s", name, r.Body, r.RawQuery, c.want)
		}
	}
}

// TestCertificates: a key that is published as a certificate.
func TestCertificates(t *testing.T) {
	s := Scheme{Type: "rsa", Padding: "pkcs1v15", Encoding: "base64", Decode: Decoding{Encoding: "x509-pem"}, From: header("X-Sig"),
		Secrets: []Secret{{Name: "K"}}, Content: []Part{{Placeholder: "body"}}, Require: []Requirement{{Source{In: "json", Name: "/v"}, "{param:VERSION}"}}}
	certificate, private, err := NewKeys(s)
	if err != nil {
		t.Fatal(err)
	}
	r := request(`{"v":"1"}`)
	r.Param = func(name string) (string, bool) { return "2", name == "VERSION" }
	if err := Sign(s, private, r, now); err != nil {
		t.Fatal(err)
	}
	s.Require[0].Equals = "2"
	v, err := Compile(s, []string{certificate})
	if err != nil {
		t.Fatal(err)
	}
	JSONBody(r)
	if _, err := v.Verify(r, now); err != nil {
		t.Errorf("%v of %s", err, r.Body)
	}
}
