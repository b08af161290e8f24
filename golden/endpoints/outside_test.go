package endpoints_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func mac(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secrets[secret]))
	h.Write([]byte(text))
	return h.Sum(nil)
}

func hexMAC(secret, text string) string { return hex.EncodeToString(mac(secret, text)) }

func base64MAC(secret, text string) string {
	return base64.StdEncoding.EncodeToString(mac(secret, text))
}

// outside is the sender as far as public keys go: it signs, and publishes a set
// and a certificate. It stands in for the network.
type outside struct {
	testing *testing.T
	mu      sync.Mutex
	ed      ed25519.PrivateKey
	ec      *ecdsa.PrivateKey
	calls   atomic.Int64
	down    atomic.Bool
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	o := &outside{testing: t, ec: ec}
	o.rotate()
	return o
}

// rotate makes a new key and forgets the old one.
func (o *outside) rotate() {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		o.testing.Fatal(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ed = key
}

func (o *outside) ed25519(text string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return base64.StdEncoding.EncodeToString(ed25519.Sign(o.ed, []byte(text)))
}

func (o *outside) ecdsa(text string) string {
	sum := sha256.Sum256([]byte(text))
	sig, err := ecdsa.SignASN1(rand.Reader, o.ec, sum[:])
	if err != nil {
		o.testing.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(sig)
}

// RoundTrip answers what the receiver fetches.
func (o *outside) RoundTrip(r *http.Request) (*http.Response, error) {
	o.calls.Add(1)
	status, text := 200, ""
	switch {
	case o.down.Load():
		status = 503
	case r.URL.Host == "keys.hub.example":
		o.mu.Lock()
		x := base64.RawURLEncoding.EncodeToString(o.ed.Public().(ed25519.PublicKey))
		o.mu.Unlock()
		text = fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":%q}]}`, x)
	default:
		text = o.certificate()
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

func (o *outside) certificate() string {
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, o.ec.Public(), o.ec)
	if err != nil {
		o.testing.Error(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
