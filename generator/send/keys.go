package send

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/whgen/whgen/spec"
)

// keys are the keys by the first name of each scheme, which the runtime signs
// with: the first that is set and still counts, or a wrong one in the form that
// the scheme reads. Of public keys the receiver has the public half, so the
// private one comes from a file or has a name of its own.
func (s *signer) keys(declared *spec.Scheme) (map[string]string, error) {
	keys := map[string]string{}
	for _, one := range leaves(declared) {
		if len(one.Secrets) == 0 {
			continue
		}
		text, err := s.key(one)
		if err != nil {
			return nil, err
		}
		keys[one.Secrets[0].Name] = text
	}
	return keys, nil
}

// leaves are the schemes of all, or the scheme itself.
func leaves(s *spec.Scheme) []*spec.Scheme {
	if len(s.Members()) == 0 {
		return []*spec.Scheme{s}
	}
	return s.Members()
}

// key is what signs for a single scheme.
func (s *signer) key(one *spec.Scheme) (string, error) {
	if s.options.WrongSecret && !one.PublicKeys() {
		return wrongSecret(one), nil
	}
	var missing []string
	for _, secret := range one.Secrets {
		if !secret.Until.IsZero() && s.now().After(secret.Until) {
			continue
		}
		name := s.nameOf(secret)
		text, ok := "", false
		if one.PublicKeys() {
			text, ok = s.private(name)
			name += PrivateSuffix
		}
		if !ok {
			text, _ = s.secret(name)
		}
		switch {
		case text == "":
			missing = append(missing, name)
		case s.options.WrongSecret:
			return wrongKey(text)
		default:
			return text, nil
		}
	}
	if len(missing) == 0 {
		return "", fmt.Errorf("sign the delivery: every key of the scheme has expired, %s the last", one.Secrets[len(one.Secrets)-1].Name)
	}
	how := ""
	if one.PublicKeys() {
		how = ", or give its file with --private-key"
	}
	return "", &errNoKey{fmt.Sprintf("set the environment variable %s to the %s%s", strings.Join(missing, " or "), wanted(one), how)}
}

// errNoKey: a scheme's key is not given.
type errNoKey struct{ want string }

func (e *errNoKey) Error() string { return "sign the delivery: " + e.want }

// private is a private key that was given by --private-key, for one public key
// by its name or for the only one.
func (s *signer) private(name string) (string, bool) {
	if text, ok := s.privateKeys[name]; ok {
		return text, true
	}
	text, ok := s.privateKeys[""]
	return text, ok
}

// chosen is the scheme that signs: of any the first whose key is given.
func (s *signer) chosen(declared *spec.Scheme) (*spec.Scheme, map[string]string, error) {
	if len(declared.Any) == 0 {
		keys, err := s.keys(declared)
		return declared, keys, err
	}
	var wants []string
	for _, m := range declared.Any {
		if m.Type == "plugin" {
			continue
		}
		keys, err := s.keys(m)
		var no *errNoKey
		switch {
		case err == nil:
			return m, keys, nil
		case !errors.As(err, &no):
			return nil, nil, err
		}
		wants = append(wants, no.want)
	}
	return nil, nil, &errNoKey{"any of several schemes will do: " + strings.Join(wants, "; or ")}
}

// nameOf is a secret's name in the environment: the tenant's, in upper case
// with "_" for "-"; of a key that the receiver fetches, that of a key by name.
func (s *signer) nameOf(secret spec.Secret) string {
	if secret.Fetch != nil {
		return strings.ToUpper(s.source) + "_PUBLIC_KEY"
	}
	return strings.ReplaceAll(secret.Name, "{tenant}", strings.ReplaceAll(strings.ToUpper(s.options.Tenant), "-", "_"))
}

// PrivateSuffix follows the name of a public key to name its private half.
const PrivateSuffix = "_PRIVATE"

func wanted(s *spec.Scheme) string {
	if s.PublicKeys() {
		return "private key (PEM, PKCS #8) whose public half the receiver has"
	}
	return "receiver's secret"
}

func wrongSecret(s *spec.Scheme) string {
	text := "whgen send wrong secret 0123456789"
	switch {
	case s.Type == "basic":
		return "whgen-send:wrong-secret"
	case s.Type == "bearer" || s.Type == "token":
		return s.Decode.StripPrefix + strings.ReplaceAll(text, " ", "-")
	case s.Decode.Encoding == "base64":
		return s.Decode.StripPrefix + base64.StdEncoding.EncodeToString([]byte(text))
	case s.Decode.Encoding == "hex":
		return s.Decode.StripPrefix + hex.EncodeToString([]byte(text))
	}
	return s.Decode.StripPrefix + text
}

// wrongKey is a new private key of the same kind.
func wrongKey(text string) (string, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return "", errors.New("sign the delivery: --wrong-secret wants the private key in PEM, to make another of its kind")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", errors.New("sign the delivery: the private key is no PKCS #8")
	}
	var other any
	switch known := key.(type) {
	case *rsa.PrivateKey:
		other, err = rsa.GenerateKey(rand.Reader, max(known.N.BitLen(), 2048))
	case *ecdsa.PrivateKey:
		other, err = ecdsa.GenerateKey(known.Curve, rand.Reader)
	default:
		_, other, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		return "", fmt.Errorf("make another key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(other)
	if err != nil {
		return "", fmt.Errorf("write another key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
}
