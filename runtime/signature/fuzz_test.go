package signature

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzTime: what is taken for a time is written the one way, so that two texts
// never stand for one signed moment.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"1700000000", "+1700000000", "1700000000.0", " 1", "0", "99999999999999999999", "-1", "1e3", "",
		"2024-10-23T17:41:21Z", "2024-10-23T17:41:21.5+02:00", "2024-10-23t17:41:21z", "2024-10-23T7:41:21Z", "2024-10-23T17:41:21,5Z",
		"Wed, 23 Oct 2024 17:41:21 GMT", "Wed, 23 Oct 2024 17:41:21 UTC"} {
		for i := range timeFormats {
			f.Add(i, s)
		}
	}
	f.Fuzz(func(t *testing.T, format int, text string) {
		if format < 0 || format >= len(timeFormats) {
			return
		}
		name := timeFormats[format]
		at, ok := parseTime(name, text)
		if !ok {
			return
		}
		if strings.ContainsAny(text, " \t\r\n") != (name == "http_date") {
			t.Errorf("%s takes %q", name, text)
		}
		if strings.HasPrefix(name, "unix") && strings.Trim(text, "0123456789") != "" {
			t.Errorf("%s takes %q, which is not plain digits", name, text)
		}
		if again, ok := parseTime(name, formatTime(name, at)); !ok || name != "rfc3339" && !again.Equal(at) {
			t.Errorf("%s: %q is %s, and back %s, %v", name, text, at, again, ok)
		}
		(&Timestamp{Format: name, Tolerance: time.Minute}).fresh(at, now)
	})
}

// FuzzHeader throws header lines at a scheme with a list, a time and two
// signatures: nothing but the right signature of the right time is accepted.
func FuzzHeader(f *testing.F) {
	s := listed()
	r := request("the body")
	if err := Sign(s, key, r, now); err != nil {
		f.Fatal(err)
	}
	right := r.Header.Get("X-Sig")
	when, sum, _ := strings.Cut(right, ",v1=")
	v, err := Compile(s, []string{key})
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range []string{right, "", ",,,", "t=1,v1=", strings.ToUpper(right), right + "," + right, right + ",v1=00", "v0=1," + right, right + " "} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r.Header = http.Header{"X-Sig": {line}}
		if _, err := v.Verify(r, now); err != nil {
			return
		}
		elements := strings.Split(line, ",")
		if !has(elements, when) || !has(elements, "v1="+sum) {
			t.Errorf("accepts %q", line)
		}
	})
}

func has(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

// FuzzFields: forms and JSON bodies as field lists. Whatever a form holds, a
// field is signed as it is decoded, and a body that was changed is refused
// unless its fields are the same.
func FuzzFields(f *testing.F) {
	s := bare()
	s.Content = []Part{{Fields: &Fields{From: "form", Each: "{k}\x00{v}", Sep: "\x01"}}}
	v, err := Compile(s, []string{key})
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range [][2]string{{"a=1&b=2", "b=2&a=1"}, {"a=1", "a=%31"}, {"a=1&a=2", "a=1"}, {"a=%", "a"}, {"", "&"}, {"a", "a="}, {"a=;b", "a=%3bb"}, {"+=+", "%20=%20"}} {
		f.Add(p[0], p[1])
	}
	f.Fuzz(func(t *testing.T, signed, sent string) {
		r := request(signed)
		if Sign(s, key, r, now) != nil {
			return
		}
		r.Body = []byte(sent)
		_, err := v.Verify(r, now)
		if one, ok := canonicalForm(signed); ok {
			if other, also := canonicalForm(sent); (err == nil) != (also && one == other) && !strings.ContainsAny(one+other, "\x00\x01") {
				t.Errorf("signed %q, sent %q: %v", signed, sent, err)
			}
		}
	})
}

func canonicalForm(text string) (string, bool) {
	d := reader{r: &Request{Body: []byte(text)}}
	pairs, err := d.fields(&Fields{From: "form"})
	var b strings.Builder
	for _, p := range pairs {
		b.WriteString(p.name + "\x02" + p.value + "\x03")
	}
	return b.String(), err == nil
}

// FuzzTemplate: declarations that make no sense are refused at Compile or
// verify nothing; none of them panics.
func FuzzTemplate(f *testing.F) {
	f.Add("hmac", "header", "X", ",", "=", "v1", "body", "hex", "unix", "v1=00")
	f.Add("digest", "json", "/a", "", "", "", "secret", "base64", "rfc3339", "x")
	f.Add("token", "form", "a", ".", "", "", "url", "", "", "a=b")
	f.Add("jwt", "query", "t", "", "", "", "", "", "", "e30.e30.")
	f.Fuzz(func(t *testing.T, kind, in, name, sep, kv, tag, placeholder, encoding, format, sent string) {
		s := Scheme{Type: kind, Secrets: []Secret{{Name: "K"}}, From: []Source{{In: in, Name: name}}, Encoding: encoding,
			List: &List{Separator: sep, Name: kv, Tags: []string{tag}}, Timestamp: &Timestamp{From: Source{In: "element", Name: "0"}, Format: format},
			Content: []Part{{Placeholder: placeholder}, {Source: &Source{In: in, Name: name}}}, Hash: "sha256", Algs: []string{"HS256"}}
		v, err := Compile(s, []string{"key-of-the-fuzzer"})
		if err != nil {
			return
		}
		r := &Request{Header: http.Header{http.CanonicalHeaderKey(name): {sent}}, RawQuery: sent, Body: []byte(sent)}
		JSONBody(r)
		if _, err := v.Verify(r, now); err == nil && kind != "none" {
			if kind == "token" && strings.Contains(sent, "key-of-the-fuzzer") {
				return
			}
			t.Errorf("accepts %q under %+v", sent, s)
		}
	})
}

// FuzzSignBody: a value is put into any JSON body, and read from it again.
func FuzzSignBody(f *testing.F) {
	for _, b := range []string{`{}`, `{"a":{"b":1}}`, `{"a":[{"b":"x"}]}`, `[]`, ` { "a" : null } `, `{"a":{"b":"\u00e4"}}`, `1`, ``, `{"a":{}`} {
		f.Add(b, "/a/b", "v\"\\")
	}
	f.Fuzz(func(t *testing.T, body, pointer, value string) {
		if !strings.HasPrefix(pointer, "/") || !utf8.ValidString(pointer+body+value) {
			return
		}
		g := &signer{reader: reader{r: &Request{Body: []byte(body)}}}
		if err := g.putJSON(pointer, value); err != nil {
			return
		}
		got, ok := scalarAt(g.r.Body, pointer)
		if !ok || got != value {
			t.Errorf("put %q at %s of %s: got %q, %v in %s", value, pointer, body, got, ok, g.r.Body)
		}
	})
}
