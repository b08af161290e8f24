package keys

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The forms of what is fetched.
const (
	JWK  = "jwk"      // a JSON Web Key, or a set of them
	X509 = "x509-pem" // a certificate
	PEM  = "pem"      // a public key
)

// How long keys are held where a source does not say.
const (
	defaultSetAge         = time.Hour
	defaultCertificateAge = 24 * time.Hour
)

// Source says where keys are fetched, and what is expected there.
type Source struct {
	URL   string        // fixed; "" where the request names it
	Hosts []string      // allowed where the request names it; * is one label: sns.*.amazonaws.com
	Form  string        // JWK, X509 or PEM
	Cache time.Duration // how long they are held; 0: an hour, a certificate a day
}

// Refused is why an address that a request names is not called: the request
// is not authentic. Its text does not quote the address.
type Refused struct{ Reason string }

func (e *Refused) Error() string { return e.Reason }

// Unavailable is why keys cannot be had now. The sender is not to blame.
type Unavailable struct{ Err error }

func (e *Unavailable) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *Unavailable) Unwrap() error { return e.Err }

// Check says what is wrong with a declaration.
func (s Source) Check() error {
	switch s.Form {
	case JWK, X509, PEM:
	default:
		return fmt.Errorf("keys of the form %q are not supported", s.Form)
	}
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
			return errors.New("its address is no https:// address")
		}
		return nil
	}
	if len(s.Hosts) == 0 {
		return errors.New("the request names the address, and no host is allowed")
	}
	for _, h := range s.Hosts {
		if !ValidHost(h) {
			return fmt.Errorf("%q is no host such as api.example.com or keys.*.example.com", h)
		}
	}
	return nil
}

// ValidHost reports whether a text can stand in Source.Hosts: a name whose last
// two labels are fixed, with or without a port.
func ValidHost(h string) bool {
	name, port, hasPort := strings.Cut(h, ":")
	if hasPort && (port == "" || strings.Trim(port, "0123456789") != "") {
		return false
	}
	labels := strings.Split(name, ".")
	for i, l := range labels {
		if l == "*" && i < len(labels)-2 {
			continue
		}
		if l == "" || strings.Trim(strings.ToLower(l), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return len(labels) >= 2
}

// allow checks an address that a request names.
func (s Source) allow(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > 2048:
		return &Refused{"the address of the key is malformed"}
	case u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Opaque != "":
		return &Refused{"the address of the key is no plain https:// address"}
	}
	for _, h := range s.Hosts {
		if hostFits(h, u) {
			return nil
		}
	}
	return &Refused{"the address of the key is on a host that is not allowed"}
}

func hostFits(pattern string, u *url.URL) bool {
	name, port, _ := strings.Cut(pattern, ":")
	if got := u.Port(); got != port && (port != "" || got != "443") {
		return false
	}
	want, got := strings.Split(strings.ToLower(name), "."), strings.Split(strings.ToLower(u.Hostname()), ".")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && (want[i] != "*" || got[i] == "") {
			return false
		}
	}
	return true
}

func (s Source) age() time.Duration {
	switch {
	case s.Cache > 0:
		return s.Cache
	case s.Form == JWK:
		return defaultSetAge
	default:
		return defaultCertificateAge
	}
}
