package acceptance

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/signature"
)

var errNotPublished = errors.New("the acceptance test fetches nothing from outside")

// keyring holds the keys of one run. It stands for the hosts that publish the
// public ones, and keeps the test off the network.
type keyring struct {
	receiver  map[string]string // what the receiver verifies with, by the names that it asks for
	sender    map[string]string // what signs, by the names in the schemes
	forger    map[string]string // what somebody else signs with
	published map[string]string // public keys by their addresses
}

// RoundTrip answers with a published key, and refuses every other address.
func (k *keyring) RoundTrip(r *http.Request) (*http.Response, error) {
	key, ok := k.published[r.URL.String()]
	if !ok {
		return nil, errNotPublished
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(key)), ContentLength: int64(len(key)), Request: r,
	}, nil
}

// newKeyring makes the keys of the run: a pair for each public key, whose public
// half the receiver is given, by its settings or at the address where it
// fetches it.
func (p *protocol) newKeyring() *keyring {
	p.Helper()
	k := &keyring{receiver: map[string]string{}, sender: map[string]string{}, forger: map[string]string{}, published: map[string]string{}}
	for name, secret := range p.c.Secrets {
		k.receiver[whrt.SecretName(name, p.c.Tenant)] = secret
		k.sender[name], k.forger[name] = secret, p.c.Forged[name]
	}
	for _, e := range p.c.Definition.Endpoints {
		for _, m := range leaves(e.Scheme) {
			for _, s := range m.Secrets {
				if err := k.pair(m, s.Name, p.c); err != nil {
					p.Fatalf("make the keys of %s: %v", s.Name, err)
				}
			}
		}
	}
	return k
}

func (k *keyring) pair(m signature.Scheme, name string, c Contract) error {
	if _, known := k.sender[name]; known {
		return nil
	}
	public, private, err := signature.NewKeys(m)
	if err != nil {
		return err
	}
	_, other, err := signature.NewKeys(m)
	if err != nil {
		return err
	}
	if at, fetched := c.Published[name]; fetched {
		k.published[at] = public
	} else {
		if public == private {
			return errors.New("it is a secret, and the contract gives none")
		}
		k.receiver[whrt.SecretName(name, c.Tenant)] = public
	}
	k.sender[name], k.forger[name] = private, other
	return nil
}

// of are the keys that sign for a single scheme, under the name that the
// runtime asks for: the first that still counts.
func (k *keyring) of(m signature.Scheme, forged bool, now time.Time) map[string]string {
	from := k.sender
	if forged {
		from = k.forger
	}
	for _, s := range m.Secrets {
		if s.Until.IsZero() || !now.After(s.Until) {
			return map[string]string{m.Secrets[0].Name: from[s.Name]}
		}
	}
	return nil
}
