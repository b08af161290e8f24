package spec

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// schemeKeys are the keys that mean something for each type; the rest is an
// error, because it would be taken for a protection that is not there.
var schemeKeys = map[string][]string{
	"hmac":    append([]string{"hash"}, textKeys...),
	"digest":  append([]string{"hash"}, textKeys...),
	"ed25519": textKeys,
	"ecdsa":   append([]string{"hash", "form", "curve"}, textKeys...),
	"rsa":     append([]string{"hash", "padding"}, textKeys...),
	"jwt":     {"from", "prefix", "repeat", "require", "decode", "algs", "claims"},
	"token":   {"from", "prefix", "prefixOptional", "repeat", "require", "timestamp", "id"},
	"bearer":  {"from", "require"},
	"basic":   {"from", "require"},
	"ip":      {"networks", "require"},
	"none":    {"reason", "id", "require"},
	"plugin":  {"name"},
}

// textKeys are those of every type that signs a text.
var textKeys = []string{"from", "prefix", "prefixOptional", "list", "encoding", "case", "repeat", "decode", "timestamp", "id",
	"content", "require", "urlNormalize", "items", "bodyHash"}

const defaultTolerance = 300 * time.Second

// keyNames are the names of secrets and public keys that count where a scheme
// stands.
type keyNames struct {
	secrets *value
	keys    *value
	source  string // gives the default names
	at      Pos
}

// scheme reads `signature` of one endpoint.
func (l *loader) scheme(v *value, names keyNames) *Scheme {
	l.noteNames(names)
	if v == nil {
		l.err(names.at, "signature-missing", `write "signature: {type: hmac, ...}", a preset, or "signature: {type: none, reason: ...}"`, "no signature is declared; anybody could deliver events")
		return nil
	}
	s := &Scheme{Pos: v.at, Preset: textOf(v.get("preset"))}
	if v.get("any") != nil || v.get("all") != nil {
		l.several(v, s, names)
		return s
	}
	l.single(v, s, names)
	return s
}

// several reads any or all.
func (l *loader) several(v *value, s *Scheme, names keyNames) {
	word := "any"
	if v.get("any") == nil {
		word = "all"
	}
	for _, f := range v.fieldsOf() {
		if f.name != word {
			l.err(f.at, "signature-key", "move it into the schemes of the list; null takes back what another level or overlay says", "signature: %q cannot stand beside %s, whose schemes stand alone", f.name, word)
			break
		}
	}
	for _, item := range v.get(word).each() {
		if !item.is(mapForm) {
			l.err(item.at, "wrong-type", "", "%q: want a scheme such as {type: hmac, ...}, got %s", "signature."+word, item.form)
			continue
		}
		if p := item.get("preset"); p != nil {
			if preset := l.presetValue(p, "signature.preset"); preset != nil {
				item = mergeValues(&key{keys: signatureKeys}, preset.get("signature"), item)
			}
		}
		own := names
		if own.at = item.at; item.get("secrets") != nil {
			own.secrets = item.get("secrets")
		}
		if item.get("keys") != nil {
			own.keys = item.get("keys")
		}
		l.noteNames(own)
		m := &Scheme{Pos: item.at, Preset: textOf(item.get("preset"))}
		l.single(item, m, own)
		if word == "any" {
			s.Any = append(s.Any, m)
		} else {
			s.All = append(s.All, m)
		}
	}
	if len(s.Members()) < 2 {
		l.err(v.get(word).at, "signature-several", "write the one scheme as signature itself", "signature.%s: want two schemes or more", word)
	}
}

// single reads one scheme.
func (l *loader) single(v *value, s *Scheme, names keyNames) {
	if s.Type = l.schemeType(v); s.Type == "" {
		l.useName(names.secrets)
		l.useName(names.keys)
		return
	}
	l.schemeMembers(v, s.Type)
	l.schemePlace(v, s)
	l.schemeKeysOf(v, s, names)
	l.schemeTime(v, s)
	s.Require = l.conditions(v.get("require"), "signature.require", inSignature)
	for i, c := range s.Require {
		if c.Op != "equals" {
			l.err(c.From.Pos, "signature-require", "write equals", "signature.require knows only equals")
			s.Require[i].Op = "equals"
		}
		s.Require[i].Values = l.paramValues(c)
	}
	l.schemeItems(v, s)
	l.schemeContent(v, s)
	l.bodyHash(v.get("bodyHash"), s)
	l.tokens(v, s)
	l.networks(v.get("networks"), s)
	l.needsURL(s)
	l.timeSigned(s)
	l.lintScheme(v, s)
}

func (r *report) schemeType(v *value) string {
	t := v.get("type")
	if t == nil {
		r.err(v.at, "signature-type", "write type: hmac", "signature: the type is not declared")
		return ""
	}
	return r.word(t, "signature.type", sortedKeys(schemeKeys), nil)
}

func (r *report) schemeMembers(v *value, kind string) {
	for _, f := range v.fields {
		k := signatureKeys[f.name]
		if k == nil || k.later || f.value.form == nullForm || f.name == "type" || f.name == "preset" || contains([]string{"secrets", "keys", "any", "all"}, f.name) || contains(schemeKeys[kind], f.name) {
			continue
		}
		r.err(f.at, "signature-key", "", "signature: %q means nothing for type %s", f.name, kind)
	}
	if kind == "none" {
		if reason := textOf(v.get("reason")); !strings.ContainsFunc(reason, func(c rune) bool { return c >= 'A' && c <= 'z' }) {
			r.err(v.at, "signature-reason", `write reason: "only reachable inside the cluster"`, "signature: type none wants a reason")
		}
	}
	if kind == "plugin" && textOf(v.get("name")) == "" {
		r.err(v.at, "signature-plugin", "write name: truelayer, and give New a verifier of that name", "signature: the verifier in Go is not named")
	}
}

var hashes = []string{"sha1", "sha256", "sha384", "sha512", "md5"}

var encodings = []string{"hex", "base64", "base64url"}

var (
	inRequest  = []SelectorKind{SelectHeader, SelectQuery, SelectBody, SelectForm, SelectItem}
	inContent  = append([]SelectorKind{SelectParam}, inRequest...)
	withinList = append([]SelectorKind{SelectElement}, inRequest...)
)

// schemePlace reads where signatures are and how they are written.
func (r *report) schemePlace(v *value, s *Scheme) {
	s.Reason, s.Plugin = textOf(v.get("reason")), textOf(v.get("name"))
	s.Prefix, s.PrefixOptional = textOf(v.get("prefix")), isTrue(v.get("prefixOptional"))
	s.From = r.selectors(v.get("from"), place{"signature.from", inRequest})
	s.Encoding = r.word(v.get("encoding"), "signature.encoding", encodings, nil)
	s.Hash = r.word(v.get("hash"), "signature.hash", hashes, nil)
	s.AnyCase = r.word(v.get("case"), "signature.case", []string{"lower", "any"}, nil) == "any"
	s.RepeatAny = r.word(v.get("repeat"), "signature.repeat", []string{"reject", "any"}, nil) == "any"
	s.Padding = r.word(v.get("padding"), "signature.padding", []string{"pkcs1v15", "pss"}, nil)
	s.Form = r.word(v.get("form"), "signature.form", []string{"der", "p1363"}, nil)
	s.Curve = r.word(v.get("curve"), "signature.curve", []string{"p256", "p384", "p521"}, nil)
	if n := r.word(v.get("urlNormalize"), "signature.urlNormalize", []string{"none", "twilio", "hubspot"}, nil); n != "none" {
		s.URLNormalize = n
	}
	s.List = r.signatureList(v.get("list"))
	r.schemeDefaults(v, s)
}

func (r *report) schemeDefaults(v *value, s *Scheme) {
	signs := contains(schemeKeys[s.Type], "encoding")
	if s.Hash == "" && contains(schemeKeys[s.Type], "hash") {
		s.Hash = "sha256"
	}
	if s.Padding == "" && s.Type == "rsa" {
		s.Padding = "pkcs1v15"
	}
	if s.Form == "" && s.Type == "ecdsa" {
		s.Form = "der"
	}
	if len(s.From) == 0 && (s.Type == "bearer" || s.Type == "basic") {
		s.From = []Selector{{Pos: v.at, Kind: SelectHeader, Name: "Authorization"}}
	}
	if len(s.From) == 0 && v.get("from") == nil && contains(schemeKeys[s.Type], "from") {
		r.err(v.at, "signature-from", "write from: header:X-Signature", "signature: from is not declared")
	}
	if signs && v.get("encoding") == nil {
		r.err(v.at, "signature-encoding", "write encoding: hex or encoding: base64", "signature: encoding is not declared")
	}
	if s.List != nil && s.Prefix != "" {
		r.err(v.get("prefix").at, "signature-key", "", "signature: prefix and list exclude each other")
	}
	if (s.Type == "ecdsa" || s.Type == "rsa") && s.Hash == "md5" {
		r.err(v.get("hash").at, "signature-weak", "", "signature: md5 is not possible for %s", s.Type)
	} else if s.Hash == "md5" {
		r.warn(v.get("hash").at, "signature-weak", "", "signature: md5 is weak; use it only where the sender knows nothing else")
	}
}

func (r *report) signatureList(v *value) *SignatureList {
	if v == nil {
		return nil
	}
	l := &SignatureList{Separator: textOf(v.get("separator")), Name: textOf(v.get("name")), Trim: isTrue(v.get("trim"))}
	for _, tag := range v.get("tag").each() {
		l.Tags = append(l.Tags, textOf(tag))
	}
	l.Skip, _ = r.whole(v.get("skip"), "signature.list.skip", 0)
	switch {
	case l.Separator == "":
		r.err(v.at, "signature-list", `write separator: ","`, "signature.list: the separator is not declared")
	case l.Name == "" && len(l.Tags) > 0:
		r.err(v.at, "signature-list", `write name: "="`, "signature.list: tag wants the text between name and value")
	case l.Name != "" && len(l.Tags) == 0:
		r.err(v.at, "signature-list", "write tag: v1", "signature.list: which elements are signatures is not declared")
	}
	return l
}

func (r *report) schemeTime(v *value, s *Scheme) {
	if id := v.get("id"); id != nil {
		s.ID = r.selector(id, place{"signature.id", withinList})
	}
	n := v.get("timestamp")
	if n == nil {
		return
	}
	from := r.selector(n.get("from"), place{"signature.timestamp.from", withinList})
	if from == nil {
		if n.get("from") == nil {
			r.err(n.at, "signature-timestamp", "write from: header:X-Timestamp", "signature.timestamp: from is not declared")
		}
		return
	}
	if from.Kind == SelectElement && s.List == nil {
		r.err(from.Pos, "signature-timestamp", "declare signature.list", "signature.timestamp: %q wants a list to take the element from", from.Text())
	}
	t := &Timestamp{From: *from, Tolerance: defaultTolerance, FutureTolerance: defaultTolerance}
	t.Format = r.word(n.get("format"), "signature.timestamp.format", []string{"unix", "unix_ms", "unix_us", "rfc3339", "http_date"}, nil)
	if n.get("format") == nil {
		r.err(n.at, "signature-timestamp", "write format: unix", "signature.timestamp: format is not declared")
	}
	r.tolerances(n, t)
	s.Timestamp = t
}

// tolerances reads both; `tolerance: none` takes the other one with it, unless
// that is declared.
func (r *report) tolerances(n *value, t *Timestamp) {
	past, future := n.get("tolerance"), n.get("futureTolerance")
	if past != nil && past.text == "none" {
		t.NoTolerance, t.Tolerance = true, 0
		if future == nil {
			t.NoFuture, t.FutureTolerance = true, 0
			return
		}
	} else if d, ok := r.duration(past, "signature.timestamp.tolerance"); ok {
		t.Tolerance = d
	}
	if future != nil && future.text == "none" {
		t.NoFuture, t.FutureTolerance = true, 0
	} else if d, ok := r.duration(future, "signature.timestamp.futureTolerance"); ok {
		t.FutureTolerance = d
	}
}

// timeSigned refuses a tolerance on a time that the signature does not cover.
func (r *report) timeSigned(s *Scheme) {
	t := s.Timestamp
	if !t.Checked() || s.covers(t.From) {
		return
	}
	hint := "write {timestamp} into signature.content, or tolerance: none"
	if !contains(schemeKeys[s.Type], "content") {
		hint = "leave timestamp out"
	}
	r.err(t.From.Pos, "timestamp-unsigned", hint, "signature.timestamp: the time %q is not signed, so a tolerance protects nothing", t.From.Text())
}

var paramText = regexp.MustCompile(`^\{param:([^{}]+)\}$`)

// paramValues replaces the name of a parameter in a pinned value by the name of
// its setting, and writes values of the body as texts.
func (l *loader) paramValues(c Condition) []string {
	out := make([]string, len(c.Values))
	for i, text := range c.Values {
		if c.From.Kind == SelectBody || c.From.Kind == SelectItem {
			text = plainText(text)
		}
		if m := paramText.FindStringSubmatch(text); m != nil {
			if setting, ok := l.param(m[1], c.From.Pos); ok {
				text = "{param:" + setting + "}"
			}
		}
		out[i] = text
	}
	return out
}

// plainText is a JSON scalar as text: of a string its content.
func plainText(text string) string {
	var plain string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &plain) == nil {
		return plain
	}
	return text
}
