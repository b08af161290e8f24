package signature

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"fmt"
	"math/big"
	"time"
)

// publicVerifier is the one of "ed25519", "ecdsa" and "rsa".
type publicVerifier struct {
	scheme  Scheme
	content content
	hash    crypto.Hash // of ecdsa and rsa
	keys    []crypto.PublicKey
	index   []int // of the declared key that each belongs to
}

func compilePublic(s Scheme, texts []string) (Verifier, error) {
	v := &publicVerifier{scheme: prepared(s)}
	v.content = compileContent(v.scheme.Content, s.URLNormalize)
	if s.Type != "ed25519" {
		h, ok := hashIDs[s.Hash]
		if !ok {
			return nil, fmt.Errorf("compile signature: hash %q is not supported for %s", s.Hash, s.Type)
		}
		v.hash = h
	}
	for i, text := range texts {
		keys, err := publicKeys(s, text)
		if err != nil {
			return nil, fmt.Errorf("public key %s: %w", s.Secrets[i].Name, err)
		}
		for _, k := range keys {
			v.keys, v.index = append(v.keys, k), append(v.index, i)
		}
	}
	return v, nil
}

var hashIDs = map[string]crypto.Hash{
	"": crypto.SHA256, "sha1": crypto.SHA1, "sha256": crypto.SHA256, "sha384": crypto.SHA384, "sha512": crypto.SHA512,
}

func (v *publicVerifier) Verify(r *Request, now time.Time) (Result, error) {
	return verifySigned(v, &v.scheme, r, now)
}

// message collects the signed text.
type message struct{ bytes []byte }

func (m *message) Write(p []byte) (int, error) {
	m.bytes = append(m.bytes, p...)
	return len(p), nil
}

func (m *message) text(s string) { m.bytes = append(m.bytes, s...) }

func (v *publicVerifier) match(d *reader, offers []string, now time.Time) (int, signed, *Error) {
	sg, err := d.signed(&v.scheme, &v.content)
	if err != nil {
		return -1, sg, err
	}
	var given [][]byte
	for _, text := range offers {
		if sig, ok := decodeBytes(v.scheme.Encoding, v.scheme.AnyCase, text); ok {
			given = append(given, sig)
		}
	}
	for _, url := range sg.urls {
		text := v.digest(d.r, &sg, url)
		for i, key := range v.keys {
			for _, sig := range given {
				if active(v.scheme, v.index[i], now) && v.check(key, text, sig) {
					return v.index[i], sg, nil
				}
			}
		}
	}
	return -1, sg, nil
}

// digest is what the key signs: the text itself for ed25519, else its hash.
func (v *publicVerifier) digest(r *Request, sg *signed, url string) []byte {
	m := &message{bytes: make([]byte, 0, len(r.Body)+256)}
	v.content.write(m, r, sg, url, "")
	if v.hash == 0 {
		return m.bytes
	}
	h := v.hash.New()
	h.Write(m.bytes)
	return h.Sum(nil)
}

// check verifies one signature. What it compares is public: no time is kept
// constant here.
func (v *publicVerifier) check(key crypto.PublicKey, text, sig []byte) bool {
	switch k := key.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(k, text, sig)
	case *ecdsa.PublicKey:
		if v.scheme.Form == "p1363" {
			return verifyP1363(k, text, sig)
		}
		return ecdsa.VerifyASN1(k, text, sig)
	case *rsa.PublicKey:
		if v.scheme.Padding == "pss" {
			return rsa.VerifyPSS(k, v.hash, text, sig, nil) == nil
		}
		return rsa.VerifyPKCS1v15(k, v.hash, text, sig) == nil
	}
	return false
}

// verifyP1363 takes r and s at the fixed length of the curve (IEEE P1363).
func verifyP1363(k *ecdsa.PublicKey, digest, sig []byte) bool {
	size := (k.Curve.Params().BitSize + 7) / 8
	if len(sig) != 2*size {
		return false
	}
	return ecdsa.Verify(k, digest, new(big.Int).SetBytes(sig[:size]), new(big.Int).SetBytes(sig[size:]))
}
