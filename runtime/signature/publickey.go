package signature

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// publicKeys reads the text of a public key, or of a set of them (jwk), for a
// scheme's type.
func publicKeys(s Scheme, text string) ([]crypto.PublicKey, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), s.Decode.StripPrefix)
	if s.Decode.Encoding == "jwk" {
		return parseJWKs(s, text)
	}
	key, err := parsePublicKey(s, text)
	if err != nil {
		return nil, err
	}
	return []crypto.PublicKey{key}, fits(s, key)
}

func parsePublicKey(s Scheme, text string) (crypto.PublicKey, error) {
	switch s.Decode.Encoding {
	case "pem", "x509-pem":
		return parsePEM(text)
	case "spki-der-base64":
		der, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, errors.New("is not base64")
		}
		return x509.ParsePKIXPublicKey(der)
	case "raw-hex":
		raw, err := hex.DecodeString(text)
		if err != nil {
			return nil, errors.New("is not hex")
		}
		return rawKey(s, raw)
	case "raw-base64":
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, errors.New("is not base64")
		}
		return rawKey(s, raw)
	default:
		return nil, fmt.Errorf("encoding %q of a public key is not supported", s.Decode.Encoding)
	}
}

// parsePEM takes a certificate, a SubjectPublicKeyInfo or a PKCS #1 public key.
// A private key is refused: it has no business in a receiver.
func parsePEM(text string) (crypto.PublicKey, error) {
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, `\n`, "\n") // as environment files write line ends
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("is not PEM")
	}
	switch block.Type {
	case "CERTIFICATE":
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, errors.New("is no X.509 certificate")
		}
		return cert.PublicKey, nil
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	}
	if strings.Contains(block.Type, "PRIVATE") {
		return nil, errors.New("is a private key; a receiver needs the public one")
	}
	return nil, fmt.Errorf("is PEM of a %s, not of a public key", strings.ToLower(block.Type))
}

func rawKey(s Scheme, raw []byte) (crypto.PublicKey, error) {
	if s.Type == "ed25519" {
		if len(raw) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("has %d bytes, not %d", len(raw), ed25519.PublicKeySize)
		}
		return ed25519.PublicKey(raw), nil
	}
	if s.Type == "ecdsa" {
		for _, c := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
			if key, err := ecdsa.ParseUncompressedPublicKey(c, raw); err == nil {
				return key, nil
			}
		}
		return nil, errors.New("is no uncompressed point of P-256, P-384 or P-521")
	}
	return nil, fmt.Errorf("a raw key is not possible for %s", s.Type)
}

// ParsePublicKey reads a public key in "pem", "x509-pem" or "spki-der-base64".
func ParsePublicKey(encoding, text string) (crypto.PublicKey, error) {
	return parsePublicKey(Scheme{Decode: Decoding{Encoding: encoding}}, strings.TrimSpace(text))
}

// ParsePrivateKey reads a private key in PEM (PKCS #8).
func ParsePrivateKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("is no private key in PEM (PKCS #8)")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("is no private key in PEM (PKCS #8)")
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("is a private key that does not sign")
	}
	return signer, nil
}

// jwk is what RFC 7517 and 7518 say of a public key.
type jwk struct {
	Kty, Crv, N, E, X, Y string
	Keys                 []json.RawMessage
}

func parseJWKs(s Scheme, text string) ([]crypto.PublicKey, error) {
	var one jwk
	if err := json.Unmarshal([]byte(text), &one); err != nil {
		return nil, errors.New("is no JSON Web Key")
	}
	if one.Keys == nil {
		key, err := one.public()
		if err != nil {
			return nil, err
		}
		return []crypto.PublicKey{key}, fits(s, key)
	}
	var all []crypto.PublicKey
	for _, raw := range one.Keys { // a set may hold keys of other kinds and uses
		var k jwk
		if json.Unmarshal(raw, &k) != nil {
			continue
		}
		if key, err := k.public(); err == nil && fits(s, key) == nil {
			all = append(all, key)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("holds no key for %s", s.Type)
	}
	return all, nil
}

func (k jwk) public() (crypto.PublicKey, error) {
	n, err1 := strictBase64URL.DecodeString(k.N)
	e, err2 := strictBase64URL.DecodeString(k.E)
	x, err3 := strictBase64URL.DecodeString(k.X)
	y, err4 := strictBase64URL.DecodeString(k.Y)
	if errors.Join(err1, err2, err3, err4) != nil {
		return nil, errors.New("has a member that is not base64url")
	}
	curves := map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}
	switch {
	case k.Kty == "RSA" && len(n) > 0 && len(e) > 0 && len(e) <= 4:
		return &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}, nil
	case k.Kty == "OKP" && k.Crv == "Ed25519" && len(x) == ed25519.PublicKeySize:
		return ed25519.PublicKey(x), nil
	case k.Kty == "EC" && curves[k.Crv] != nil:
		key, err := ecdsa.ParseUncompressedPublicKey(curves[k.Crv], append(append([]byte{4}, x...), y...))
		if err != nil {
			return nil, errors.New("is no point of its curve")
		}
		return key, nil
	}
	return nil, errors.New("is no JSON Web Key of a public key")
}

// fits says what is wrong with a key for a scheme.
func fits(s Scheme, key crypto.PublicKey) error {
	ok, curve := false, ""
	switch k := key.(type) {
	case ed25519.PublicKey:
		ok = s.Type == "ed25519"
	case *rsa.PublicKey:
		ok = s.Type == "rsa"
		if ok && k.N.BitLen() < 1024 {
			return fmt.Errorf("is an RSA key of %d bits; at least 1024 are needed", k.N.BitLen())
		}
	case *ecdsa.PublicKey:
		ok, curve = s.Type == "ecdsa", strings.ReplaceAll(strings.ToLower(k.Curve.Params().Name), "-", "")
	}
	switch {
	case !ok:
		return fmt.Errorf("is no key for %s", s.Type)
	case s.Curve != "" && s.Curve != curve:
		return fmt.Errorf("is a key on the curve %s, not %s", curve, s.Curve)
	}
	return nil
}
