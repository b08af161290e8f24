package signature

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	basic := func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }
	header := func(lines ...string) *Request {
		return &Request{Header: http.Header{"Authorization": lines}}
	}
	token := Scheme{Type: "token", From: []Source{{In: "header", Name: "authorization"}}}
	form := Scheme{Type: "token", From: []Source{{In: "form", Name: "auth[token]"}}}
	cases := []struct {
		name, secret string
		scheme       Scheme
		r            *Request
		ok           bool
	}{
		{"token", "secret-1", token, header("secret-1"), true},
		{"longer", "secret-1", token, header("secret-12"), false},
		{"other case", "secret-1", token, header("Secret-1"), false},
		{"blank", "secret-1", token, header(" secret-1"), false},
		{"none", "secret-1", token, header(), false},
		{"empty", "secret-1", token, header(""), false},
		{"twice", "secret-1", token, header("secret-1", "secret-1"), false},
		{"form", "secret-1", form, &Request{Body: []byte("a=1&auth%5Btoken%5D=secret-1")}, true},
		{"form twice", "secret-1", form, &Request{Body: []byte("auth[token]=secret-1&auth[token]=secret-1")}, false},
		{"broken form", "secret-1", form, &Request{Body: []byte("auth[token]=secret-1&x=%zz")}, false},
		{"bearer", "secret-1", Scheme{Type: "bearer"}, header("Bearer secret-1"), true},
		{"bearer in any case", "secret-1", Scheme{Type: "bearer"}, header("bEARER secret-1"), true},
		{"two blanks", "secret-1", Scheme{Type: "bearer"}, header("Bearer  secret-1"), false},
		{"another scheme", "secret-1", Scheme{Type: "bearer"}, header("Basic secret-1"), false},
		{"only the word", "secret-1", Scheme{Type: "bearer"}, header("Bearer"), false},
		{"basic", "u:p:q", Scheme{Type: "basic"}, header(basic("u:p:q")), true},
		{"basic in any case", "u:p", Scheme{Type: "basic"}, header("bAsic " + basic("u:p")[6:]), true},
		{"another password", "u:p", Scheme{Type: "basic"}, header(basic("u:q")), false},
		{"another user", "u:p", Scheme{Type: "basic"}, header(basic("v:p")), false},
		{"no colon", "u:p", Scheme{Type: "basic"}, header(basic("up")), false},
		{"no padding", "u:p1", Scheme{Type: "basic"}, header(strings.TrimRight(basic("u:p1"), "=")), false},
		{"no base64", "u:p", Scheme{Type: "basic"}, header("Basic u:p"), false},
	}
	for _, c := range cases {
		c.scheme.Secrets = []Secret{{Name: "OTHER"}, {Name: "S"}}
		v, err := Compile(c.scheme, []string{"x:another-secret", c.secret})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		res, err := v.Verify(c.r, now)
		if (err == nil) != c.ok || err == nil && res.Secret != 1 {
			t.Errorf("%s: %+v, %v", c.name, res, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret-1") {
			t.Errorf("%s: the error quotes a value: %v", c.name, err)
		}
	}
}

func TestSignTokens(t *testing.T) {
	for _, s := range []Scheme{
		{Type: "token", From: []Source{{In: "header", Name: "X-Token"}}, Prefix: "T "},
		{Type: "token", From: []Source{{In: "query", Name: "token"}}},
		{Type: "bearer"}, {Type: "basic"}, {Type: "none"},
	} {
		r := request("x")
		if err := Sign(s, "u:p", r, now); err != nil {
			t.Errorf("%s: %v", s.Type, err)
		}
		var secrets []string
		if s.Type != "none" {
			s.Secrets, secrets = []Secret{{Name: "S"}}, []string{"u:p"}
		}
		v, err := Compile(s, secrets)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Verify(r, now); err != nil {
			t.Errorf("%s: %v", s.Type, err)
		}
	}
	form := Scheme{Type: "token", From: []Source{{In: "form", Name: "t"}}}
	r := request("a=1&t=other")
	if err := Sign(form, "s&", r, now); err != nil || string(r.Body) != "a=1&t=s%26" {
		t.Errorf("got %s, %v", r.Body, err)
	}
	if err := Sign(Scheme{Type: "bearer"}, "a\nb", request(""), now); err == nil {
		t.Error("a secret with a line end was put into a header")
	}
}

func TestCompileRefuses(t *testing.T) {
	cases := map[string]func(*Scheme){
		"type":        func(s *Scheme) { s.Type = "x" },
		"hash":        func(s *Scheme) { s.Hash = "x" },
		"encoding":    func(s *Scheme) { s.Encoding = "" },
		"place":       func(s *Scheme) { s.From = nil },
		"source":      func(s *Scheme) { s.From[0].In = "cookie" },
		"tag":         func(s *Scheme) { s.List.Tags = nil },
		"separator":   func(s *Scheme) { s.List.Separator = "" },
		"format":      func(s *Scheme) { s.Timestamp.Format = "iso" },
		"timestamp":   func(s *Scheme) { s.Timestamp = nil },
		"id":          func(s *Scheme) { s.Content = []Part{{Placeholder: "id"}} },
		"placeholder": func(s *Scheme) { s.Content = []Part{{Placeholder: "bodies"}} },
		"basic":       func(s *Scheme) { s.Type = "basic" },
		"key":         func(s *Scheme) { s.Decode.Encoding = "rot13" },
		"secrets":     func(s *Scheme) { s.Secrets = nil },
	}
	for name, change := range cases {
		s := listed()
		change(&s)
		secrets := []string{key}[:len(s.Secrets)]
		if _, err := Compile(s, secrets); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}
