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
// private one has a name of its own.
func (s *signer) keys(declared *spec.Scheme) (map[string]string, error) {
	keys := map[string]string{}
	for _, one := range append([]*spec.Scheme{declared}, declared.Members()...) {
		var missing []string
		for _, secret := range one.Secrets {
			if !secret.Until.IsZero() && s.now().After(secret.Until) {
				continue
			}
			name := s.nameOf(secret)
			if one.PublicKeys() {
				name += PrivateSuffix
			}
			if s.options.WrongSecret && !one.PublicKeys() {
				keys[one.Secrets[0].Name], missing = wrongSecret(one), nil
				break
			}
			if text, ok := s.secret(name); ok && text != "" {
				if s.options.WrongSecret {
					wrong, err := wrongKey(text)
					if err != nil {
						return nil, err
					}
					text = wrong
				}
				keys[one.Secrets[0].Name], missing = text, nil
				break
			}
			missing = append(missing, name)
		}
		if len(missing) > 0 && len(declared.Any) == 0 {
			return nil, fmt.Errorf("sign the delivery: set the environment variable %s to the %s", strings.Join(missing, " or "), wanted(one))
		}
	}
	if len(declared.Any) > 0 {
		return keys, anyKey(declared, keys)
	}
	return keys, nil
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

// anyKey demands a key for the first member of any: that one signs.
func anyKey(s *spec.Scheme, keys map[string]string) error {
	first := s.Any[0]
	if len(first.Secrets) == 0 || keys[first.Secrets[0].Name] != "" {
		return nil
	}
	return fmt.Errorf("sign the delivery: set the environment variable %s to the %s", first.Secrets[0].Name, wanted(first))
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
