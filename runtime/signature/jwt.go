package signature

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// JWS reads keys for compact JSON Web Signatures (RFC 7515). The package jose
// implements it with a JOSE library.
type JWS interface {
	// Keys takes the keys of a scheme in order: bytes where the algorithms are
	// HMACs, else the text of a public key in the declared encoding.
	Keys(algs []string, encoding string, keys []JWSKey) (JWSVerifier, error)
	// Sign makes a token. The key is what Keys takes for HMACs, else the text of
	// a private key in PEM (PKCS #8), or as a JSON Web Key whose kid the token names.
	Sign(alg string, key JWSKey, payload []byte) (string, error)
}

// JWSKey is one key of a scheme.
type JWSKey struct {
	Name  string
	Bytes []byte
	Text  string
}

// JWSVerifier checks tokens. It is safe for concurrent use.
type JWSVerifier interface {
	// Payload gives the payload of a token that an active key has signed, and
	// the key's index; the index is -1 where none has.
	Payload(token string, now time.Time, active func(int) bool) ([]byte, int)
}

type jwtVerifier struct {
	scheme Scheme
	tokens JWSVerifier
}

func compileJWT(s Scheme, texts []string) (Verifier, error) {
	if s.JWS == nil {
		return nil, errors.New("compile signature: type jwt needs Scheme.JWS: jose.JWS{}")
	}
	keys, err := jwsKeys(s, texts)
	if err != nil {
		return nil, err
	}
	tokens, err := s.JWS.Keys(s.Algs, s.Decode.Encoding, keys)
	if err != nil {
		return nil, fmt.Errorf("compile signature: %w", err)
	}
	return &jwtVerifier{prepared(s), tokens}, nil
}

func jwsKeys(s Scheme, texts []string) ([]JWSKey, error) {
	var keys []JWSKey
	for i, text := range texts {
		k := JWSKey{Name: s.Secrets[i].Name, Text: strings.TrimPrefix(strings.TrimSpace(text), s.Decode.StripPrefix)}
		if symmetric(s.Algs) {
			var err error
			if k.Bytes, err = keyBytes(s.Decode, text); err != nil {
				return nil, fmt.Errorf("secret %s: %w", k.Name, err)
			}
			k.Text = ""
		}
		keys = append(keys, k)
	}
	return keys, nil
}

func symmetric(algs []string) bool {
	return slices.ContainsFunc(algs, func(a string) bool { return strings.HasPrefix(a, "HS") })
}

func (v *jwtVerifier) Verify(r *Request, now time.Time) (Result, error) {
	res, err := v.verify(r, now)
	if err != nil {
		return Result{}, err
	}
	return res, nil
}

func (v *jwtVerifier) verify(r *Request, now time.Time) (Result, *Error) {
	d := reader{r: r}
	if err := d.required(v.scheme.Require); err != nil {
		return Result{}, err
	}
	offers, err := d.signatures(&v.scheme, nil)
	if err != nil {
		return Result{}, err
	}
	for _, token := range offers {
		payload, key := v.tokens.Payload(token, now, func(i int) bool { return active(v.scheme, i, now) })
		if key < 0 {
			err = fail(Mismatch, "the token is not signed by a known key with a declared algorithm")
			continue
		}
		at, bad := v.scheme.Claims.check(payload, r, now)
		if bad == nil {
			return Result{Secret: key, Timestamp: at}, nil
		}
		err = bad
	}
	return Result{}, err
}

// check holds the claims of a verified token against the request.
func (c *Claims) check(payload []byte, r *Request, now time.Time) (time.Time, *Error) {
	var claims map[string]json.RawMessage
	if json.Unmarshal(payload, &claims) != nil {
		return time.Time{}, fail(Malformed, "the token holds no claims")
	}
	for _, want := range c.Equals {
		if !hasText(claims[want.Name], want.Value) {
			return time.Time{}, fail(Mismatch, "the claim %s differs", want.Name)
		}
	}
	if h := c.URLHash; h != nil {
		if text, ok := claimText(claims[h.Claim]); !ok || !h.fits(text, []byte(r.URL)) {
			return time.Time{}, fail(Mismatch, "the claim %s is not the hash of the URL", h.Claim)
		}
	}
	if h := c.BodyHash; h != nil {
		if err := h.claimed(claims[h.Claim], r.Body); err != nil {
			return time.Time{}, err
		}
	}
	return c.times(claims, now)
}

func (h *Hashed) claimed(claim json.RawMessage, body []byte) *Error {
	if h.AbsentWhenEmpty && len(body) == 0 {
		if claim != nil {
			return fail(Mismatch, "the claim %s is of a body, and there is none", h.Claim)
		}
		return nil
	}
	if text, ok := claimText(claim); !ok || !h.fits(text, body) {
		return fail(Mismatch, "the claim %s is not the hash of the body", h.Claim)
	}
	return nil
}

func (c *Claims) times(claims map[string]json.RawMessage, now time.Time) (time.Time, *Error) {
	var at time.Time
	if c.NotBefore {
		t, ok := claimTime(claims["nbf"])
		switch {
		case !ok:
			return at, fail(Malformed, "the claim nbf is missing or no time")
		case now.Before(t.Add(-c.Leeway)):
			return at, &Error{Kind: Expired, Reason: "the token is not valid yet", Offset: now.Sub(t)}
		}
	}
	if c.Expires {
		t, ok := claimTime(claims["exp"])
		switch {
		case !ok:
			return at, fail(Malformed, "the claim exp is missing or no time")
		case !now.Before(t.Add(c.Leeway)):
			return at, &Error{Kind: Expired, Reason: "the token has expired", Offset: now.Sub(t)}
		}
	}
	if m := c.MaxAge; m != nil {
		t, ok := claimTime(claims[m.Claim])
		if !ok {
			return at, fail(Malformed, "the claim %s is missing or no time", m.Claim)
		}
		limit := Timestamp{Format: "unix", Tolerance: m.Tolerance, FutureTolerance: m.FutureTolerance}
		if err := limit.fresh(t, now); err != nil {
			return at, err
		}
		at = t
	}
	return at, nil
}

func claimText(raw json.RawMessage) (string, bool) {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

// hasText reports whether a claim is a text, or a list that holds it (`aud`).
func hasText(raw json.RawMessage, want string) bool {
	var list []json.RawMessage
	if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil {
		return slices.ContainsFunc(list, func(one json.RawMessage) bool { return hasText(one, want) })
	}
	text, ok := claimText(raw)
	if !ok && len(raw) > 0 && raw[0] != '{' && raw[0] != '[' && raw[0] != '"' {
		text, ok = string(raw), true // a number or a boolean, by its own text
	}
	return ok && text == want
}

// claimTime reads a NumericDate (RFC 7519, section 2).
func claimTime(raw json.RawMessage) (time.Time, bool) {
	if len(raw) == 0 || raw[0] == '"' {
		return time.Time{}, false
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return time.Unix(n, 0), n >= 0 && n <= 1<<40
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || f > 1<<40 {
		return time.Time{}, false
	}
	return time.UnixMicro(int64(f * 1e6)), true
}
