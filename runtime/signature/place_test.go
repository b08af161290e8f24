package signature

import (
	"slices"
	"strings"
	"testing"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		normalize, url string
		want           []string
	}{
		{"", "https://a.example/x?y=%2F", []string{"https://a.example/x?y=%2F"}},
		{"twilio", "https://u:p@a.example/x", []string{"https://u:p@a.example/x", "https://u:p@a.example:443/x"}},
		{"twilio", "http://a.example:8080?a='b", []string{"http://a.example:8080?a='b", "http://a.example?a='b", "http://a.example:8080?a=%27b", "http://a.example?a=%27b"}},
		{"twilio", "http://[2001:db8::1]/x", []string{"http://[2001:db8::1]/x", "http://[2001:db8::1]:80/x"}},
		{"twilio", "no address", []string{"no address"}},
		{"hubspot", "https://a.example/x?to=a%40b&n=%2Fx%20", []string{"https://a.example/x?to=a%40b&n=%2Fx%20", "https://a.example/x?to=a@b&n=/x%20"}},
	} {
		if got := spellings(c.normalize, c.url); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: got %q, want %q", c.normalize, c.url, got, c.want)
		}
	}
}

func TestForm(t *testing.T) {
	got, ok := parseForm("b=1+2&a=%C3%A4&&a=x;y&c&=d&e=f=g")
	want := []pair{{"b", "1 2"}, {"a", "ä"}, {"a", "x;y"}, {"c", ""}, {"", "d"}, {"e", "f=g"}}
	if !ok || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, ok)
	}
	for _, bad := range []string{"a=%", "a=%4", "a=%zz", "%=1"} {
		if _, ok := parseForm(bad); ok {
			t.Errorf("takes %q", bad)
		}
	}
}

func TestHostIsAHeader(t *testing.T) {
	s := Scheme{Type: "hmac", From: header("X-Sig"), Encoding: "hex", Secrets: []Secret{{Name: "K"}},
		Content: []Part{{Source: &Source{In: "header", Name: "host"}}, {Placeholder: "body"}}}
	r := request("x")
	r.Host = "shop.example"
	if err := Sign(s, key, r, now); err != nil {
		t.Fatal(err)
	}
	v, err := Compile(s, []string{key})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(r, now); err != nil {
		t.Error(err)
	}
	r.Host = "evil.example"
	if _, err := v.Verify(r, now); err == nil {
		t.Error("accepts another host")
	}
}

// Elements without names go by their index: a time before the signature.
func TestElementByIndex(t *testing.T) {
	s := listed()
	s.List = &List{Separator: ".", Skip: 1}
	s.Timestamp.From.Name = "0"
	if _, err := verify(t, s, now, nil); err != nil {
		t.Error(err)
	}
	_, err := verify(t, s, now, func(r *Request) { r.Header.Set("X-Sig", "1"+r.Header.Get("X-Sig")[1:]+" ") })
	wantKind(t, "altered", err, Mismatch)
}

// A signed value may be empty, but has to be there, once.
func TestSignedValues(t *testing.T) {
	s := bare()
	s.Content = []Part{{Source: &Source{In: "form", Name: "label"}}, {Text: "&"}, {Source: &Source{In: "query", Name: "q"}}}
	v, err := Compile(s, []string{key})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]bool{"label=": true, "label=x": true, "x=1": false, "label=&label=": false, "label=%": false} {
		r := &Request{RawQuery: "q=", Header: map[string][]string{}, Body: []byte("label=" + strings.TrimPrefix(body, "label="))}
		if !want {
			r.Body = []byte("label=")
		}
		if err := Sign(s, key, r, now); err != nil {
			t.Fatal(err)
		}
		r.Body = []byte(body)
		if _, err := v.Verify(r, now); (err == nil) != want {
			t.Errorf("%s: got %v, want accepted %v", body, err, want)
		}
	}
}
