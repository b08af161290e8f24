package spec

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var laterTypes = []string{"digest", "ed25519", "ecdsa", "rsa", "jwt", "ip", "plugin"}

// schemeKeys are the keys that mean something for each type; the rest is an
// error, because it would be taken for a protection that is not there.
var schemeKeys = map[string][]string{
	"hmac":   {"from", "prefix", "list", "encoding", "hash", "case", "repeat", "decode", "timestamp", "id", "content", "require"},
	"token":  {"from", "prefix", "repeat", "require", "timestamp", "id"},
	"bearer": {"from", "require"},
	"basic":  {"from", "require"},
	"none":   {"reason", "id", "require"},
}

const defaultTolerance = 300 * time.Second

// scheme reads `signature` of one endpoint. source gives the default secret.
func (r *report) scheme(v *value, secrets []Secret, at Pos) *Scheme {
	if v == nil {
		r.err(at, "signature-missing", `write "signature: {type: hmac, ...}", a preset, or "signature: {type: none, reason: ...}"`, "no signature is declared; anybody could deliver events")
		return nil
	}
	s := &Scheme{Pos: v.at, Preset: textOf(v.get("preset")), Secrets: secrets}
	if v.get("any") != nil || v.get("all") != nil {
		return s
	}
	t := v.get("type")
	if t == nil {
		r.err(v.at, "signature-type", "write type: hmac", "signature: the type is not declared")
		return s
	}
	s.Type = r.word(t, "signature.type", sortedKeys(schemeKeys), laterTypes)
	if s.Type == "" {
		return s
	}
	r.schemeMembers(v, s.Type)
	r.schemePlace(v, s)
	r.schemeTime(v, s)
	s.Require = r.conditions(v.get("require"), "signature.require", inSignature)
	for i, c := range s.Require {
		if c.Op != "equals" {
			r.err(c.From.Pos, "signature-require", "write equals", "signature.require knows only equals")
			s.Require[i].Op = "equals"
		}
	}
	r.schemeContent(v, s)
	return s
}

func (r *report) schemeMembers(v *value, kind string) {
	for _, f := range v.fields {
		k := signatureKeys[f.name]
		if k == nil || k.later || f.name == "type" || f.name == "preset" || contains(schemeKeys[kind], f.name) {
			continue
		}
		r.err(f.at, "signature-key", "", "signature: %q means nothing for type %s", f.name, kind)
	}
	if kind == "none" {
		if reason := textOf(v.get("reason")); !strings.ContainsFunc(reason, func(c rune) bool { return c >= 'A' && c <= 'z' }) {
			r.err(v.at, "signature-reason", `write reason: "only reachable inside the cluster"`, "signature: type none wants a reason")
		}
	}
}

// schemePlace reads where signatures are and how they are written.
func (r *report) schemePlace(v *value, s *Scheme) {
	s.Reason = textOf(v.get("reason"))
	s.Prefix = textOf(v.get("prefix"))
	s.From = r.selectors(v.get("from"), place{"signature.from", []SelectorKind{SelectHeader, SelectQuery, SelectBody, SelectForm}})
	s.Encoding = r.word(v.get("encoding"), "signature.encoding", []string{"hex", "base64", "base64url"}, nil)
	s.Hash = r.word(v.get("hash"), "signature.hash", []string{"sha1", "sha256", "sha384", "sha512", "md5"}, nil)
	s.AnyCase = r.word(v.get("case"), "signature.case", []string{"lower", "any"}, nil) == "any"
	s.RepeatAny = r.word(v.get("repeat"), "signature.repeat", []string{"reject", "any"}, nil) == "any"
	d := v.get("decode")
	s.Decode = KeyDecoding{
		Encoding:    r.word(d.get("encoding"), "signature.decode.encoding", []string{"utf8", "base64", "hex"}, nil),
		StripPrefix: textOf(d.get("stripPrefix")),
		PreHash:     r.word(d.get("preHash"), "signature.decode.preHash", []string{"sha1", "sha256", "sha384", "sha512", "md5"}, nil),
	}
	s.List = r.signatureList(v.get("list"))
	if s.Hash == "" && s.Type == "hmac" {
		s.Hash = "sha256"
	}
	if s.Decode.Encoding == "" {
		s.Decode.Encoding = "utf8"
	}
	r.schemeDefaults(v, s)
}

func (r *report) schemeDefaults(v *value, s *Scheme) {
	if len(s.From) == 0 && (s.Type == "bearer" || s.Type == "basic") {
		s.From = []Selector{{Pos: v.at, Kind: SelectHeader, Name: "Authorization"}}
	}
	if len(s.From) == 0 && v.get("from") == nil && s.Type != "none" {
		r.err(v.at, "signature-from", "write from: header:X-Signature", "signature: from is not declared")
	}
	if s.Type == "hmac" && v.get("encoding") == nil {
		r.err(v.at, "signature-encoding", "write encoding: hex or encoding: base64", "signature: encoding is not declared")
	}
	if s.List != nil && s.Prefix != "" {
		r.err(v.get("prefix").at, "signature-key", "", "signature: prefix and list exclude each other")
	}
	if s.Type == "hmac" && s.Hash == "md5" {
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
		s.ID = r.selector(id, place{"signature.id", []SelectorKind{SelectHeader, SelectBody, SelectQuery, SelectForm}})
	}
	n := v.get("timestamp")
	if n == nil {
		return
	}
	from := r.selector(n.get("from"), place{"signature.timestamp.from", []SelectorKind{SelectHeader, SelectElement, SelectBody, SelectQuery, SelectForm}})
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

func (r *report) tolerances(n *value, t *Timestamp) {
	if v := n.get("tolerance"); v != nil && v.text == "none" {
		t.NoTolerance, t.Tolerance, t.FutureTolerance = true, 0, 0
		return
	} else if d, ok := r.duration(v, "signature.timestamp.tolerance"); ok {
		t.Tolerance = d
	}
	if d, ok := r.duration(n.get("futureTolerance"), "signature.timestamp.futureTolerance"); ok {
		t.FutureTolerance = d
	}
}

// placeholders of signature content that this version generates.
var placeholders = []string{"body", "timestamp", "id"}

var laterPlaceholder = regexp.MustCompile(`^(url|method|path|secret|crc32:body|sha256:body|form:.+|item:.+|param:.+)$`)

// schemeContent reads what is signed.
func (r *report) schemeContent(v *value, s *Scheme) {
	n := v.get("content")
	if s.Type != "hmac" {
		r.timeSigned(s)
		return
	}
	if n == nil {
		s.Content = &Template{Pos: v.at, Parts: []TemplatePart{{Placeholder: "body"}}}
		r.timeSigned(s)
		return
	}
	if n.form == listForm {
		r.later(n.at, "signature.content: a list")
		return
	}
	if !n.is(scalarForms) {
		return
	}
	s.Content = &Template{Pos: n.at}
	r.split(n.text, func(inner string) (TemplatePart, bool) { return r.contentPart(inner, n.at) }, s.Content)
	r.contentNeeds(n, s)
	r.timeSigned(s)
}

func (r *report) contentPart(inner string, at Pos) (TemplatePart, bool) {
	inner = strings.TrimPrefix(inner, " ")
	switch {
	case contains(placeholders, inner):
		return TemplatePart{Placeholder: inner}, true
	case laterPlaceholder.MatchString(inner):
		r.later(at, "signature.content: {%s}", inner)
		return TemplatePart{}, false
	}
	if pointer, ok := strings.CutPrefix(inner, "json:"); ok {
		inner = pointer
	}
	if _, _, ok := splitSelector(inner); ok {
		return r.selectorPart(inner, at, place{"signature.content", []SelectorKind{SelectHeader, SelectQuery, SelectBody}})
	}
	if meant := nearest(inner, placeholders); meant != "" {
		r.err(at, "signature-content", "did you mean {"+meant+"}?", "signature.content: {%s} is not known", inner)
	}
	return TemplatePart{}, false
}

// contentNeeds demands that what the content names is declared.
func (r *report) contentNeeds(n *value, s *Scheme) {
	if s.Content.has("timestamp") && s.Timestamp == nil {
		r.err(n.at, "signature-content", "declare signature.timestamp", "signature.content names {timestamp}, which is not declared")
	}
	if s.Content.has("id") && s.ID == nil {
		r.err(n.at, "signature-content", "declare signature.id", "signature.content names {id}, which is not declared")
	}
	if !s.Content.has("body") {
		r.warn(n.at, "signature-body", "", "signature.content does not name {body}: whoever has captured a request can change its body")
	}
}

// timeSigned refuses a tolerance on a time that the content does not cover.
func (r *report) timeSigned(s *Scheme) {
	t := s.Timestamp
	if t == nil || t.NoTolerance || s.Content.has("timestamp") || s.Content.hasSelector(t.From) || t.From.inBody() && s.Content.has("body") {
		return
	}
	r.err(t.From.Pos, "timestamp-unsigned", "write {timestamp} into signature.content, or tolerance: none", "signature.timestamp: the time %q is not signed, so a tolerance protects nothing", t.From.Text())
}

func (t *Template) has(placeholder string) bool {
	if t != nil {
		for _, p := range t.Parts {
			if p.Placeholder == placeholder {
				return true
			}
		}
	}
	return false
}

func (t *Template) hasSelector(s Selector) bool {
	if t != nil {
		for _, p := range t.Parts {
			if p.Selector != nil && sameSelector(*p.Selector, s) {
				return true
			}
		}
	}
	return false
}

// sameSelector compares what two selectors name; header names in any case.
func sameSelector(a, b Selector) bool {
	if a.Kind == SelectHeader {
		return b.Kind == SelectHeader && strings.EqualFold(a.Name, b.Name)
	}
	return a.Kind == b.Kind && a.Name == b.Name && a.Pointer == b.Pointer && a.Whole == b.Whole
}

// secrets reads the names of secrets; without any it is <SOURCE>_WEBHOOK_SECRET.
func (r *report) secrets(v *value, source string, at Pos) []Secret {
	var all []Secret
	for _, item := range v.each() {
		name, until := item, (*value)(nil)
		if item.form == mapForm {
			name, until = item.get("name"), item.get("until")
			if name == nil {
				r.err(item.at, "secret-name", "", "secrets: the secret has no name")
				continue
			}
		}
		if strings.Contains(textOf(name), "{") && strings.Contains(textOf(name), "_") {
			r.later(name.at, "a secret's name with a tenant in it")
			continue
		}
		text, ok := r.setting(name, "secrets")
		if !ok {
			continue
		}
		all = append(all, Secret{Pos: name.at, Name: text, Until: r.until(until)})
	}
	if v == nil || v.form == listForm && len(v.items) == 0 {
		all = []Secret{{Pos: at, Name: strings.ToUpper(source) + "_WEBHOOK_SECRET"}}
	}
	r.repeatedSecrets(all)
	return all
}

func (r *report) repeatedSecrets(all []Secret) {
	for i, s := range all {
		for _, o := range all[:i] {
			if o.Name == s.Name {
				r.err(s.Pos, "secret-name", "", "secrets: %q stands twice", s.Name)
			}
		}
	}
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
