package jose

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"hash"

	"github.com/go-jose/go-jose/v4"
)

// secret computes HMACs of any key length. The library itself demands keys as
// long as the hash (RFC 7518, 3.2), but it is the sender's users who choose
// these secrets, and a short one is still the one that verifies.
type secret []byte

func (s secret) sum(payload []byte, alg jose.SignatureAlgorithm) ([]byte, error) {
	start := map[jose.SignatureAlgorithm]func() hash.Hash{jose.HS256: sha256.New, jose.HS384: sha512.New384, jose.HS512: sha512.New}[alg]
	if start == nil {
		return nil, errors.New("the algorithm is no HMAC")
	}
	h := hmac.New(start, s)
	h.Write(payload)
	return h.Sum(nil), nil
}

// VerifyPayload implements jose.OpaqueVerifier, in constant time.
func (s secret) VerifyPayload(payload, signature []byte, alg jose.SignatureAlgorithm) error {
	want, err := s.sum(payload, alg)
	if err != nil {
		return err
	}
	if !hmac.Equal(want, signature) {
		return errors.New("the signature does not match")
	}
	return nil
}

// SignPayload implements jose.OpaqueSigner.
func (s secret) SignPayload(payload []byte, alg jose.SignatureAlgorithm) ([]byte, error) {
	return s.sum(payload, alg)
}

// Public implements jose.OpaqueSigner: there is no public half.
func (s secret) Public() *jose.JSONWebKey { return nil }

// Algs implements jose.OpaqueSigner.
func (s secret) Algs() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.HS256, jose.HS384, jose.HS512}
}
