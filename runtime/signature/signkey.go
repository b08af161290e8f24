package signature

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// sum computes the signature of the text. Where several spellings of the URL
// count, it is over the first.
func (g *signer) sum(c *content, sg *signed) ([]byte, error) {
	s := g.scheme
	switch s.Type {
	case "hmac", "digest":
		v, err := compilers[s.Type](s, []string{g.key})
		if err != nil {
			return nil, err
		}
		k := v.(*hashVerifier).keys[0]
		m := k.pool.Get().(*mac)
		return m.compute(c, k.text, g.r, sg, sg.urls[0]), nil
	}
	private, err := ParsePrivateKey(g.key)
	if err != nil {
		return nil, fmt.Errorf("key %w", err)
	}
	v := publicVerifier{scheme: s, content: *c}
	if s.Type != "ed25519" {
		v.hash = hashIDs[s.Hash]
	}
	text := v.digest(g.r, sg, sg.urls[0])
	if err := fits(s, private.Public()); err != nil {
		return nil, fmt.Errorf("key %w", err)
	}
	if k, ok := private.(*ecdsa.PrivateKey); ok && s.Form == "p1363" {
		return signP1363(k, text)
	}
	var options crypto.SignerOpts = v.hash
	if s.Padding == "pss" {
		options = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: v.hash}
	}
	return private.Sign(rand.Reader, text, options)
}

func signP1363(k *ecdsa.PrivateKey, digest []byte) ([]byte, error) {
	r, s, err := ecdsa.Sign(rand.Reader, k, digest)
	if err != nil {
		return nil, err
	}
	size := (k.Curve.Params().BitSize + 7) / 8
	out := make([]byte, 2*size)
	r.FillBytes(out[:size])
	s.FillBytes(out[size:])
	return out, nil
}

// token makes a token with the declared claims and the first algorithm.
func (g *signer) token() (string, error) {
	s := g.scheme
	if s.JWS == nil || len(s.Algs) == 0 {
		return "", errors.New("type jwt needs Scheme.JWS and its algorithms")
	}
	keys, err := jwsKeys(s, []string{g.key})
	if err != nil {
		return "", err
	}
	payload, err := g.claims()
	if err != nil {
		return "", err
	}
	return s.JWS.Sign(s.Algs[0], keys[0], payload)
}

func (g *signer) claims() ([]byte, error) {
	c, claims := g.scheme.Claims, map[string]any{}
	for _, e := range c.Equals {
		claims[e.Name] = e.Value
	}
	at := g.now.Unix()
	if c.NotBefore {
		claims["nbf"] = at
	}
	if c.Expires {
		claims["exp"] = at + 60
	}
	if c.MaxAge != nil {
		claims[c.MaxAge.Claim] = at
	}
	var err error
	if h := c.URLHash; h != nil {
		if claims[h.Claim], err = h.of([]byte(g.r.URL)); err != nil {
			return nil, err
		}
	}
	if h := c.BodyHash; h != nil && (len(g.r.Body) > 0 || !h.AbsentWhenEmpty) {
		if claims[h.Claim], err = h.of(g.r.Body); err != nil {
			return nil, err
		}
	}
	return json.Marshal(claims)
}

// NewKeys makes a key for tests: the text that the receiver is configured with,
// and the text that Sign takes. For secrets they are the same. Schemes without
// keys have empty ones; for any and all ask each member.
func NewKeys(s Scheme) (verify, sign string, err error) {
	switch {
	case slices.Contains(keyless, s.Type):
		return "", "", nil
	case s.Type == "basic":
		pair := "sender:" + rand.Text()
		return pair, pair, nil
	case !s.public():
		secret, err := newSecret(s.Decode)
		return secret, secret, err
	}
	private, err := newPrivate(s)
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	sign = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	if s.Decode.Encoding == "x509-pem" {
		verify, err = certificate(private)
	} else {
		verify, err = publicText(s.Decode.Encoding, private.Public())
	}
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	return s.Decode.StripPrefix + verify, sign, nil
}

// certificate is one of the key's own: what vouches for it is how it is had.
func certificate(private crypto.Signer) (string, error) {
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "sender"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0), KeyUsage: x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, private.Public(), private)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), nil
}

func newSecret(d Decoding) (string, error) {
	raw := []byte(rand.Text() + rand.Text())
	switch d.Encoding {
	case "base64":
		return d.StripPrefix + base64.StdEncoding.EncodeToString(raw), nil
	case "hex":
		return d.StripPrefix + hex.EncodeToString(raw), nil
	}
	return d.StripPrefix + string(raw), nil
}

func newPrivate(s Scheme) (crypto.Signer, error) {
	kind, curve := s.Type, s.Curve
	if kind == "jwt" {
		kind, curve = jwtKey(s.Algs[0])
	}
	switch kind {
	case "ed25519":
		_, private, err := ed25519.GenerateKey(rand.Reader)
		return private, err
	case "ecdsa":
		c := map[string]elliptic.Curve{"p384": elliptic.P384(), "p521": elliptic.P521()}[curve]
		if c == nil {
			c = elliptic.P256()
		}
		return ecdsa.GenerateKey(c, rand.Reader)
	default:
		return rsa.GenerateKey(rand.Reader, 2048)
	}
}

func jwtKey(alg string) (kind, curve string) {
	switch alg {
	case "EdDSA":
		return "ed25519", ""
	case "ES256", "ES384":
		return "ecdsa", "p" + alg[2:]
	case "ES512":
		return "ecdsa", "p521"
	}
	return "rsa", ""
}

func publicText(encoding string, key crypto.PublicKey) (string, error) {
	switch encoding {
	case "jwk":
		return webKeyText(key)
	case "raw-hex", "raw-base64":
		raw, err := rawText(key)
		if err != nil {
			return "", err
		}
		if encoding == "raw-hex" {
			return hex.EncodeToString(raw), nil
		}
		return base64.StdEncoding.EncodeToString(raw), nil
	}
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", err
	}
	if encoding == "spki-der-base64" {
		return base64.StdEncoding.EncodeToString(der), nil
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), nil
}

func rawText(key crypto.PublicKey) ([]byte, error) {
	switch k := key.(type) {
	case ed25519.PublicKey:
		return k, nil
	case *ecdsa.PublicKey:
		return k.Bytes()
	}
	return nil, errors.New("an RSA key has no raw form")
}

func webKeyText(key crypto.PublicKey) (string, error) {
	b64 := base64.RawURLEncoding.EncodeToString
	members := map[string]string{}
	switch k := key.(type) {
	case ed25519.PublicKey:
		members = map[string]string{"kty": "OKP", "crv": "Ed25519", "x": b64(k)}
	case *ecdsa.PublicKey:
		raw, err := k.Bytes()
		if err != nil {
			return "", err
		}
		half := len(raw) / 2
		members = map[string]string{"kty": "EC", "crv": k.Curve.Params().Name, "x": b64(raw[1 : 1+half]), "y": b64(raw[1+half:])}
	case *rsa.PublicKey:
		members = map[string]string{"kty": "RSA", "n": b64(k.N.Bytes()), "e": b64(big.NewInt(int64(k.E)).Bytes())}
	}
	text, err := json.Marshal(members)
	return string(text), err
}
