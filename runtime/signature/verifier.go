package signature

import (
	"fmt"
	"net/http"
	"time"
)

// Request is what a scheme may look at. Body must be the raw bytes.
type Request struct {
	Method   string
	Path     string // as on the wire, without query
	RawQuery string
	URL      string // public address, for schemes that sign it
	Header   http.Header
	Body     []byte
	// JSON gives a scalar of the body by JSON Pointer: the text of a string,
	// else the value's own text. Only schemes that name one need it.
	JSON func(pointer string) (string, bool)
	// Form gives the values of a field of a form body, false where the body is
	// none that can be read. Nil: Body is read as a URL-encoded form.
	Form func(name string) ([]string, bool)
	// Param gives a configured value by name.
	Param func(name string) (string, bool)
}

// Result is what a verified request has proven.
type Result struct {
	Secret    int       // index in Scheme.Secrets; -1 where the scheme has none
	SignedID  string    // the id that was signed, "" without
	Timestamp time.Time // zero without
	Elements  []Element // of the signature list, without the signatures
}

// Element is a named element of a signature list.
type Element struct{ Name, Value string }

// Kind says how a request failed.
type Kind int

// Missing: what the scheme needs is not there. Malformed: it is written in a
// way the scheme does not allow, or more than once. Mismatch: nothing matches.
// Expired: signed correctly, but at a time out of tolerance.
const (
	Missing Kind = iota
	Malformed
	Mismatch
	Expired
)

// Error says why a request is not authentic. Its text names places, never values.
type Error struct {
	Kind   Kind
	Reason string
	Offset time.Duration // Expired: receiver's time minus signed time
}

func (e *Error) Error() string { return e.Reason }

func fail(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Reason: fmt.Sprintf(format, args...)}
}

// Verifier checks requests against one compiled scheme. It is safe for
// concurrent use, compares in constant time, and tries every active secret. A
// failed check gives an *Error.
type Verifier interface {
	Verify(r *Request, now time.Time) (Result, error)
}

// compilers is the seam for further schemes: one entry each.
var compilers = map[string]func(Scheme, []string) (Verifier, error){
	"hmac":   compileHMAC,
	"token":  compileToken,
	"bearer": compileBearer,
	"basic":  compileBasic,
	"none":   compileNone,
}

// signers is the inverse, for Sign.
var signers = map[string]func(Scheme, string, *Request, time.Time) error{
	"hmac":   signHMAC,
	"token":  signToken,
	"bearer": signBearer,
	"basic":  signBasic,
	"none":   func(Scheme, string, *Request, time.Time) error { return nil },
}

// Compile checks a scheme and the texts of its secrets, one for each of
// s.Secrets in order. Its errors name a secret, never show one.
func Compile(s Scheme, secrets []string) (Verifier, error) {
	compile, ok := compilers[s.Type]
	if !ok {
		return nil, fmt.Errorf("signature type %q is not supported", s.Type)
	}
	if len(secrets) != len(s.Secrets) {
		return nil, fmt.Errorf("compile signature: %d secrets are named, %d given", len(s.Secrets), len(secrets))
	}
	if s.Type != "none" && len(secrets) == 0 {
		return nil, fmt.Errorf("signature type %q needs a secret", s.Type)
	}
	for i, text := range secrets {
		if err := checkText(text); err != nil {
			return nil, fmt.Errorf("secret %s: %w", s.Secrets[i].Name, err)
		}
	}
	if err := checkScheme(s); err != nil {
		return nil, fmt.Errorf("compile signature: %w", err)
	}
	return compile(s, secrets)
}

// Sign does what the sender does: it adds signature, and timestamp where the
// scheme has one, to the request's header or query, made at now. An id that is
// signed must be there already. Values that stand inside the body cannot be
// added; there Sign only checks that the secret is in its place.
func Sign(s Scheme, secret string, r *Request, now time.Time) error {
	sign, ok := signers[s.Type]
	if !ok {
		return fmt.Errorf("signature type %q is not supported", s.Type)
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	return sign(s, secret, r, now)
}

// active reports whether secret i of s counts at now.
func active(s Scheme, i int, now time.Time) bool {
	until := s.Secrets[i].Until
	return until.IsZero() || !now.After(until)
}
