package runtime

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

// Digest is a piece of a challenge's answer: a hash over values joined without
// anything between them.
type Digest struct {
	Func string // "hmac_sha256_hex", "hmac_sha256_base64" (the key is the endpoint's secret), "sha256_hex"
	Of   []Selector
}

// digest is a compiled Digest.
type digest struct {
	keyed  bool
	base64 bool
	of     []selector
}

func (c *compiler) digest(d *Digest) (*digest, error) {
	out := &digest{}
	switch d.Func {
	case "sha256_hex":
	case "hmac_sha256_hex":
		out.keyed = true
	case "hmac_sha256_base64":
		out.keyed, out.base64 = true, true
	default:
		return nil, fmt.Errorf("function %q of an answer is not supported", d.Func)
	}
	var err error
	out.of, err = c.selectors(d.Of)
	return out, err
}

// digestText computes a digest. Where nobody has shown that he knows the
// secret, only tokens are signed with it: an answer must not serve as the
// signature of a made-up delivery.
func (rq *request) digestText(d *digest) (string, *problem) {
	var h hash.Hash = sha256.New()
	if d.keyed {
		key, err := rq.secretBytes()
		if err != nil {
			return "", malformed("the endpoint has no secret to answer with")
		}
		h = hmac.New(sha256.New, key)
	}
	for i := range d.of {
		v, err := rq.need(&d.of[i])
		if err != nil {
			return "", err
		}
		text := v.compact()
		if d.keyed && rq.unproven && !isTokenText(text) {
			return "", malformed("%s is no plain token, and the request is not signed", selectorText(d.of[i].Selector))
		}
		h.Write([]byte(text))
	}
	if d.base64 {
		return base64.StdEncoding.EncodeToString(h.Sum(nil)), nil
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// isTokenText reports whether a text is letters, digits and -._~+/ with = at
// its end: nothing that could be a body, or a list of signed parts.
func isTokenText(text string) bool {
	core := strings.TrimRight(text, "=")
	for i := range len(core) {
		c := core[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && !strings.ContainsRune("-._~+/", rune(c)) {
			return false
		}
	}
	return core != "" && len(text) <= 256
}

// secretBytes is the key of the secret that has verified, or that answers.
func (rq *request) secretBytes() ([]byte, error) {
	a := rq.endpoint.auth
	if rq.compiled == nil || rq.verifiedBy < 0 || rq.verifiedBy >= len(rq.compiled.values) {
		return nil, fmt.Errorf("endpoint %q: no secret", rq.endpoint.Name)
	}
	return signature.KeyBytes(a.scheme.Decode, rq.compiled.values[rq.verifiedBy])
}

// firstActive is the first secret that has not ended, -1 without one.
func (a *authenticator) firstActive(now time.Time) int {
	for i, k := range a.keys {
		if k.Until.IsZero() || !now.After(k.Until) {
			return i
		}
	}
	return -1
}

// signs reports whether a template needs the secret.
func (t text) signs() bool {
	for _, p := range t {
		if p.digest != nil && p.digest.keyed {
			return true
		}
	}
	return false
}

func (r *response) signs() bool {
	for _, h := range r.headers {
		if h.value.signs() {
			return true
		}
	}
	return r.body.signs()
}

func (p *payload) signs() bool {
	if p == nil {
		return false
	}
	for _, m := range p.object {
		if m.value.signs() {
			return true
		}
	}
	for _, e := range p.array {
		if e.signs() {
			return true
		}
	}
	return p.text.signs()
}
