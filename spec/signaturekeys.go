package spec

import (
	"strconv"
	"strings"
	"time"
)

var (
	secretEncodings = []string{"utf8", "base64", "hex"}
	publicEncodings = []string{"pem", "x509-pem", "spki-der-base64", "raw-hex", "raw-base64", "jwk"}
)

// schemeKeysOf reads how keys are written and what they are called.
func (l *loader) schemeKeysOf(v *value, s *Scheme, names keyNames) {
	l.algorithms(v, s)
	d := v.get("decode")
	known := secretEncodings
	if s.PublicKeys() {
		known = publicEncodings
	}
	s.Decode = KeyDecoding{
		Encoding:    l.word(d.get("encoding"), "signature.decode.encoding", known, nil),
		StripPrefix: textOf(d.get("stripPrefix")),
		PreHash:     l.word(d.get("preHash"), "signature.decode.preHash", hashes, nil),
	}
	switch {
	case s.PublicKeys():
		form := fetchedForm(names.keys)
		switch n := d.get("encoding"); {
		case form != "" && n != nil && s.Decode.Encoding != form:
			l.err(n.at, "signature-decode", "leave decode.encoding out", "signature: the keys are fetched as %s, and cannot be read as %s", form, s.Decode.Encoding)
		case form != "":
			s.Decode.Encoding = form
		case n == nil:
			l.err(v.at, "signature-decode", "write decode: {encoding: pem}", "signature: how the public key is written is not declared")
		}
		if n := d.get("preHash"); n != nil {
			l.err(n.at, "signature-key", "", "signature: %q means nothing for a public key", "decode.preHash")
			s.Decode.PreHash = ""
		}
		s.Secrets = l.publicKeys(names)
	case s.Type == "none" || s.Type == "ip" || s.Type == "plugin":
	default:
		if s.Decode.Encoding == "" {
			s.Decode.Encoding = "utf8"
		}
		l.useName(names.secrets)
		s.Secrets = l.secrets(names.secrets, names.source, names.at)
	}
}

// useName notes that a list of names is what some scheme is checked with.
func (l *loader) useName(v *value) {
	if v != nil {
		l.usedNames[v.at] = true
	}
}

// noteNames remembers lists of names, so that one that no scheme uses is found.
func (l *loader) noteNames(names keyNames) {
	for _, n := range []struct {
		v    *value
		key  string
		hint string
	}{{names.secrets, "secrets", "write keys for public keys"}, {names.keys, "keys", "write secrets"}} {
		if n.v != nil && !n.v.preset && !l.namesSeen[n.v.at] {
			l.namesSeen[n.v.at] = true
			l.namesNoted = append(l.namesNoted, notedNames{n.v.at, n.key, n.hint})
		}
	}
}

// notedNames is a list of names as it was written.
type notedNames struct {
	at        Pos
	key, hint string
}

// unusedNames warns of lists of names that no scheme is checked with: somebody
// believes that they count.
func (l *loader) unusedNames() {
	for _, n := range l.namesNoted {
		if !l.usedNames[n.at] {
			l.warn(n.at, "keys-unused", n.hint, "%s: no scheme is checked with them", n.key)
		}
	}
}

// publicKeys reads the names of public keys; without any it is <SOURCE>_PUBLIC_KEY.
func (l *loader) publicKeys(names keyNames) []Secret {
	l.useName(names.keys)
	return l.names(names.keys, "keys", strings.ToUpper(names.source)+"_PUBLIC_KEY", names.at)
}

// secrets reads the names of secrets; without any it is <SOURCE>_WEBHOOK_SECRET.
func (l *loader) secrets(v *value, source string, at Pos) []Secret {
	return l.names(v, "secrets", strings.ToUpper(source)+"_WEBHOOK_SECRET", at)
}

func (l *loader) names(v *value, what, otherwise string, at Pos) []Secret {
	var all []Secret
	for _, item := range v.each() {
		if isFetched(item) {
			if one, ok := l.keyFetch(item); ok {
				all = append(all, one)
			}
			continue
		}
		name, until := item, (*value)(nil)
		if item.form == mapForm {
			name, until = item.get("name"), item.get("until")
			if name == nil {
				l.err(item.at, "secret-name", "", "%s: the %s has no name", what, strings.TrimSuffix(what, "s"))
				continue
			}
		}
		text, ok := l.secretName(name, what)
		if !ok {
			continue
		}
		all = append(all, Secret{Pos: name.at, Name: text, Until: l.until(until)})
	}
	if v == nil || v.form == listForm && len(v.items) == 0 {
		all = []Secret{{Pos: at, Name: otherwise}}
	}
	for i, s := range all {
		for _, o := range all[:i] {
			if o.Name == s.Name {
				l.err(s.Pos, "secret-name", "", "%s: %q stands twice", what, s.Name)
			}
		}
	}
	return all
}

// until is the end of a day, UTC.
func (r *report) until(v *value) time.Time {
	if v == nil {
		return time.Time{}
	}
	day, err := time.Parse(time.DateOnly, strings.TrimSpace(v.text))
	if err != nil {
		r.err(v.at, "date", "write it as 2026-12-01", "until: %s is no date", strconv.Quote(v.text))
		return time.Time{}
	}
	return day.AddDate(0, 0, 1)
}

// params reads the root's params and publicUrl: names of settings.
func (l *loader) params() {
	l.paramNames = map[string]string{}
	for _, f := range l.root.get("params").fieldsOf() {
		if !paramName.MatchString(f.name) {
			l.err(f.at, "param", "write a name such as verify_token", "params: %q: a name is of the form [A-Za-z][A-Za-z0-9_]*", f.name)
			continue
		}
		if name, ok := l.setting(f.value, "params."+f.name); ok {
			l.paramNames[f.name] = name
		}
	}
	if v := l.root.get("publicUrl"); v != nil {
		l.publicURL, _ = l.setting(v, "publicUrl")
	}
}

// param is the setting of a parameter.
func (l *loader) param(name string, at Pos) (string, bool) {
	setting, ok := l.paramNames[name]
	if !ok && !l.paramMissed[name] {
		if l.paramMissed == nil {
			l.paramMissed = map[string]bool{}
		}
		l.paramMissed[name] = true
		l.err(at, "param", "write params: {"+name+": "+strings.ToUpper(l.source+"_"+name)+"} at the root, with the name of the setting", "param:%s: no such parameter is declared", name)
	}
	return setting, ok
}

// needsURL demands the public address where it is signed.
func (l *loader) needsURL(s *Scheme) {
	if l.publicURL != "" || l.urlMissed || !s.Content.has("url") && s.Claims.URLHash == nil {
		return
	}
	l.urlMissed = true
	l.err(s.Pos, "public-url", "write publicUrl: "+strings.ToUpper(l.source)+"_PUBLIC_URL at the root, with the name of the setting",
		"the signature covers the URL that the sender calls; behind a proxy the receiver cannot see it, so publicUrl is needed")
}
