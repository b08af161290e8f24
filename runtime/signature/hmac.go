package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"strconv"
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
	hash    hash.Hash
	sum     []byte
	want    [maxSum]byte
	scratch []byte
}

func newKeyed(text string, key []byte, newHash func() hash.Hash) *keyed {
	k := &keyed{text: text}
	k.pool.New = func() any {
		return &mac{hash: hmac.New(newHash, key), sum: make([]byte, 0, maxSum)}
	}
	return k
}

type hmacVerifier struct {
	scheme Scheme
	keys   []*keyed
	size   int
}

func compileHMAC(s Scheme, secrets []string) (Verifier, error) {
	h, err := newHash(s.Hash)
	if err != nil {
		return nil, fmt.Errorf("compile signature: %w", err)
	}
	v := &hmacVerifier{scheme: prepared(s), size: h().Size()}
	for i, text := range secrets {
		key, err := keyBytes(s.Decode, text)
		if err != nil {
			return nil, fmt.Errorf("secret %s: %w", s.Secrets[i].Name, err)
		}
		v.keys = append(v.keys, newKeyed(text, key, h))
	}
	return v, nil
}

// signed is what a request offers: texts as received.
type signed struct {
	timestamp string
	at        time.Time
	id        string
	content   []string // values of Source parts, in order
}

func (v *hmacVerifier) Verify(r *Request, now time.Time) (Result, error) {
	res, err := v.verify(r, now)
	if err != nil {
		return Result{}, err
	}
	return res, nil
}

func (v *hmacVerifier) verify(r *Request, now time.Time) (Result, *Error) {
	d := reader{r: r}
	if err := d.required(v.scheme.Require); err != nil {
		return Result{}, err
	}
	var buf [4]string
	offers, err := d.signatures(&v.scheme, buf[:])
	if err != nil {
		return Result{}, err
	}
	sg, err := d.signed(&v.scheme)
	if err != nil {
		return Result{}, err
	}
	match := -1
	for i, k := range v.keys {
		if active(v.scheme, i, now) && v.matches(k, r, &sg, offers) && match < 0 {
			match = i
		}
	}
	if match < 0 {
		return Result{}, fail(Mismatch, "no signature matches")
	}
	// Freshness comes last, so that an offset of clocks is only reported for
	// what the sender has really signed.
	if t := v.scheme.Timestamp; t != nil {
		if err := t.fresh(sg.at, now); err != nil {
			return Result{}, err
		}
	}
	return Result{Secret: match, SignedID: sg.id, Timestamp: sg.at, Elements: d.elements}, nil
}

// signed reads timestamp, id and the selected parts of the content.
func (d *reader) signed(s *Scheme) (signed, *Error) {
	var sg signed
	var err *Error
	if t := s.Timestamp; t != nil {
		if sg.timestamp, err = d.one(t.From, "the signed time"); err != nil {
			return sg, err
		}
		var ok bool
		if sg.at, ok = parseTime(t.Format, sg.timestamp); !ok {
			return sg, fail(Malformed, "the signed time is not written as %s: %s", t.Format, place(t.From))
		}
	}
	if s.ID != nil {
		if sg.id, err = d.one(*s.ID, "the signed id"); err != nil {
			return sg, err
		}
	}
	for _, p := range s.Content {
		if p.Source == nil {
			continue
		}
		text, err := d.one(*p.Source, "a signed value")
		if err != nil {
			return sg, err
		}
		sg.content = append(sg.content, text)
	}
	return sg, nil
}

// matches computes the content's HMAC under k once and compares it with every
// offer, in constant time and without stopping at the first.
func (v *hmacVerifier) matches(k *keyed, r *Request, sg *signed, offers []string) bool {
	m := k.pool.Get().(*mac)
	defer k.pool.Put(m)
	sum := m.compute(&v.scheme, k.text, r, sg)
	equal := 0
	for _, text := range offers {
		want := m.want[:v.size]
		if decodeInto(want, v.scheme.Encoding, v.scheme.AnyCase, text) {
			equal |= subtle.ConstantTimeCompare(sum, want)
		}
	}
	return equal == 1
}

// compute hashes the declared content, piece by piece: the body is not copied.
func (m *mac) compute(s *Scheme, secret string, r *Request, sg *signed) []byte {
	m.hash.Reset()
	next := 0
	for i := range s.Content {
		p := &s.Content[i]
		switch {
		case p.Source != nil:
			m.text(sg.content[next])
			next++
		case p.Placeholder == "body":
			m.hash.Write(r.Body)
		case p.Placeholder == "":
			m.text(p.Text)
		default:
			m.text(placeholder(p.Placeholder, secret, r, sg))
		}
	}
	m.sum = m.hash.Sum(m.sum[:0])
	return m.sum
}

func (m *mac) text(s string) {
	m.scratch = append(m.scratch[:0], s...)
	m.hash.Write(m.scratch)
}

func placeholder(name, secret string, r *Request, sg *signed) string {
	switch name {
	case "timestamp":
		return sg.timestamp
	case "id":
		return sg.id
	case "method":
		return r.Method
	case "path":
		return r.Path
	case "url":
		return r.URL
	case "secret":
		return secret
	case "crc32:body":
		return strconv.FormatUint(uint64(crc32.ChecksumIEEE(r.Body)), 10)
	case "sha256:body":
		sum := sha256.Sum256(r.Body)
		return hex.EncodeToString(sum[:])
	}
	return ""
}

func signHMAC(s Scheme, secret string, r *Request, now time.Time) error {
	s.Secrets = []Secret{{Name: "given"}}
	v, err := Compile(s, []string{secret})
	if err != nil {
		return err
	}
	h := v.(*hmacVerifier)
	d := reader{r: r}
	if err := h.place(&d, now); err != nil {
		return err
	}
	sg, failed := d.signed(&h.scheme)
	if failed != nil {
		return fmt.Errorf("sign request: %w", failed)
	}
	m := h.keys[0].pool.Get().(*mac)
	defer h.keys[0].pool.Put(m)
	sum := encode(h.scheme.Encoding, m.compute(&h.scheme, secret, r, &sg))
	return put(r, h.scheme.From[0], h.line(sum, d.elements))
}
