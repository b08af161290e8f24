package send

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whgen/whgen/runtime/signature"
	"github.com/whgen/whgen/spec"
)

// signer makes the requests of one target.
type signer struct {
	base    *url.URL
	options Options
	secret  func(name string) (string, bool)
	// privateKeys are by the public key's name, "" for every one
	privateKeys map[string]string
	now         func() time.Time

	source    string
	publicURL string         // the setting's name, "" without
	tenant    *spec.Selector // where the tenant is told, nil without
}

// request is one attempt: a new one is signed for each, as senders do.
func (s *signer) request(ctx context.Context, r round) (*http.Request, error) {
	d := r.make
	u := *s.base
	inside := d.Endpoint.Path
	if s.tenant != nil && s.tenant.Kind == spec.SelectPath {
		inside = strings.ReplaceAll(inside, "{"+s.tenant.Name+"}", s.options.Tenant)
	}
	if i := strings.IndexByte(inside, '{'); i >= 0 {
		return nil, fmt.Errorf("event %s: the path %s has a parameter that nothing gives a value", r.event.Name, inside)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + inside
	u.RawQuery = strings.TrimPrefix(d.Query, "?")
	if s.base.RawQuery != "" {
		u.RawQuery = strings.Trim(s.base.RawQuery+"&"+u.RawQuery, "&")
	}
	if s.tenant != nil && s.tenant.Kind == spec.SelectQuery {
		u.RawQuery = strings.Trim(u.RawQuery+"&"+url.Values{s.tenant.Name: {s.options.Tenant}}.Encode(), "&")
	}
	header := http.Header{"Content-Type": {d.ContentType}, "User-Agent": {"whgen-send"}}
	for _, h := range d.Headers {
		header.Set(h[0], h[1])
	}
	if s.tenant != nil && s.tenant.Kind == spec.SelectHeader {
		header.Set(s.tenant.Name, s.options.Tenant)
	}
	signed := &signature.Request{Method: d.Method, Path: u.EscapedPath(), RawQuery: u.RawQuery, Host: u.Host, Header: header, Body: r.body, Param: s.setting}
	if err := s.public(d.Endpoint, inside, signed); err != nil {
		return nil, err
	}
	if err := s.sign(d.Endpoint.Signature, signed); err != nil {
		return nil, fmt.Errorf("event %s: %w", r.event.Name, err)
	}
	u.RawQuery = signed.RawQuery
	body := signed.Body
	if s.options.Tamper {
		body = tampered(body)
	}
	req, err := http.NewRequestWithContext(ctx, d.Method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	req.Header = header
	return req, nil
}

// public tells the address that a sender calls, where the scheme signs it.
func (s *signer) public(e *spec.Endpoint, inside string, r *signature.Request) error {
	if s.publicURL == "" || !e.Signature.SignsURL() {
		return nil
	}
	base, ok := s.setting(s.publicURL)
	if !ok || base == "" {
		return fmt.Errorf("sign the delivery: the signature covers the URL; set the environment variable %s as the receiver has it", s.publicURL)
	}
	r.URL = strings.TrimSuffix(base, "/") + inside
	if r.RawQuery != "" {
		r.URL += "?" + r.RawQuery
	}
	return nil
}

// setting is a value that is not secret, by the contract's name.
func (s *signer) setting(name string) (string, bool) { return s.secret(name) }

// sign adds signature and time, and before that what is signed and not there yet.
func (s *signer) sign(declared *spec.Scheme, r *signature.Request) error {
	if declared == nil || declared.Type == "none" {
		return nil
	}
	declared, keys, err := s.chosen(declared)
	if err != nil {
		return err
	}
	for _, one := range leaves(declared) {
		s.fill(schemeOf(one), r)
	}
	at := s.now()
	if s.options.Stale {
		at = at.Add(-age(declared) - time.Minute)
	}
	if err := signature.SignAll(schemeOf(declared), keys, r, at); err != nil {
		return err
	}
	if r.Remote.IsValid() { // for receivers that trust the proxy which this one is
		r.Header.Set("X-Forwarded-For", r.Remote.String())
	}
	return nil
}

// fill gives a value to what is signed and not there yet.
func (s *signer) fill(scheme signature.Scheme, r *signature.Request) {
	if id := scheme.ID; id != nil && id.In == "header" && r.Header.Get(id.Name) == "" {
		r.Header.Set(id.Name, "msg_"+strconv.FormatInt(s.now().UnixNano(), 36))
	}
	for _, p := range scheme.Content {
		if p.Source != nil && p.Source.In == "header" && r.Header.Get(p.Source.Name) == "" && !written(scheme, *p.Source) {
			r.Header.Set(p.Source.Name, "sample")
		}
	}
}

// written reports whether signing itself writes a value: the time, a pinned
// value, the hash of the body.
func written(scheme signature.Scheme, at signature.Source) bool {
	same := func(o signature.Source) bool { return o.In == at.In && strings.EqualFold(o.Name, at.Name) }
	return scheme.Timestamp != nil && same(scheme.Timestamp.From) || scheme.BodyHash != nil && same(scheme.BodyHash.From) ||
		slices.ContainsFunc(scheme.Require, func(q signature.Requirement) bool { return same(q.From) })
}

// age is the tolerance after which every member has expired.
func age(s *spec.Scheme) time.Duration {
	var longest time.Duration
	for _, one := range append([]*spec.Scheme{s}, s.Members()...) {
		if one.Timestamp != nil {
			longest = max(longest, one.Timestamp.Tolerance)
		}
		if one.Claims.MaxAge != nil {
			longest = max(longest, one.Claims.MaxAge.Tolerance)
		}
		if longest = max(longest, one.Claims.Leeway); one.Claims.Expires {
			longest = max(longest, 24*time.Hour)
		}
	}
	return longest
}

// tampered is a body with one byte changed: a digit or letter, so that JSON
// stays JSON where there is one.
func tampered(body []byte) []byte {
	changed := bytes.Clone(body)
	for i := len(changed) - 1; i >= 0; i-- {
		switch c := changed[i]; {
		case c >= '0' && c < '9', c >= 'a' && c < 'e', c >= 'g' && c < 'm':
			changed[i]++
			return changed
		}
	}
	return append(changed, ' ')
}
