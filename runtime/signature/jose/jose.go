package jose

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/whgen/whgen/runtime/signature"
)

// JWS implements signature.JWS.
type JWS struct{}

var _ signature.JWS = JWS{}

// key is one way to check a token: a declared key, or one of its set.
type key struct {
	index int    // of the declared key
	id    string // kid; "" where it has none
	alg   string // the only algorithm it is for; "" for any
	until time.Time
	value any
}

type tokens struct {
	algs []jose.SignatureAlgorithm
	keys []key
}

// Keys implements signature.JWS. Its errors name a key and never show one.
func (JWS) Keys(algs []string, encoding string, keys []signature.JWSKey) (signature.JWSVerifier, error) {
	t := &tokens{}
	for _, a := range algs {
		t.algs = append(t.algs, jose.SignatureAlgorithm(a))
	}
	for i, k := range keys {
		if k.Bytes != nil {
			t.keys = append(t.keys, key{index: i, value: secret(k.Bytes)})
			continue
		}
		found, err := publicKeys(encoding, k.Text)
		if err != nil {
			return nil, fmt.Errorf("public key %s: %w", k.Name, err)
		}
		for _, one := range found {
			one.index = i
			t.keys = append(t.keys, one)
		}
	}
	return t, nil
}

// Payload implements signature.JWSVerifier.
func (t *tokens) Payload(token string, now time.Time, active func(int) bool) ([]byte, int) {
	if !canonical(token) {
		return nil, -1
	}
	sig, err := jose.ParseSignedCompact(token, t.algs)
	if err != nil || len(sig.Signatures) != 1 {
		return nil, -1
	}
	header := sig.Signatures[0].Protected
	if len(header.ExtraHeaders) > 0 && (header.ExtraHeaders["crit"] != nil || header.ExtraHeaders["b64"] != nil) {
		return nil, -1
	}
	for _, k := range t.keys {
		if !active(k.index) || k.id != "" && k.id != header.KeyID || k.alg != "" && k.alg != header.Algorithm ||
			!k.until.IsZero() && !now.Before(k.until) {
			continue
		}
		if payload, err := sig.Verify(k.value); err == nil {
			return payload, k.index
		}
	}
	return nil, -1
}

// canonical reports whether a token is three parts of base64url, unpadded and
// without bits that a lax decoder drops: one token has one spelling.
func canonical(token string) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || strings.ContainsAny(token, "\r\n") {
		return false
	}
	for _, p := range parts {
		if _, err := base64.RawURLEncoding.Strict().DecodeString(p); err != nil {
			return false
		}
	}
	return true
}

// publicKeys reads a key in PEM, a JSON Web Key, or a set of them.
func publicKeys(encoding, text string) ([]key, error) {
	if encoding != "jwk" {
		value, err := signature.ParsePublicKey(encoding, text)
		return []key{{value: value}}, err
	}
	var set struct{ Keys []json.RawMessage }
	if json.Unmarshal([]byte(text), &set) != nil {
		return nil, errors.New("is no JSON Web Key")
	}
	if set.Keys == nil {
		one, err := webKey([]byte(text))
		return []key{one}, err
	}
	var all []key
	for _, raw := range set.Keys { // a set may hold keys of kinds that nobody here knows
		if one, err := webKey(raw); err == nil {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("is a set without a usable key")
	}
	return all, nil
}

func webKey(raw []byte) (key, error) {
	var k jose.JSONWebKey
	if err := k.UnmarshalJSON(raw); err != nil || !k.Valid() {
		return key{}, errors.New("is no valid JSON Web Key")
	}
	var more struct {
		Use       string `json:"use"`
		ExpiredAt *int64 `json:"expired_at"` // Plaid's: since when a key counts no more
	}
	switch {
	case json.Unmarshal(raw, &more) != nil:
		return key{}, errors.New("is no valid JSON Web Key")
	case !k.IsPublic():
		return key{}, errors.New("is no public key; a receiver needs the public one")
	case more.Use != "" && more.Use != "sig":
		return key{}, errors.New("is no key for signatures")
	}
	out := key{id: k.KeyID, alg: k.Algorithm, value: k.Key}
	if more.ExpiredAt != nil {
		out.until = time.Unix(*more.ExpiredAt, 0)
	}
	return out, nil
}

// Sign implements signature.JWS.
func (JWS) Sign(alg string, k signature.JWSKey, payload []byte) (string, error) {
	var value any = secret(k.Bytes)
	options := (&jose.SignerOptions{}).WithType("JWT")
	switch {
	case k.Bytes != nil:
	case strings.HasPrefix(k.Text, "{"):
		var own jose.JSONWebKey
		if err := own.UnmarshalJSON([]byte(k.Text)); err != nil || own.IsPublic() {
			return "", fmt.Errorf("key %s: is no private JSON Web Key", k.Name)
		}
		value = own.Key
		if own.KeyID != "" {
			options = options.WithHeader("kid", own.KeyID)
		}
	default:
		private, err := signature.ParsePrivateKey(k.Text)
		if err != nil {
			return "", fmt.Errorf("key %s: %w", k.Name, err)
		}
		value = private
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(alg), Key: value}, options)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return signed.CompactSerialize()
}
