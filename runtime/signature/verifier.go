package signature

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Request is what a scheme may look at. Body must be the raw bytes.
type Request struct {
	Method   string
	Path     string // as on the wire, without query
	RawQuery string
	URL      string // public address with the query, for schemes that sign it
	Host     string // for schemes that sign this header
	Header   http.Header
	Body     []byte
	Remote   netip.Addr // of the sender
	// JSON gives a scalar of the body. Only schemes that name one need it.
	JSON Lookup
	// Items gives the elements of the body that a JSON Pointer with * reaches;
	// false where the body is no JSON, or the pointer does not lead anywhere.
	Items func(pointer string) ([]Lookup, bool)
	// Members gives the scalars at the root of the body in any order, nulls
	// left out; false where the body is no JSON object.
	Members func() ([]Element, bool)
	// Form gives the fields of a form body in order, false where it is none that
	// can be read. Nil: Body is read as a URL-encoded form.
	Form func() ([]Element, bool)
	// Param gives a configured value by name.
	Param func(name string) (string, bool)
}

// Lookup gives a scalar by JSON Pointer: the text of a string, else the value's
// own text; false for null, objects, lists, and what is not there.
type Lookup func(pointer string) (string, bool)

// Result is what a verified request has proven.
type Result struct {
	Secret    int       // index in Scheme.Keys; -1 where the scheme has none
	SignedID  string    // the id that was signed, "" without
	Timestamp time.Time // zero without
	Elements  []Element // of the signature list, without the signatures
}

// Element is a named element of a signature list, or a member of a body.
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
var compilers map[string]func(Scheme, []string) (Verifier, error)

func init() {
	compilers = map[string]func(Scheme, []string) (Verifier, error){
		"hmac": compileHMAC, "digest": compileDigest,
		"ed25519": compilePublic, "ecdsa": compilePublic, "rsa": compilePublic,
		"jwt":   compileJWT,
		"token": compileToken, "bearer": compileBearer, "basic": compileBasic,
		"ip": compileIP, "none": compileNone, "plugin": compilePlugin,
	}
}

// keyless are the types without secrets.
var keyless = []string{"none", "ip", "plugin"}

// publicTypes are the types whose keys are public.
func (s Scheme) public() bool {
	return s.Type == "ed25519" || s.Type == "ecdsa" || s.Type == "rsa" || s.Type == "jwt" && !symmetric(s.Algs)
}

// Compile checks a scheme and the texts of its secrets and public keys, one for
// each of s.Keys() in order. Its errors name a secret, never show one.
func Compile(s Scheme, secrets []string) (Verifier, error) {
	keys := s.Keys()
	if len(secrets) != len(keys) {
		return nil, fmt.Errorf("compile signature: %d secrets are named, %d given", len(keys), len(secrets))
	}
	if len(s.Any) > 0 || len(s.All) > 0 {
		if s.Type != "" || len(s.Any) > 0 && len(s.All) > 0 {
			return nil, errors.New("compile signature: several schemes stand alone")
		}
		return compileSeveral(s, secrets)
	}
	compile, ok := compilers[s.Type]
	if !ok {
		return nil, fmt.Errorf("signature type %q is not supported", s.Type)
	}
	if len(keys) == 0 && !slices.Contains(keyless, s.Type) {
		return nil, fmt.Errorf("signature type %q needs a secret or a public key", s.Type)
	}
	for i, text := range secrets {
		if s.public() {
			text = strings.TrimSpace(text) // PEM ends with a line end
		}
		if err := checkText(text); err != nil {
			return nil, fmt.Errorf("secret %s: %w", keys[i].Name, err)
		}
	}
	if err := checkScheme(s); err != nil {
		return nil, fmt.Errorf("compile signature: %w", err)
	}
	return compile(s, secrets)
}

func compilePlugin(s Scheme, _ []string) (Verifier, error) {
	if s.Verifier == nil {
		return nil, fmt.Errorf("no verifier %q is given", s.Plugin)
	}
	return s.Verifier, nil
}

// active reports whether secret i of s counts at now.
func active(s Scheme, i int, now time.Time) bool {
	until := s.Secrets[i].Until
	return until.IsZero() || !now.After(until)
}
