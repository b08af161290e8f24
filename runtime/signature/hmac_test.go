package signature

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const key = "key-of-a-test-0123456789"

var now = time.Unix(1_700_000_000, 500_000_000)

// listed is a scheme with everything: a list with time and versions.
func listed() Scheme {
	return Scheme{
		Type: "hmac", Hash: "sha256", Encoding: "hex", Secrets: []Secret{{Name: "A"}},
		From:      []Source{{In: "header", Name: "x-sig"}},
		List:      &List{Separator: ",", Name: "=", Tags: []string{"v1"}},
		Timestamp: &Timestamp{From: Source{In: "element", Name: "t"}, Format: "unix", Tolerance: 300 * time.Second, FutureTolerance: 60 * time.Second},
		Content:   []Part{{Placeholder: "timestamp"}, {Text: "."}, {Placeholder: "body"}},
	}
}

func bare() Scheme {
	s := listed()
	s.List, s.Timestamp, s.Content = nil, nil, nil
	return s
}

func request(body string) *Request {
	return &Request{Method: "POST", Path: "/hook", Header: http.Header{}, Body: []byte(body)}
}

// verify signs a request under s, lets change alter it, and verifies it.
func verify(t *testing.T, s Scheme, at time.Time, change func(*Request)) (Result, error) {
	t.Helper()
	r := request("the body")
	if err := Sign(s, key, r, at); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	v, err := Compile(s, slices.Repeat([]string{key}, len(s.Secrets)))
	if err != nil {
		t.Fatal(err)
	}
	return v.Verify(r, now)
}

func wantKind(t *testing.T, name string, err error, k Kind) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != k {
		t.Errorf("%s: error is %v, want kind %d", name, err, k)
	}
}

func TestSignedRequestsVerify(t *testing.T) {
	id := Source{In: "header", Name: "X-Id"}
	cases := map[string]func(*Scheme){
		"as declared":  func(*Scheme) {},
		"base64":       func(s *Scheme) { s.Encoding = "base64" },
		"base64url":    func(s *Scheme) { s.Encoding = "base64url" },
		"sha1":         func(s *Scheme) { s.Hash = "sha1" },
		"sha384":       func(s *Scheme) { s.Hash = "sha384" },
		"sha512":       func(s *Scheme) { s.Hash, s.Encoding = "sha512", "base64" },
		"md5":          func(s *Scheme) { s.Hash = "md5" },
		"milliseconds": func(s *Scheme) { s.Timestamp.Format = "unix_ms" },
		"microseconds": func(s *Scheme) { s.Timestamp.Format = "unix_us" },
		"date":         func(s *Scheme) { s.Timestamp.Format = "rfc3339" },
		"HTTP date": func(s *Scheme) {
			s.Timestamp = &Timestamp{From: Source{In: "header", Name: "Date"}, Format: "http_date", Tolerance: time.Minute}
		},
		"skipped element": func(s *Scheme) {
			s.List = &List{Separator: ";", Skip: 1}
			s.Timestamp.From = Source{In: "header", Name: "X-Time"}
		},
		"id":            func(s *Scheme) { s.ID = &id; s.Content = append(s.Content, Part{Placeholder: "id"}) },
		"everything":    func(s *Scheme) { s.Content = allParts() },
		"pinned":        func(s *Scheme) { s.Require = []Requirement{{Source{In: "header", Name: "x-version"}, "1"}} },
		"hashed secret": func(s *Scheme) { s.Decode.PreHash = "sha256" },
		"query":         func(s *Scheme) { s.From = []Source{{In: "query", Name: "sig"}} },
	}
	for name, change := range cases {
		s := listed()
		change(&s)
		r := request("the body")
		r.Header.Set("X-Id", "id-1")
		if err := Sign(s, key, r, now); err != nil {
			t.Errorf("%s: sign: %v", name, err)
			continue
		}
		v, err := Compile(s, []string{key})
		if err != nil {
			t.Errorf("%s: compile: %v", name, err)
			continue
		}
		res, err := v.Verify(r, now)
		if err != nil || res.Secret != 0 || s.ID != nil && res.SignedID != "id-1" {
			t.Errorf("%s: got %+v, %v", name, res, err)
		}
		r.Body[0] ^= 1
		_, err = v.Verify(r, now)
		wantKind(t, name+" altered", err, Mismatch)
	}
}

func allParts() []Part {
	var parts []Part
	for p := range placeholderOps {
		if p != "id" {
			parts = append(parts, Part{Placeholder: p}, Part{Text: "|"})
		}
	}
	return append(parts, Part{Source: &Source{In: "header", Name: "x-id"}})
}

func TestHeadersThatAreRefused(t *testing.T) {
	header := func(f func(string) []string) func(*Request) {
		return func(r *Request) { r.Header["X-Sig"] = f(r.Header.Get("X-Sig")) }
	}
	sum := func(line string) string { return line[strings.Index(line, "v1=")+3:] }
	cases := []struct {
		name string
		kind Kind
		f    func(line string) []string
	}{
		{"none", Missing, func(string) []string { return nil }},
		{"empty", Missing, func(string) []string { return []string{""} }},
		{"two lines", Malformed, func(l string) []string { return []string{l, l} }},
		{"no tag", Malformed, func(l string) []string { return []string{strings.Replace(l, "v1", "v0", 1)} }},
		{"no time", Missing, func(l string) []string { return []string{"v1=" + sum(l)} }},
		{"two times", Malformed, func(l string) []string { return []string{"t=1700000000," + l} }},
		{"signed time", Malformed, func(l string) []string { return []string{strings.Replace(l, "t=", "t=+", 1)} }},
		{"fraction", Malformed, func(l string) []string { return []string{strings.Replace(l, ",", ".0,", 1)} }},
		{"blank before", Malformed, func(l string) []string { return []string{strings.Replace(l, ",v1", ", v1", 1)} }},
		{"upper case", Mismatch, func(l string) []string { return []string{strings.Replace(l, sum(l), strings.ToUpper(sum(l)), 1)} }},
		{"short", Mismatch, func(l string) []string { return []string{l[:len(l)-1]} }},
		{"long", Mismatch, func(l string) []string { return []string{l + "0"} }},
		{"no hex", Mismatch, func(l string) []string { return []string{"t=1700000000,v1=" + strings.Repeat("z", 64)} }},
		{"another time", Mismatch, func(l string) []string { return []string{strings.Replace(l, "t=1700000000", "t=1700000001", 1)} }},
		{"too many", Malformed, func(l string) []string { return []string{l + strings.Repeat(",v1=00", maxSignatures)} }},
	}
	for _, c := range cases {
		_, err := verify(t, listed(), now, header(c.f))
		wantKind(t, c.name, err, c.kind)
		if err != nil && strings.Contains(err.Error(), "1700000") {
			t.Errorf("%s: the error quotes a value: %v", c.name, err)
		}
	}
	accepted := map[string]func(string) []string{
		"unknown names": func(l string) []string { return []string{"v0=00,x," + l + ",v2=11"} },
		"several":       func(l string) []string { return []string{"v1=00," + l + ",v1=zz"} },
	}
	for name, f := range accepted {
		if _, err := verify(t, listed(), now, header(f)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFormsOfASignature(t *testing.T) {
	cases := []struct {
		name   string
		scheme func(*Scheme)
		change func(*Request)
		ok     bool
	}{
		{"trimmed list", func(s *Scheme) { *s = listed(); s.List.Trim = true }, set(func(l string) string { return strings.Replace(l, ",", " , ", 1) }), true},
		{"any case", func(s *Scheme) { s.AnyCase = true }, set(strings.ToUpper), true},
		{"prefix", func(s *Scheme) { s.Prefix = "sha256=" }, nil, true},
		{"prefix left out", func(s *Scheme) { s.Prefix = "sha256=" }, set(func(l string) string { return l[7:] }), false},
		{"prefix in another case", func(s *Scheme) { s.Prefix = "sha256=" }, set(func(l string) string { return "SHA256=" + l[7:] }), false},
		{"optional prefix", func(s *Scheme) { s.Prefix, s.PrefixOptional = "sha256=", true }, set(func(l string) string { return l[7:] }), true},
		{"two lines allowed", func(s *Scheme) { s.RepeatAny = true }, func(r *Request) { r.Header["X-Sig"] = []string{"00", r.Header.Get("X-Sig")} }, true},
		{"second header", func(s *Scheme) { s.From = append(s.From, Source{In: "header", Name: "X-Old"}) }, func(r *Request) { r.Header.Set("X-Old", r.Header.Get("X-Sig")); r.Header.Del("X-Sig") }, true},
		{"base64 without padding", func(s *Scheme) { s.Encoding = "base64" }, set(func(l string) string { return strings.TrimRight(l, "=") }), false},
		{"base64 with a line end", func(s *Scheme) { s.Encoding = "base64" }, set(func(l string) string { return l[:10] + "\n" + l[10:len(l)-1] }), false},
		{"base64 not canonical", func(s *Scheme) { s.Encoding = "base64" }, set(loosen), false},
		{"base64url with padding", func(s *Scheme) { s.Encoding = "base64url" }, set(func(l string) string { return l + "=" }), false},
		{"pinned value differs", func(s *Scheme) { s.Require = []Requirement{{Source{In: "header", Name: "X-V"}, "1"}} }, func(r *Request) { r.Header.Set("X-V", "2") }, false},
		{"pinned value twice", func(s *Scheme) { s.Require = []Requirement{{Source{In: "header", Name: "X-V"}, "1"}} }, func(r *Request) { r.Header.Add("X-V", "1") }, false},
	}
	for _, c := range cases {
		s := bare()
		c.scheme(&s)
		if _, err := verify(t, s, now, c.change); (err == nil) != c.ok {
			t.Errorf("%s: error is %v", c.name, err)
		}
	}
}

func set(f func(string) string) func(*Request) {
	return func(r *Request) { r.Header["X-Sig"] = []string{f(r.Header.Get("X-Sig"))} }
}

// loosen sets a bit that the padding makes meaningless.
func loosen(line string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	i := len(line) - 2
	return line[:i] + string(alphabet[strings.IndexByte(alphabet, line[i])|1]) + "="
}

func TestTolerance(t *testing.T) {
	for _, c := range []struct {
		offset time.Duration
		ok     bool
	}{{-300, true}, {-301, false}, {60, true}, {61, false}, {86400, false}, {-86400, false}} {
		s := listed()
		_, err := verify(t, s, now.Add(c.offset*time.Second), nil)
		if (err == nil) != c.ok {
			t.Errorf("%d s: error is %v", c.offset, err)
		}
		var e *Error
		if errors.As(err, &e) && (e.Kind != Expired || e.Offset != -c.offset*time.Second) {
			t.Errorf("%d s: error is %+v", c.offset, e)
		}
		s.Timestamp.FutureTolerance = -1
		if _, err := verify(t, s, now.Add(c.offset*time.Second), nil); (err == nil) != (c.offset >= -300) {
			t.Errorf("%d s, any future: error is %v", c.offset, err)
		}
		s.Timestamp.NoTolerance = true
		if _, err := verify(t, s, now.Add(c.offset*time.Second), nil); err != nil {
			t.Errorf("%d s, unchecked: error is %v", c.offset, err)
		}
	}
}

func TestTimesAreStrict(t *testing.T) {
	cases := []struct {
		format, text string
		ok           bool
	}{
		{"unix", "1700000000", true}, {"unix", "-1", false}, {"unix", "", false}, {"unix", "1e9", false},
		{"unix", "99999999999999999999", false}, {"unix", "1700000000000000", false}, {"unix_ms", "1700000000000", true},
		{"rfc3339", "2023-11-14T22:13:20Z", true}, {"rfc3339", "2023-11-14T22:13:20.123+02:00", true},
		{"rfc3339", "2023-11-14T2:13:20Z", false}, {"rfc3339", "2023-11-14 22:13:20Z", false}, {"rfc3339", "2023-11-14T22:13:20,5Z", false},
		{"rfc3339", "2023-11-14T22:13:20", false}, {"http_date", "Tue, 14 Nov 2023 22:13:20 GMT", true}, {"http_date", "Tue, 14 Nov 2023 22:13:20 CET", false},
	}
	for _, c := range cases {
		if _, ok := parseTime(c.format, c.text); ok != c.ok {
			t.Errorf("%s %q: %v", c.format, c.text, ok)
		}
	}
}

func TestRotation(t *testing.T) {
	s := bare()
	s.Secrets = []Secret{{Name: "NEW"}, {Name: "OLD", Until: now.Add(time.Hour)}}
	v, err := Compile(s, []string{"a-new-secret", "an-old-secret"})
	if err != nil {
		t.Fatal(err)
	}
	for i, secret := range []string{"a-new-secret", "an-old-secret"} {
		r := request("x")
		if err := Sign(s, secret, r, now); err != nil {
			t.Fatal(err)
		}
		if res, err := v.Verify(r, now.Add(time.Hour)); err != nil || res.Secret != i {
			t.Errorf("%s: %+v, %v", secret, res, err)
		}
		if _, err := v.Verify(r, now.Add(time.Hour+time.Second)); (err == nil) != (i == 0) {
			t.Errorf("%s after its end: %v", secret, err)
		}
	}
}

func TestSecretForms(t *testing.T) {
	const text = "whsec_c2VjcmV0LW9mLWEtdGVzdA==" // of secret-of-a-test
	decoded, raw := bare(), bare()
	decoded.Decode = Decoding{Encoding: "base64", StripPrefix: "whsec_"}
	r := request("x")
	if err := Sign(raw, "secret-of-a-test", r, now); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s  Scheme
		ok bool
	}{{decoded, true}, {raw, false}} {
		v, err := Compile(c.s, []string{text})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Verify(r, now); (err == nil) != c.ok {
			t.Errorf("decoded %v: %v", c.ok, err)
		}
	}
}

// FuzzList checks that no header makes the list parser lose its way: tagged
// elements come back as written, and nothing else does.
func FuzzList(f *testing.F) {
	for _, s := range []string{"t=1,v1=ab", "v1=a=b", ",,,", " v1=x ,v1=y", "v1", "=", "v1=,v0=z"} {
		f.Add(s)
	}
	l := &List{Separator: ",", Name: "=", Tags: []string{"v1"}}
	f.Fuzz(func(t *testing.T, line string) {
		got, elements := parseList(l, line, nil, nil)
		var want []string
		named := 0
		for _, item := range strings.Split(line, ",") {
			name, v, ok := strings.Cut(item, "=")
			if ok && name == "v1" {
				want = append(want, v)
			} else if ok {
				named++
			}
		}
		if !slices.Equal(got, want) || len(elements) != named {
			t.Errorf("%q: got %q and %d elements, want %q and %d", line, got, len(elements), want, named)
		}
	})
}
