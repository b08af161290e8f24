package signature

import (
	"crypto/hmac"
	"crypto/subtle"
	"fmt"
	"hash"
	"sync"
	"time"
)

// maxSum is the size of the largest hash, SHA-512.
const maxSum = 64

// keyed is one secret with its pool of started hashes, so that a verification
// neither derives the padded keys again nor allocates.
type keyed struct {
	text string
	pool sync.Pool // of *mac
}

// mac is a started hash with scratch space.
type mac struct {
	hash.Hash
	sum     []byte
	want    [maxSum]byte
	scratch []byte
}

func newKeyed(text string, start func() hash.Hash) *keyed {
	k := &keyed{text: text}
	k.pool.New = func() any { return &mac{Hash: start(), sum: make([]byte, 0, maxSum)} }
	return k
}

// hashVerifier is the one of "hmac" and "digest".
type hashVerifier struct {
	scheme  Scheme
	content content
	keys    []*keyed
	size    int
}

func compileHMAC(s Scheme, secrets []string) (Verifier, error) {
	h, err := newHash(s.Hash)
	if err != nil {
		return nil, fmt.Errorf("compile signature: %w", err)
	}
	return compileHash(s, secrets, h, func(key []byte) func() hash.Hash {
		return func() hash.Hash { return hmac.New(h, key) }
	})
}

// compileDigest is of a plain hash: the secret is in the text.
func compileDigest(s Scheme, secrets []string) (Verifier, error) {
	h, err := newHash(s.Hash)
	if err != nil {
		return nil, fmt.Errorf("compile signature: %w", err)
	}
	return compileHash(s, secrets, h, func([]byte) func() hash.Hash { return h })
}

func compileHash(s Scheme, secrets []string, h func() hash.Hash, start func(key []byte) func() hash.Hash) (*hashVerifier, error) {
	v := &hashVerifier{scheme: prepared(s), size: h().Size()}
	v.content = compileContent(v.scheme.Content, s.URLNormalize)
	for i, text := range secrets {
		key, err := keyBytes(s.Decode, text)
		if err != nil {
			return nil, fmt.Errorf("secret %s: %w", s.Secrets[i].Name, err)
		}
		v.keys = append(v.keys, newKeyed(string(key), start(key)))
	}
	return v, nil
}

func (v *hashVerifier) Verify(r *Request, now time.Time) (Result, error) {
	return verifySigned(v, &v.scheme, r, now)
}

// match computes the text's hash under every active secret and compares each
// with every offer, in constant time and without stopping at the first.
func (v *hashVerifier) match(d *reader, offers []string, now time.Time) (int, signed, *Error) {
	sg, err := d.signed(&v.scheme, &v.content)
	if err != nil {
		return -1, sg, err
	}
	match := -1
	for i, k := range v.keys {
		if active(v.scheme, i, now) && v.matches(k, d.r, &sg, offers) && match < 0 {
			match = i
		}
	}
	return match, sg, nil
}

func (v *hashVerifier) matches(k *keyed, r *Request, sg *signed, offers []string) bool {
	m := k.pool.Get().(*mac)
	defer k.pool.Put(m)
	equal := 0
	for _, url := range sg.urls {
		sum := m.compute(&v.content, k.text, r, sg, url)
		for _, text := range offers {
			want := m.want[:v.size]
			if decodeInto(want, v.scheme.Encoding, v.scheme.AnyCase, text) {
				equal |= subtle.ConstantTimeCompare(sum, want)
			}
		}
	}
	return equal == 1
}

// compute hashes the declared content.
func (m *mac) compute(c *content, secret string, r *Request, sg *signed, url string) []byte {
	m.Reset()
	c.write(m, r, sg, url, secret)
	m.sum = m.Sum(m.sum[:0])
	return m.sum
}

func (m *mac) text(s string) {
	m.scratch = append(m.scratch[:0], s...)
	m.Write(m.scratch)
}
