package spec

import (
	"fmt"
	"strings"
)

// Challenge is a request by which a sender makes sure of the receiver: no event,
// and answered without the database.
type Challenge struct {
	Pos          Pos
	Match        []Condition // all must hold; values are plain texts
	Authenticate string      // "signature", "params", "none"
	Check        []Check     // of params
	Status       int
	ContentType  string
	Headers      []Header
	Body         *Template
	JSON         *Payload // in place of Body
	RefuseStatus int      // 0: as `unauthenticated` is answered
}

// Check is a value of the request that equals a parameter.
type Check struct {
	From  Selector
	Param Selector // of kind param
}

// Digest is a hash over values, one after the other without anything between
// them, in the answer of a challenge.
type Digest struct {
	Func string // hmac_sha256_hex, hmac_sha256_base64, sha256_hex
	Of   []Selector
}

var (
	inChallenge = []SelectorKind{SelectBody, SelectForm, SelectHeader, SelectQuery, SelectPath, SelectParam, SelectMethod, SelectConst}
	digestFuncs = []string{"hmac_sha256_hex", "hmac_sha256_base64", "sha256_hex"}
)

// handshake reads the challenge of an endpoint while all of it is known.
type handshake struct {
	*loader
	contract *Contract
	endpoint *Endpoint
	out      *Challenge
	signs    bool // the answer is made with the secret
}

// challenges reads `challenge` of each endpoint.
func (l *loader) challenges(c *Contract, scopes []*scope) {
	for _, s := range scopes {
		for _, v := range s.policy.get("challenge").each() {
			if !v.is(mapForm) {
				continue
			}
			h := &handshake{loader: l, contract: c, endpoint: s.endpoint, out: &Challenge{Pos: v.at}}
			h.match(v.get("match"), v.at)
			h.authenticate(v)
			h.respond(v.get("respond"), v.at)
			h.refuse(v.get("refuseStatus"))
			h.judge()
			s.endpoint.Challenges = append(s.endpoint.Challenges, h.out)
		}
	}
}

func (h *handshake) place(name string) place { return place{"challenge." + name, inChallenge} }

// match reads the conditions. A selector alone wants the value to be there.
func (h *handshake) match(v *value, at Pos) {
	for _, item := range v.each() {
		c, ok := h.condition(item)
		if ok {
			for i := range c.Values { // whether 1 or "1" is written does not matter here
				c.Values[i] = plainText(c.Values[i])
			}
			h.hold(&c.From, "challenge.match")
			h.out.Match = append(h.out.Match, c)
		}
	}
	if v == nil || v.form == listForm && len(v.items) == 0 {
		h.err(at, "challenge", "write match: [{from: method, equals: GET}, query:challenge]", "challenge: what tells it from a delivery is not declared")
	}
}

func (h *handshake) condition(item *value) (Condition, bool) {
	p := h.place("match")
	switch {
	case item.is(scalarForms):
		s := h.textSelector(item.text, item.at, p)
		if s == nil {
			return Condition{}, false
		}
		return Condition{From: *s, Op: "present", Present: true}, true
	case !item.is(mapForm):
		return Condition{}, false
	case item.get("method") != nil: // {method: GET}
		return Condition{From: Selector{Pos: item.at, Kind: SelectMethod}, Op: "equals", Values: []string{textOf(item.get("method"))}}, true
	case item.get("equals") == nil && item.get("in") == nil && item.get("present") == nil:
		s := h.mapSelector(item, p)
		if s == nil {
			return Condition{}, false
		}
		return Condition{From: *s, Op: "present", Present: true}, true
	}
	return h.report.condition(item, p)
}

// authenticate reads what has to be shown first.
func (h *handshake) authenticate(v *value) {
	a := v.get("authenticate")
	if a == nil {
		h.err(v.at, "challenge", "write authenticate: signature, or params with check, or none where the sender shows nothing", "challenge: what has to be shown before it is answered is not declared")
		return
	}
	h.out.Authenticate = h.word(a, "challenge.authenticate", []string{"signature", "params", "none"}, nil)
	checks := v.get("check")
	switch {
	case h.out.Authenticate == "params" && len(checks.each()) == 0:
		h.err(a.at, "challenge", "write check: [{from: query:hub.verify_token, param: verify_token}]", "challenge: which text is compared with which parameter is not declared")
	case h.out.Authenticate != "params" && h.out.Authenticate != "" && checks != nil:
		h.err(checks.at, "challenge", "write authenticate: params", "challenge: check means nothing with authenticate: %s", h.out.Authenticate)
	case h.out.Authenticate == "signature" && h.endpoint.Signature != nil && h.endpoint.Signature.Type == "none":
		h.err(a.at, "challenge", "write authenticate: none", "challenge: the endpoint has no signature that could be verified")
	}
	for _, item := range checks.each() {
		h.check(item)
	}
}

func (h *handshake) check(item *value) {
	param := item.get("param")
	if !item.is(mapForm) || param == nil {
		h.err(item.at, "challenge", "write {from: query:hub.verify_token, param: verify_token}", "challenge.check: want a value of the request and the parameter that it must equal")
		return
	}
	from := h.mapSelector(item.with("param", nil), place{"challenge.check", []SelectorKind{SelectBody, SelectForm, SelectHeader, SelectQuery, SelectPath}})
	if from == nil {
		return
	}
	h.hold(from, "challenge.check")
	p := Selector{Pos: param.at, Kind: SelectParam, Name: textOf(param)}
	h.hold(&p, "challenge.check")
	h.out.Check = append(h.out.Check, Check{From: *from, Param: p})
}

// respond reads the answer.
func (h *handshake) respond(v *value, at Pos) {
	if v == nil {
		h.err(at, "challenge", `write respond: {status: 200, body: "{query:challenge}"}`, "challenge: the answer is not declared")
		return
	}
	h.out.Status = 200
	if s := v.get("status"); s != nil {
		h.out.Status = h.status(s, "challenge.respond.status", 200)
	}
	h.out.ContentType = textOf(v.get("contentType"))
	body, tree := v.get("body"), v.get("json")
	switch {
	case body != nil && tree != nil:
		h.err(tree.at, "challenge", "keep one of them", "challenge.respond: body and json exclude each other")
	case body != nil:
		h.out.Body = h.template(body, "challenge.respond.body")
		h.defaultType("text/plain; charset=utf-8")
	case tree != nil:
		h.out.JSON = h.tree(tree)
		h.defaultType("application/json")
	}
	for _, f := range v.get("headers").fieldsOf() {
		if !isToken(f.name) || strings.ContainsAny(f.value.text, "\r\n") {
			h.err(f.at, "header-name", "", "challenge.respond: %q is no header that can be written", f.name)
			continue
		}
		if t := h.template(f.value, fmt.Sprintf("challenge.respond, header %q", f.name)); t != nil {
			h.out.Headers = append(h.out.Headers, Header{Name: f.name, Value: *t})
		}
	}
}

func (h *handshake) defaultType(media string) {
	if h.out.ContentType == "" {
		h.out.ContentType = media
	}
}

func (h *handshake) status(v *value, name string, least int) int {
	s, ok := parseStatus(v.text)
	if !ok || s.From != s.To || s.From < least {
		h.err(v.at, "status", "", "%s: %s is no status from %d to 599", name, v.text, least)
		return least
	}
	return s.From
}

func (h *handshake) refuse(v *value) {
	if v != nil {
		h.out.RefuseStatus = h.status(v, "challenge.refuseStatus", 300)
	}
}

// template reads text with selectors and digests in braces.
func (h *handshake) template(v *value, what string) *Template {
	if !v.is(scalarForms) {
		return nil
	}
	t := &Template{Pos: v.at}
	h.split(v.text, func(inner string) (TemplatePart, bool) { return h.part(inner, v.at, what) }, t)
	return t
}

func (h *handshake) part(inner string, at Pos, what string) (TemplatePart, bool) {
	if name, of, ok := strings.Cut(inner, ":"); ok && contains(digestFuncs, name) {
		return h.digest(name, of, at, what)
	} else if ok && strings.Contains(name, "sha") && nearest(name, digestFuncs) != "" {
		h.err(at, "challenge", didYouMean(name, digestFuncs), "%s: function %q is not known", what, name)
		return TemplatePart{}, false
	}
	part, ok := h.selectorPart(strings.TrimPrefix(inner, "json:"), at, place{what, inChallenge})
	if ok {
		h.hold(part.Selector, what)
	}
	return part, ok
}

// digest reads func:a+b. A plus separates where a selector follows it.
func (h *handshake) digest(name, of string, at Pos, what string) (TemplatePart, bool) {
	d := &Digest{Func: name}
	for _, text := range splitPlus(of) {
		s := h.textSelector(strings.TrimPrefix(text, "json:"), at, place{what, inChallenge})
		if s == nil {
			return TemplatePart{}, false
		}
		h.hold(s, what)
		d.Of = append(d.Of, *s)
	}
	h.signs = h.signs || strings.HasPrefix(name, "hmac_")
	return TemplatePart{Digest: d}, true
}

func splitPlus(text string) []string {
	var parts []string
	for _, piece := range strings.Split(text, "+") {
		_, _, begins := splitSelector(strings.TrimPrefix(piece, "json:"))
		if len(parts) > 0 && !begins {
			parts[len(parts)-1] += "+" + piece
			continue
		}
		parts = append(parts, piece)
	}
	return parts
}

// tree reads the JSON of an answer.
func (h *handshake) tree(v *value) *Payload {
	p := &Payload{Pos: v.at}
	switch {
	case v.is(mapForm):
		p.IsObject = true
		for _, f := range v.fields {
			p.Members = append(p.Members, PayloadMember{Name: f.name, Value: h.tree(f.value)})
		}
	case v.is(listForm):
		p.IsArray = true
		for _, item := range v.items {
			p.Items = append(p.Items, h.tree(item))
		}
	case !v.is(textForm):
		p.Literal = v.jsonText()
	default:
		h.leaf(v, p)
	}
	return p
}

// leaf reads a text: a selector gives its value, braces make a text.
func (h *handshake) leaf(v *value, p *Payload) {
	if _, _, ok := splitSelector(v.text); ok {
		if s := h.textSelector(v.text, v.at, h.place("respond.json")); s != nil {
			h.hold(s, "challenge.respond.json")
			p.Selector = s
			return
		}
	}
	t := h.template(v, "challenge.respond.json")
	if text, ok := t.Literal(); ok {
		p.Literal = quoteJSON(text)
		return
	}
	p.Template = t
}

// hold demands that what path: and param: name is there. Bodies of challenges
// are not held against the schema of events.
func (h *handshake) hold(s *Selector, what string) {
	switch s.Kind {
	case SelectPath:
		h.holdPath(s, h.endpoint.Path, what)
	case SelectParam:
		h.holdParam(s, h.contract, what)
	}
}

// judge looks at the challenge as a whole: what it would swallow, and what it
// would give away.
func (h *handshake) judge() {
	c := h.out
	if len(c.Match) > 0 && h.matchesDeliveries() {
		h.err(c.Pos, "challenge", "add what only the challenge has", "challenge: its match holds for every delivery, so no event would arrive")
	}
	if json, form := h.reads(SelectBody), h.reads(SelectForm); json && form {
		h.err(c.Pos, "challenge", "write two challenges", "challenge.match: a body is either JSON or a form, not both")
	}
	unproven := c.Authenticate == "none" || c.Authenticate == "params"
	if c.Authenticate == "none" && strings.Contains(strings.ToLower(c.ContentType), "html") {
		h.err(c.Pos, "challenge", "write contentType: text/plain", "challenge: whoever asks would have his own text shown as HTML by this address")
	}
	scheme := h.endpoint.Signature
	if !h.signs || scheme == nil {
		return
	}
	switch {
	case len(scheme.AllSecrets()) == 0 || scheme.PublicKeys():
		h.err(c.Pos, "challenge", "", "challenge.respond: the endpoint has no secret to make an HMAC with")
	case unproven:
		h.warn(c.Pos, "challenge-oracle", "", "challenge: its answer is made with the secret for whoever asks; only plain tokens are answered, so that it cannot serve as the signature of a body")
	}
}

func (h *handshake) reads(kind SelectorKind) bool {
	for _, c := range h.out.Match {
		if c.From.Kind == kind {
			return true
		}
	}
	return false
}

// matchesDeliveries reports whether the conditions say no more than that the
// method is a delivery's.
func (h *handshake) matchesDeliveries() bool {
	for _, c := range h.out.Match {
		if c.From.Kind != SelectMethod || c.Op != "present" && !overlaps(c.Values, h.endpoint.Methods) {
			return false
		}
	}
	return true
}

func overlaps(a, b []string) bool {
	for _, text := range a {
		if contains(b, text) {
			return true
		}
	}
	return false
}
