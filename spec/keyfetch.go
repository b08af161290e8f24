package spec

import (
	"net/url"
	"regexp"
	"strings"
)

// hostPattern is a host whose last two labels are fixed; * is one label.
var hostPattern = regexp.MustCompile(`^(?i)((\*|[a-z0-9-]+)\.)*[a-z0-9-]+\.[a-z0-9-]+(:[0-9]+)?$`)

var fetchedForms = []string{"jwk", "x509-pem", "pem"}

// isFetched reports whether an element of `keys` says where keys are published.
func isFetched(item *value) bool { return item.get("url") != nil || item.get("jwks") != nil }

// fetchedForm is the form of the keys that are fetched, "" where none are.
func fetchedForm(v *value) string {
	for _, item := range v.each() {
		switch {
		case item.get("as") != nil && isFetched(item):
			return textOf(item.get("as"))
		case item.get("jwks") != nil:
			return "jwk"
		case item.get("url") != nil:
			return "x509-pem"
		}
	}
	return ""
}

// keyFetch reads {jwks: https://...} or {url: ..., hosts, as, cache}.
func (l *loader) keyFetch(item *value) (Secret, bool) {
	f := &KeyFetch{Pos: item.at, As: fetchedForm(item)}
	if as := item.get("as"); as != nil && l.word(as, "keys.as", fetchedForms, nil) == "" {
		return Secret{}, false
	}
	f.Cache, _ = l.duration(item.get("cache"), "keys.cache")
	place, jwks := item.get("url"), item.get("jwks")
	switch {
	case place != nil && jwks != nil:
		l.err(jwks.at, "keys", "keep one of them", "keys: url and jwks exclude each other")
		return Secret{}, false
	case item.get("name") != nil:
		l.err(item.get("name").at, "keys", "leave name out", "keys: what is fetched has no name of a setting")
		return Secret{}, false
	case jwks != nil:
		place = jwks
	}
	if _, _, isSelector := splitSelector(place.text); isSelector {
		return l.keyNamed(item, place, f)
	}
	u, err := url.Parse(place.text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		l.err(place.at, "keys", "write https://host/path, or header:X-Cert-Url with hosts", "keys: %q is no https:// address and no selector", place.text)
		return Secret{}, false
	}
	if hosts := item.get("hosts"); hosts != nil {
		l.err(hosts.at, "keys", "leave hosts out", "keys: hosts means nothing for a fixed address")
	}
	f.URL = place.text
	return Secret{Pos: item.at, Name: f.URL, Until: l.until(item.get("until")), Fetch: f}, true
}

// keyNamed reads the address that a request names: on allowed hosts only.
func (l *loader) keyNamed(item, at *value, f *KeyFetch) (Secret, bool) {
	f.From = l.selector(at, place{"keys.url", []SelectorKind{SelectHeader, SelectQuery, SelectBody}})
	if f.From == nil {
		return Secret{}, false
	}
	for _, h := range item.get("hosts").each() {
		switch {
		case !hostPattern.MatchString(h.text):
			l.err(h.at, "keys", "write keys.example.com, or keys.*.example.com where * stands for one label; the last two are fixed", "keys.hosts: %q is no host", h.text)
			continue
		case strings.HasPrefix(h.text, "*.") && strings.Count(h.text, ".") == 2:
			l.warn(h.at, "keys-hosts", "name the host, or more of it: sns.*.amazonaws.com", "keys.hosts: whoever can publish a file on any host of %q can make keys that count", strings.TrimPrefix(h.text, "*."))
		}
		f.Hosts = append(f.Hosts, h.text)
	}
	if item.get("hosts") == nil {
		l.err(f.Pos, "keys", "write hosts: [keys.example.com]", "keys: the request names the address of its key, and from which hosts one is taken is not declared")
		return Secret{}, false
	}
	return Secret{Pos: item.at, Name: f.From.Text(), Until: l.until(item.get("until")), Fetch: f}, len(f.Hosts) > 0
}
