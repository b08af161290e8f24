package spec

import (
	"net/netip"
	"slices"
	"strings"
)

// placeholders of signature content.
var placeholders = []string{"body", "timestamp", "id", "url", "method", "path", "secret", "crc32:body", "sha256:body"}

// schemeItems reads the pointer to elements that are signed one by one.
func (r *report) schemeItems(v *value, s *Scheme) {
	n := v.get("items")
	if n == nil {
		return
	}
	tokens, ok := splitPointer(n.text)
	if !ok || !slices.Contains(tokens, "*") {
		r.err(n.at, "signature-items", "write it as /items/*", "signature.items: %q is no pointer with a * for the elements", n.text)
		return
	}
	s.Items = n.text
}

// schemeContent reads what is signed.
func (l *loader) schemeContent(v *value, s *Scheme) {
	n := v.get("content")
	if !contains(schemeKeys[s.Type], "content") {
		return
	}
	s.Content = &Template{Pos: v.at}
	if n == nil {
		s.Content.Parts = []TemplatePart{{Placeholder: "body"}}
		l.contentNeeds(v, s)
		return
	}
	s.Content.Pos = n.at
	for _, item := range n.each() {
		switch {
		case item.is(mapForm):
			if f := l.fieldList(item); f != nil {
				s.Content.Parts = append(s.Content.Parts, TemplatePart{Fields: f})
			}
		case item.is(scalarForms):
			t := &Template{Pos: item.at}
			l.split(item.text, func(inner string) (TemplatePart, bool) { return l.contentPart(inner, item.at, s) }, t)
			s.Content.Parts = append(s.Content.Parts, t.Parts...)
		default:
			l.err(item.at, "wrong-type", "", "%q: want text or a list of fields, got %s", "signature.content", item.form)
		}
	}
	l.contentNeeds(n, s)
}

func (l *loader) contentPart(inner string, at Pos, s *Scheme) (TemplatePart, bool) {
	inner = strings.TrimPrefix(inner, " ")
	if contains(placeholders, inner) {
		return TemplatePart{Placeholder: inner}, true
	}
	if pointer, ok := strings.CutPrefix(inner, "json:"); ok {
		inner = pointer
	}
	if kind, _, ok := splitSelector(inner); ok {
		if kind == SelectItem && s.Items == "" {
			l.err(at, "signature-items", "declare signature.items", "signature.content: {%s} wants items to take it from", inner)
			return TemplatePart{}, false
		}
		part, ok := l.selectorPart(inner, at, place{"signature.content", inContent})
		if ok && part.Selector.Kind == SelectParam {
			part.Selector.Setting, _ = l.param(part.Selector.Name, at)
		}
		return part, ok
	}
	if meant := nearest(inner, placeholders); meant != "" {
		l.err(at, "signature-content", "did you mean {"+meant+"}?", "signature.content: {%s} is not known", inner)
	}
	return TemplatePart{}, false
}

// fieldList reads {from: form, names: "*", each: "{k}{v}", ...}.
func (r *report) fieldList(v *value) *FieldList {
	r.checkMembers("signature.content", v, fieldListKeys, 0)
	f := &FieldList{Pos: v.at, Each: "{k}{v}", Sep: textOf(v.get("sep")), Unique: isTrue(v.get("unique")), SecretAs: textOf(v.get("secretAs"))}
	f.From = r.word(v.get("from"), "signature.content.from", []string{"form", "json"}, nil)
	if each := v.get("each"); each != nil {
		f.Each = textOf(each)
	}
	for _, n := range v.get("exclude").each() {
		f.Exclude = append(f.Exclude, textOf(n))
	}
	names := v.get("names")
	for _, n := range names.each() {
		f.Names = append(f.Names, textOf(n))
	}
	if len(f.Names) == 1 && f.Names[0] == "*" {
		f.Names = nil
	}
	switch {
	case v.get("from") == nil:
		r.err(v.at, "signature-fields", "write from: form or from: json", "signature.content: where the fields are from is not declared")
	case names == nil:
		r.err(v.at, "signature-fields", `write names: "*" or a list of names`, "signature.content: which fields are signed is not declared")
	case slices.Contains(f.Names, "*"):
		r.err(names.at, "signature-fields", `write names: "*" alone`, "signature.content: \"*\" stands for every field, and cannot be one of a list")
	case !strings.Contains(f.Each, "{v}"):
		r.err(v.get("each").at, "signature-fields", `write each: "{k}{v}"`, "signature.content: the values of the fields are not signed")
	}
	return f
}

// contentNeeds demands that what the content names is declared.
func (r *report) contentNeeds(n *value, s *Scheme) {
	secret := s.Content.has("secret") || s.Content.secretField()
	switch {
	case s.Content.has("timestamp") && s.Timestamp == nil:
		r.err(n.at, "signature-content", "declare signature.timestamp", "signature.content names {timestamp}, which is not declared")
	case s.Content.has("id") && s.ID == nil:
		r.err(n.at, "signature-content", "declare signature.id", "signature.content names {id}, which is not declared")
	case s.Type == "digest" && !secret:
		r.err(n.at, "signature-content", `write content: "{secret}{body}"`, "signature.content does not name {secret}: a digest without it can be made by anybody")
	case s.PublicKeys() && secret:
		r.err(n.at, "signature-content", "", "signature.content names {secret}, but type %s has none", s.Type)
	}
}

func (t *Template) secretField() bool {
	return t != nil && slices.ContainsFunc(t.Parts, func(p TemplatePart) bool { return p.Fields != nil && p.Fields.SecretAs != "" })
}

// bodyHash reads a hash of the body that the request carries; it binds the body
// only where it is signed itself.
func (r *report) bodyHash(v *value, s *Scheme) {
	if v == nil || !contains(schemeKeys[s.Type], "bodyHash") {
		return
	}
	from := r.mapSelector(v, place{"signature.bodyHash", inRequest})
	if from == nil {
		return
	}
	h := &BodyHash{From: *from, Hash: "sha256", Encoding: r.word(v.get("encoding"), "signature.bodyHash.encoding", encodings, nil),
		AbsentWhenEmpty: isTrue(v.get("absentWhenEmpty"))}
	if word := r.word(v.get("hash"), "signature.bodyHash.hash", hashes, nil); word != "" {
		h.Hash = word
	}
	if v.get("encoding") == nil {
		r.err(v.at, "signature-encoding", "write encoding: hex or encoding: base64", "signature.bodyHash: encoding is not declared")
	}
	if !s.covers(*from) {
		r.err(from.Pos, "signature-body", "write {"+from.Text()+"} or {url} into signature.content", "signature.bodyHash: %q is not signed, so whoever changes the body changes it too", from.Text())
	}
	s.BodyHash = h
}

var jwtAlgs = []string{"HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

func symmetricAlgs(algs []string) bool {
	return slices.ContainsFunc(algs, func(a string) bool { return strings.HasPrefix(a, "HS") })
}

// tokens reads claims of type jwt.
func (r *report) tokens(v *value, s *Scheme) {
	if s.Type != "jwt" {
		return
	}
	c := v.get("claims")
	s.Claims = Claims{BodyHash: r.claimHash(c.get("bodyHash"), "bodyHash"), URLHash: r.claimHash(c.get("urlHash"), "urlHash"),
		NotBefore: isTrue(c.get("nbf")), Expires: isTrue(c.get("exp"))}
	s.Claims.Leeway, _ = r.duration(c.get("leeway"), "signature.claims.leeway")
	for _, f := range c.get("equals").fieldsOf() {
		s.Claims.Equals = append(s.Claims.Equals, Claim{f.name, textOf(f.value)})
	}
	if m := c.get("maxAge"); m != nil {
		age := &MaxAge{Claim: "iat", Tolerance: defaultTolerance, FutureTolerance: defaultTolerance}
		if name := textOf(m.get("claim")); name != "" {
			age.Claim = name
		}
		if d, ok := r.duration(m.get("tolerance"), "signature.claims.maxAge.tolerance"); ok {
			age.Tolerance = d
		}
		if d, ok := r.duration(m.get("futureTolerance"), "signature.claims.maxAge.futureTolerance"); ok {
			age.FutureTolerance = d
		}
		s.Claims.MaxAge = age
	}
	if !s.Claims.Expires && s.Claims.MaxAge == nil {
		at := v.at
		if c != nil {
			at = c.at
		}
		r.warn(at, "signature-age", "write claims: {exp: true} or claims: {maxAge: {claim: iat, tolerance: 300s}}", "signature.claims: no claim bounds the age of a token, so one that was captured is good for ever")
	}
}

func (r *report) claimHash(v *value, name string) *ClaimHash {
	if v == nil {
		return nil
	}
	path := "signature.claims." + name
	h := &ClaimHash{Claim: textOf(v.get("claim")), Hash: "sha256", AbsentWhenEmpty: isTrue(v.get("absentWhenEmpty"))}
	if word := r.word(v.get("hash"), path+".hash", hashes, nil); word != "" {
		h.Hash = word
	}
	h.Encoding = r.word(v.get("encoding"), path+".encoding", encodings, nil)
	switch {
	case h.Claim == "":
		r.err(v.at, "signature-claims", "write claim: request_body_sha256", "%s: the claim is not named", path)
	case v.get("encoding") == nil:
		r.err(v.at, "signature-encoding", "write encoding: hex or encoding: base64", "%s: encoding is not declared", path)
	}
	return h
}

// algorithms reads the algorithms that count; nothing else does, whatever a token says.
func (r *report) algorithms(v *value, s *Scheme) {
	if s.Type != "jwt" {
		return
	}
	n := v.get("algs")
	for _, item := range n.each() {
		if alg := r.word(item, "signature.algs", jwtAlgs, nil); alg != "" {
			s.Algs = append(s.Algs, alg)
		}
	}
	if n == nil {
		r.err(v.at, "signature-algs", "write algs: [ES256]", "signature: the algorithms that count are not declared")
		return
	}
	for _, a := range s.Algs {
		if strings.HasPrefix(a, "HS") != symmetricAlgs(s.Algs) {
			r.err(n.at, "signature-algs", "keep one kind", "signature.algs: algorithms with secrets (HS256) and with public keys exclude each other; a public key would count as a secret")
			return
		}
	}
}

// networks reads the blocks of addresses of type ip.
func (r *report) networks(v *value, s *Scheme) {
	if s.Type != "ip" {
		return
	}
	for _, item := range v.each() {
		text := textOf(item)
		n, err := netip.ParsePrefix(text)
		addr, bad := netip.ParseAddr(text)
		switch {
		case bad == nil && !addr.Is4In6():
		case err != nil || n.Addr().Is4In6():
			r.err(item.at, "signature-networks", "write it as 192.0.2.0/24 or 2001:db8::/32", "signature.networks: %q is no block of addresses", text)
			continue
		case n != n.Masked():
			r.err(item.at, "signature-networks", "write "+n.Masked().String(), "signature.networks: %q has bits set beyond its prefix", text)
			continue
		}
		s.Networks = append(s.Networks, text)
	}
	if v == nil || len(v.each()) == 0 {
		r.err(s.Pos, "signature-networks", "write networks: [192.0.2.0/24]", "signature: the sender's networks are not declared")
	}
}
