package keys

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/whgen/whgen/runtime/internal/dial"
)

// fetch gets what is at an address, and until when it may be held.
func fetch(ctx context.Context, client *http.Client, s Source, address string, now time.Time) (string, time.Time, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", time.Time{}, errors.New("the address of the key is malformed")
	}
	r.Header.Set("User-Agent", "whgen")
	res, err := client.Do(r)
	if err != nil {
		return "", time.Time{}, errors.New(dial.Describe(err))
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return "", time.Time{}, fmt.Errorf("the answer is %d", res.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, mostBytes+1))
	switch {
	case err != nil:
		return "", time.Time{}, errors.New(dial.Describe(err))
	case len(text) > mostBytes:
		return "", time.Time{}, fmt.Errorf("the answer has more than %d bytes", mostBytes)
	}
	ends, err := check(s.Form, text, now)
	if err != nil {
		return "", time.Time{}, err
	}
	until := now.Add(s.age())
	if !ends.IsZero() && ends.Before(until) {
		until = ends
	}
	return strings.TrimSpace(string(text)), until, nil
}

// check looks whether something is what it should be. It gives the end of a
// certificate.
func check(form string, text []byte, now time.Time) (ends time.Time, err error) {
	if form == JWK {
		return ends, checkSet(text)
	}
	block, _ := pem.Decode(text)
	switch {
	case block == nil:
		return ends, errors.New("the answer is not PEM")
	case form == PEM && block.Type == "CERTIFICATE", form == X509 && block.Type != "CERTIFICATE":
		return ends, fmt.Errorf("the answer is PEM of another kind than %s", form)
	case form == PEM:
		return ends, nil
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	switch {
	case err != nil:
		return ends, errors.New("the answer is no X.509 certificate")
	case now.Before(cert.NotBefore) || now.After(cert.NotAfter):
		return ends, errors.New("the certificate has expired or does not hold yet")
	}
	return cert.NotAfter, nil
}

// checkSet wants a key, or a set with at least one.
func checkSet(text []byte) error {
	var set struct {
		Kty  string
		Keys []struct{ Kty string }
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return errors.New("the answer is no JSON")
	}
	if set.Kty == "" && len(set.Keys) == 0 {
		return errors.New("the answer holds no JSON Web Key")
	}
	return nil
}
