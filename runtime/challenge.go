package runtime

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Authentication says what has to be shown before a challenge is answered.
type Authentication int

// AuthenticateSignature: the request is verified as a delivery is.
// AuthenticateParams: texts of the request equal parameters.
// AuthenticateNone: whoever asks is answered.
const (
	AuthenticateSignature Authentication = iota
	AuthenticateParams
	AuthenticateNone
)

// Challenge is a request by which a sender makes sure of a receiver: no event,
// answered without the database. What it matches extends the methods and media
// types that the endpoint accepts.
type Challenge struct {
	Match        []Condition // all must hold; of several challenges the first one counts
	Authenticate Authentication
	Check        []Check  // with AuthenticateParams
	Response     Response // its templates may hold digests
	JSON         *Payload // the body, in place of Response.Body
	Refuse       int      // status where it is not authentic; 0: as Unauthenticated is answered
}

// Check compares a value of the request with a parameter, in constant time.
type Check struct {
	From  Selector
	Param string // name
}

// challenge is a compiled Challenge.
type challenge struct {
	Challenge
	match, head []condition // head: those that need no body
	json, form  bool        // the match reads such a body
	methods     []string
	checks      []check
	response    response
	payload     *payload
	signs       bool // the answer is made with the secret
}

type check struct {
	from selector
	want [sha256.Size]byte
}

func (c *compiler) challenges(list []Challenge) ([]challenge, error) {
	// They are judged before a batch is taken apart: their selectors read the
	// whole body.
	items := c.items
	c.items = nil
	defer func() { c.items = items }()
	var out []challenge
	for i := range list {
		one, err := c.challenge(list[i])
		if err != nil {
			return nil, fmt.Errorf("challenge %d: %w", i+1, err)
		}
		out = append(out, one)
	}
	return out, nil
}

func (c *compiler) challenge(d Challenge) (challenge, error) {
	out := challenge{Challenge: d}
	var err error
	if out.match, err = c.conditions(d.Match); err != nil {
		return out, err
	}
	out.split()
	for _, k := range d.Check {
		from, err := c.selector(k.From)
		if err != nil {
			return out, err
		}
		want, ok := c.settings[k.Param]
		if !ok {
			return out, fmt.Errorf("parameter %s is not declared", k.Param)
		}
		out.checks = append(out.checks, check{from, sha256.Sum256([]byte(want))})
	}
	if out.response, err = c.response(d.Response); err != nil {
		return out, err
	}
	if d.JSON != nil {
		if out.payload, err = c.payload(d.JSON); err != nil {
			return out, err
		}
	}
	out.signs = out.response.signs() || out.payload.signs()
	return out, out.sound()
}

// split sorts the conditions by what they need of the request.
func (ch *challenge) split() {
	for _, k := range ch.match {
		switch k.from.Kind {
		case Body:
			ch.json = true
			continue
		case Form:
			ch.form = true
			continue
		case Method:
			if k.op != Present {
				ch.methods = append(ch.methods, k.values...)
			}
		}
		ch.head = append(ch.head, k)
	}
}

func (ch *challenge) sound() error {
	switch {
	case len(ch.match) == 0:
		return errors.New("it matches everything")
	case ch.Response.Status < 200 || ch.Response.Status > 599:
		return fmt.Errorf("%d is no status of an answer", ch.Response.Status)
	case ch.Authenticate == AuthenticateParams && len(ch.checks) == 0:
		return errors.New("no parameter is compared")
	case ch.Refuse != 0 && (ch.Refuse < 300 || ch.Refuse > 599):
		return fmt.Errorf("%d is no status of a refusal", ch.Refuse)
	case ch.json && ch.form:
		return errors.New("a body is either JSON or a form")
	}
	return nil
}

// ownAnswer is the answer of a challenge.
type ownAnswer struct {
	status      int
	contentType string
	headers     []headerText
	body        []byte
}

// candidates reports whether some challenge may be meant by a request whose
// method or media type is not a delivery's, as far as its head tells, and sets
// how its body is read.
func (rq *request) candidates() bool {
	contentType, _, _ := strings.Cut(rq.http.Header.Get("Content-Type"), ";")
	media := newMediaType(strings.ToLower(strings.TrimSpace(contentType)))
	coding, readable := rq.endpoint.codingOf(rq.http.Header)
	found := false
	for i := range rq.endpoint.challenges {
		ch := &rq.endpoint.challenges[i]
		if ch.form && !media.isForm() || ch.json && media.reads == rawBody || (ch.form || ch.json) && !readable {
			continue
		}
		if ok, err := rq.holds(ch.head); ok && err == nil {
			found = true
		}
	}
	if found {
		rq.media, rq.coding, rq.json = media, coding, media.reads == jsonBody
	}
	return found
}

// meant finds the challenge that a request is, nil for none. What the request
// says twice, or not in a way that can be read, matches nothing.
func (rq *request) meant(signed bool) *challenge {
	for i := range rq.endpoint.challenges {
		ch := &rq.endpoint.challenges[i]
		if signed != (ch.Authenticate == AuthenticateSignature) {
			continue
		}
		if ok, err := rq.holds(ch.head); !ok || err != nil {
			continue
		}
		if (ch.json || ch.form) && rq.parse() != nil || ch.json && rq.doc == nil || ch.form && rq.form == nil {
			continue
		}
		if ok, err := rq.holds(ch.match); ok && err == nil {
			return ch
		}
	}
	return nil
}

// challenged answers a challenge that is not signed, or refuses a request that
// could only be a challenge and is none.
func (rq *request) challenged() (verdict, bool) {
	if len(rq.endpoint.challenges) == 0 {
		return verdict{}, true
	}
	ch := rq.meant(false)
	switch {
	case ch == nil && rq.stray != nil && rq.meant(true) == nil:
		return *rq.stray, false
	case ch == nil:
		return verdict{}, true
	case !rq.shows(ch):
		return rq.refuse(ch, decided(Unauthenticated, "challenge: the parameters differ")), false
	case ch.signs:
		if v, ok := rq.takeSecrets(); !ok {
			return v, false
		}
	}
	return rq.respond(ch), false
}

// challengedSigned answers a challenge whose request has been verified.
func (rq *request) challengedSigned() (verdict, bool) {
	if len(rq.endpoint.challenges) == 0 {
		return verdict{}, true
	}
	if ch := rq.meant(true); ch != nil {
		return rq.respond(ch), false
	}
	if rq.stray != nil {
		return *rq.stray, false
	}
	return verdict{}, true
}

// refusedChallenge gives the status that a sender expects who probes with a
// wrong signature.
func (rq *request) refusedChallenge(v verdict) verdict {
	if v.outcome != Unauthenticated || len(rq.endpoint.challenges) == 0 {
		return v
	}
	if ch := rq.meant(true); ch != nil {
		return rq.refuse(ch, v)
	}
	return v
}

func (rq *request) refuse(ch *challenge, v verdict) verdict {
	if ch.Refuse != 0 {
		v.own = &ownAnswer{status: ch.Refuse}
	}
	return v
}

// shows compares all of a challenge's parameters, in constant time.
func (rq *request) shows(ch *challenge) bool {
	equal := 1
	for i := range ch.checks {
		text := ""
		if v, err := rq.read(&ch.checks[i].from); err == nil && v.ok && !v.composite() {
			text = v.plain()
		}
		got := sha256.Sum256([]byte(text))
		equal &= subtle.ConstantTimeCompare(got[:], ch.checks[i].want[:])
	}
	return equal == 1
}

// takeSecrets reads the secrets for an answer to a request that shows none.
func (rq *request) takeSecrets() (verdict, bool) {
	who, v, ok := rq.who()
	if !ok {
		return v, false
	}
	c, err := rq.endpoint.auth.compiledFor(rq.http.Context(), who, rq.at)
	switch {
	case errors.Is(err, ErrUnknownTenant):
		return rq.stranger(rq.at), false
	case err != nil:
		return cannotJudge(err), false
	}
	rq.compiled, rq.verifiedBy = c, rq.endpoint.auth.firstActive(rq.at)
	rq.unproven = true
	return verdict{}, true
}

// respond renders the answer.
func (rq *request) respond(ch *challenge) verdict {
	a := &ownAnswer{status: ch.response.status, contentType: ch.response.contentType, headers: ch.response.headers}
	err := rq.parse() // the answer may quote the body
	if err != nil && !ch.readsBody() {
		err = nil
	}
	if err != nil {
		return decided(Malformed, "challenge: "+err.reason)
	}
	if ch.payload != nil {
		a.body, _, err = rq.appendPayload(nil, ch.payload)
	} else {
		var text string
		text, err = rq.render(ch.response.body)
		a.body = []byte(text)
	}
	if err == nil {
		err = rq.renderable(ch.response.headers)
	}
	if err != nil {
		return decided(Malformed, "challenge: "+err.reason)
	}
	return verdict{outcome: Challenged, own: a}
}

// readsBody reports whether the answer quotes the body.
func (ch *challenge) readsBody() bool { return ch.response.usesBody() || ch.payload.usesBody() }

func (rq *request) renderable(list []headerText) *problem {
	for _, h := range list {
		if _, err := rq.render(h.value); err != nil {
			return err
		}
	}
	return nil
}

// write writes the answer of a challenge.
func (a *ownAnswer) write(w http.ResponseWriter, rq *request) int {
	rq.setHeaders(w.Header(), a.headers, 0, 0)
	send(w, rq.http.Method, a.status, a.contentType, a.body)
	return a.status
}

// allowed are the methods of deliveries and challenges.
func (e *endpoint) allowed() string {
	all := slices.Clone(e.methods)
	for i := range e.challenges {
		for _, m := range e.challenges[i].methods {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return strings.Join(all, ", ")
}
