package signature

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var encodings = []string{"hex", "base64", "base64url"}

var timeFormats = []string{"unix", "unix_ms", "unix_us", "rfc3339", "http_date"}

// checkScheme refuses declarations that could never verify anything, or that
// would verify less than they seem to.
func checkScheme(s Scheme) error {
	for _, src := range s.sources() {
		if !slices.Contains([]string{"header", "query", "form", "json", "element", "param", "method"}, src.In) && (src.In != "item" || s.Items == "") {
			return fmt.Errorf("a value cannot be read from %q", src.In)
		}
	}
	if slices.Contains([]string{"hmac", "digest", "ed25519", "ecdsa", "rsa", "jwt", "token"}, s.Type) && len(s.From) == 0 {
		return fmt.Errorf("signatures of type %s need a place", s.Type)
	}
	switch s.Type {
	case "hmac", "digest", "ed25519", "ecdsa", "rsa":
		return checkSigned(s)
	case "jwt":
		return checkJWT(s)
	case "ip":
		if len(s.Networks) == 0 {
			return errors.New("no networks are declared")
		}
	}
	return nil
}

func checkSigned(s Scheme) error {
	switch {
	case !slices.Contains(encodings, s.Encoding):
		return fmt.Errorf("encoding %q of a signature is not supported", s.Encoding)
	case s.List != nil && s.List.Separator == "":
		return errors.New("a list of signatures needs a separator")
	case s.List != nil && s.List.Name != "" && len(s.List.Tags) == 0:
		return errors.New("a list of named elements needs a tag")
	case s.Type == "rsa" && s.Padding != "pkcs1v15" && s.Padding != "pss":
		return fmt.Errorf("padding %q of rsa is not supported", s.Padding)
	case s.Type == "ecdsa" && s.Form != "der" && s.Form != "p1363":
		return fmt.Errorf("form %q of ecdsa is not supported", s.Form)
	case !slices.Contains([]string{"", "none", "twilio", "hubspot"}, s.URLNormalize):
		return fmt.Errorf("URL form %q is not supported", s.URLNormalize)
	case s.BodyHash != nil && !slices.Contains(encodings, s.BodyHash.Encoding):
		return fmt.Errorf("encoding %q of the body's hash is not supported", s.BodyHash.Encoding)
	}
	if s.BodyHash != nil {
		if _, err := newHash(s.BodyHash.Hash); err != nil {
			return err
		}
	}
	if t := s.Timestamp; t != nil && !slices.Contains(timeFormats, t.Format) {
		return fmt.Errorf("time format %q is not supported", t.Format)
	}
	for _, p := range s.Content {
		if err := checkPart(s, p); err != nil {
			return err
		}
	}
	if s.Type == "digest" && !compileContent(s.Content, "").secret {
		return errors.New("the secret is not part of the digest's text, so anybody can make one")
	}
	return nil
}

func checkPart(s Scheme, p Part) error {
	_, known := placeholderOps[p.Placeholder]
	switch {
	case p.Placeholder != "" && !known:
		return fmt.Errorf("placeholder {%s} is not supported", p.Placeholder)
	case p.Placeholder == "timestamp" && s.Timestamp == nil:
		return errors.New("{timestamp} is signed, but no timestamp is declared")
	case p.Placeholder == "id" && s.ID == nil:
		return errors.New("{id} is signed, but no id is declared")
	case p.Fields != nil && p.Fields.From != "form" && p.Fields.From != "json":
		return fmt.Errorf("fields cannot be read from %q", p.Fields.From)
	case p.Fields != nil && !strings.Contains(p.Fields.Each, "{v}"):
		return errors.New("fields are signed without their values")
	}
	return nil
}

func checkJWT(s Scheme) error {
	if len(s.Algs) == 0 {
		return errors.New("no algorithms are declared")
	}
	for _, a := range s.Algs {
		if !slices.Contains(Algorithms, a) {
			return fmt.Errorf("algorithm %q is not supported", a)
		}
		if strings.HasPrefix(a, "HS") != symmetric(s.Algs) {
			return errors.New("algorithms with secrets and with public keys exclude each other: a public key would count as a secret")
		}
	}
	for _, h := range []*Hashed{s.Claims.BodyHash, s.Claims.URLHash} {
		if h == nil {
			continue
		}
		if _, err := newHash(h.Hash); err != nil {
			return err
		}
		if !slices.Contains(encodings, h.Encoding) || h.Claim == "" {
			return errors.New("a hash among the claims needs a claim and an encoding")
		}
	}
	return nil
}

// Algorithms are those of tokens (RFC 7518, RFC 8037) that can be declared.
var Algorithms = []string{"HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

// sources lists every source of the scheme, without those of its members.
func (s Scheme) sources() []Source {
	all := slices.Clone(s.From)
	for _, q := range s.Require {
		all = append(all, q.From)
	}
	for _, p := range s.Content {
		if p.Source != nil {
			all = append(all, *p.Source)
		}
	}
	if s.Timestamp != nil {
		all = append(all, s.Timestamp.From)
	}
	if s.ID != nil {
		all = append(all, *s.ID)
	}
	if s.BodyHash != nil {
		all = append(all, s.BodyHash.From)
	}
	return all
}

// Places lists the names that the scheme and its members read from in, such as
// the pointers into the JSON body.
func (s Scheme) Places(in string) []string {
	var names []string
	for _, src := range s.sources() {
		if src.In == in {
			names = append(names, src.Name)
		}
	}
	for _, m := range s.members() {
		names = append(names, m.Places(in)...)
	}
	return names
}

// Credentials lists where the scheme and its members read what proves the
// sender: nobody's business after verification.
func (s Scheme) Credentials() []Source {
	all := slices.Clone(s.From)
	for _, m := range s.members() {
		all = append(all, m.Credentials()...)
	}
	return all
}

// Needs says which parts of a Request a scheme and its members look at beside
// method, query, header and body, so that nobody works them out for nothing.
type Needs struct {
	URL, Path, Remote, JSON, Items, Members, Param bool
}

// Needs lists what the scheme looks at; a verifier in Go may look at anything.
func (s Scheme) Needs() Needs {
	n := Needs{
		URL: s.Claims.URLHash != nil, Remote: s.Type == "ip", Items: s.Items != "",
		JSON: len(s.Places("json")) > 0, Param: len(s.Places("param")) > 0,
	}
	if s.Type == "plugin" {
		return Needs{true, true, true, true, true, true, true}
	}
	for _, p := range s.Content {
		n.URL = n.URL || p.Placeholder == "url"
		n.Path = n.Path || p.Placeholder == "path"
		n.Members = n.Members || p.Fields != nil && p.Fields.From == "json"
	}
	for _, m := range s.members() {
		o := m.Needs()
		n = Needs{n.URL || o.URL, n.Path || o.Path, n.Remote || o.Remote, n.JSON || o.JSON, n.Items || o.Items, n.Members || o.Members, n.Param || o.Param}
	}
	return n
}

// SignsURL reports whether the public URL is part of what is signed.
func (s Scheme) SignsURL() bool {
	if members := s.members(); len(members) > 0 {
		return slices.ContainsFunc(members, Scheme.SignsURL)
	}
	return s.Type != "plugin" && s.Needs().URL
}

// prepared is s with defaults filled and header names in canonical form; the
// caller's own is not changed.
func prepared(s Scheme) Scheme {
	s.From = slices.Clone(s.From)
	for i := range s.From {
		s.From[i] = canonical(s.From[i])
	}
	s.Require = slices.Clone(s.Require)
	for i := range s.Require {
		s.Require[i].From = canonical(s.Require[i].From)
	}
	if s.Timestamp != nil {
		t := *s.Timestamp
		t.From = canonical(t.From)
		s.Timestamp = &t
	}
	if s.ID != nil {
		id := canonical(*s.ID)
		s.ID = &id
	}
	if s.BodyHash != nil {
		h := *s.BodyHash
		h.From = canonical(h.From)
		s.BodyHash = &h
	}
	if len(s.Content) == 0 {
		s.Content = []Part{{Placeholder: "body"}}
	}
	s.Content = slices.Clone(s.Content)
	for i, p := range s.Content {
		if p.Source != nil {
			src := canonical(*p.Source)
			s.Content[i].Source = &src
		}
	}
	return s
}
