package signature

import (
	"crypto/subtle"
	"slices"
	"time"
)

// matcher is a scheme that signs a text: everything but where signatures stand
// and when they were made.
type matcher interface {
	// match gives the index of the key whose signature is among the offers, -1
	// where none is.
	match(d *reader, offers []string, now time.Time) (int, signed, *Error)
}

func verifySigned(m matcher, s *Scheme, r *Request, now time.Time) (Result, error) {
	res, err := verifyPlaces(m, s, r, now)
	if err != nil {
		return Result{}, err
	}
	return res, nil
}

func verifyPlaces(m matcher, s *Scheme, r *Request, now time.Time) (Result, *Error) {
	d := reader{r: r}
	if err := d.required(s.Require); err != nil {
		return Result{}, err
	}
	if s.Items == "" {
		return d.verify(m, s, now)
	}
	if r.Items == nil {
		return Result{}, fail(Malformed, "the body has no items")
	}
	items, ok := r.Items(s.Items)
	if !ok || len(items) == 0 {
		return Result{}, fail(Malformed, "the body has no items at %s", s.Items)
	}
	first := Result{Secret: -1}
	for i, item := range items {
		d.item, d.elements = item, nil
		res, err := d.verify(m, s, now)
		if err != nil {
			return Result{}, err
		}
		if i == 0 {
			first = res
		}
	}
	return first, nil
}

// verify checks the request, or the current item of it.
func (d *reader) verify(m matcher, s *Scheme, now time.Time) (Result, *Error) {
	var buf [4]string
	offers, err := d.signatures(s, buf[:])
	if err != nil {
		return Result{}, err
	}
	match, sg, err := m.match(d, offers, now)
	if err != nil {
		return Result{}, err
	}
	if match < 0 {
		return Result{}, fail(Mismatch, "no signature matches")
	}
	if s.BodyHash != nil {
		if err := d.bodyHash(s.BodyHash); err != nil {
			return Result{}, err
		}
	}
	// Freshness comes last, so that an offset of clocks is only reported for
	// what the sender has really signed.
	if t := s.Timestamp; t != nil {
		if err := t.fresh(sg.at, now); err != nil {
			return Result{}, err
		}
	}
	return Result{Secret: match, SignedID: sg.id, Timestamp: sg.at, Elements: d.elements}, nil
}

// bodyHash compares the hash that the signed part carries with the body's own.
func (d *reader) bodyHash(h *Hashed) *Error {
	vs, err := d.values(h.From)
	switch {
	case err != nil:
		return err
	case len(vs) > 1:
		return fail(Malformed, "the hash of the body is there %d times: %s", len(vs), place(h.From))
	case len(vs) == 0 && h.AbsentWhenEmpty && len(d.r.Body) == 0:
		return nil
	case len(vs) == 0:
		return fail(Missing, "the hash of the body is missing: %s", place(h.From))
	case h.AbsentWhenEmpty && len(d.r.Body) == 0:
		return fail(Mismatch, "there is a hash of a body, but no body")
	}
	if !h.fits(vs[0], d.r.Body) {
		return fail(Mismatch, "the hash of the body differs: %s", place(h.From))
	}
	return nil
}

// fits reports whether text is the hash of data, in constant time.
func (h *Hashed) fits(text string, data []byte) bool {
	start, err := newHash(h.Hash)
	if err != nil {
		return false
	}
	digest := start()
	digest.Write(data)
	want := make([]byte, digest.Size())
	return decodeInto(want, h.Encoding, false, text) && subtle.ConstantTimeCompare(digest.Sum(nil), want) == 1
}

// severalVerifier is of Any and All.
type severalVerifier struct {
	members []Verifier
	offsets []int // of each member's first key
	all     bool
}

func compileSeveral(s Scheme, texts []string) (Verifier, error) {
	v := &severalVerifier{all: len(s.All) > 0}
	at := len(s.Secrets)
	for _, m := range s.members() {
		n := len(m.Keys())
		member, err := Compile(m, texts[at:at+n])
		if err != nil {
			return nil, err
		}
		v.members, v.offsets = append(v.members, member), append(v.offsets, at)
		at += n
	}
	return v, nil
}

// Verify asks every member, also where the first has decided.
func (v *severalVerifier) Verify(r *Request, now time.Time) (Result, error) {
	out, accepted := Result{Secret: -1}, 0
	var refusals []error
	for i, m := range v.members {
		res, err := m.Verify(r, now)
		if err != nil {
			refusals = append(refusals, err)
			continue
		}
		if res.Secret >= 0 {
			res.Secret += v.offsets[i]
		}
		if accepted++; accepted == 1 {
			out = res
			continue
		}
		if v.all {
			out = out.with(res)
		}
	}
	if v.all && len(refusals) > 0 {
		return Result{}, refusals[0]
	}
	if accepted == 0 {
		return Result{}, nearest(refusals)
	}
	return out, nil
}

// with adds what another member has proven.
func (r Result) with(o Result) Result {
	if r.Secret < 0 {
		r.Secret = o.Secret
	}
	if r.SignedID == "" {
		r.SignedID = o.SignedID
	}
	if r.Timestamp.IsZero() {
		r.Timestamp = o.Timestamp
	}
	r.Elements = slices.Concat(r.Elements, o.Elements)
	return r
}

// nearest is the refusal that came furthest: what is expired was signed, what
// mismatches was there.
func nearest(refusals []error) error {
	best, rank := refusals[0], -1
	for _, err := range refusals {
		if e, ok := err.(*Error); ok && int(e.Kind) > rank {
			best, rank = err, int(e.Kind)
		}
	}
	return best
}
