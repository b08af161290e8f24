package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

// authenticator is an endpoint's scheme with the secrets of the moment.
type authenticator struct {
	scheme   signature.Scheme
	keys     []signature.Secret // of the scheme and its members
	secrets  Secrets
	dynamic  bool
	compiled atomic.Pointer[compiledScheme]
}

type compiledScheme struct {
	values   []string
	verifier signature.Verifier
}

// errSecrets is why a request could not be judged: never the sender's fault.
type errSecrets struct{ err error }

func (e *errSecrets) Error() string { return e.err.Error() }
func (e *errSecrets) Unwrap() error { return e.err }

// newAuthenticator reads the secrets once and compiles the scheme: what is
// wrong with them shows at start, by name, and never their values.
func newAuthenticator(ctx context.Context, s signature.Scheme, secrets Secrets) (*authenticator, []Warning, error) {
	a := &authenticator{scheme: s, keys: s.Keys(), secrets: secrets}
	_, a.dynamic = secrets.(Dynamic)
	values, err := a.read(ctx)
	if err != nil && a.dynamic { // it may be back when the first delivery comes
		return a, []Warning{{Text: "the secrets cannot be read now", Err: err}}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	v, err := signature.Compile(s, values)
	if err != nil {
		return nil, nil, err
	}
	a.compiled.Store(&compiledScheme{values, v})
	var warnings []Warning
	for i, text := range values {
		for _, doubt := range signature.Doubts(text) {
			warnings = append(warnings, Warning{Setting: a.keys[i].Name, Text: "the secret " + doubt})
		}
	}
	return a, warnings, nil
}

// read asks the provider for every secret of the scheme.
func (a *authenticator) read(ctx context.Context) (values []string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("read secrets: the provider panicked: %T", v)
		}
	}()
	for _, s := range a.keys {
		v, err := a.secrets.Secret(ctx, s.Name)
		if err != nil {
			return nil, fmt.Errorf("read secret %s: %w", s.Name, err)
		}
		values = append(values, v)
	}
	return values, nil
}

// verifier gives the compiled scheme, of the provider's values of now where
// they can change.
func (a *authenticator) verifier(ctx context.Context) (signature.Verifier, error) {
	c := a.compiled.Load()
	if !a.dynamic {
		return c.verifier, nil
	}
	values, err := a.read(ctx)
	if err != nil {
		return nil, err
	}
	if c != nil && slices.Equal(values, c.values) {
		return c.verifier, nil
	}
	v, err := signature.Compile(a.scheme, values)
	if err != nil {
		return nil, err
	}
	a.compiled.Store(&compiledScheme{values, v})
	return v, nil
}

// verify judges the signature. A verdict is given where the request ends here.
func (rq *request) verify(ctx context.Context, now time.Time) (verdict, bool) {
	a := rq.endpoint.auth
	v, err := a.verifier(ctx)
	if err != nil {
		return verdict{outcome: Failed, class: "secrets", reason: "the secrets cannot be read", err: &errSecrets{err}}, false
	}
	res, err := verifyProtected(v, rq.signatureRequest(), now)
	var crash *PanicError
	switch {
	case errors.As(err, &crash): // a verifier in Go: not the sender's fault
		return verdict{outcome: Failed, class: "panic", reason: "the verifier panicked", err: crash}, false
	case err != nil:
		return rq.refused(err), false
	}
	if res.Secret >= 0 && res.Secret < len(a.keys) {
		rq.seen.Secret = a.keys[res.Secret].Name
	}
	rq.signedID = res.SignedID
	return verdict{}, true
}

// verifyProtected turns a panic of a verifier in Go into an error.
func verifyProtected(v signature.Verifier, r *signature.Request, now time.Time) (res signature.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return v.Verify(r, now)
}

func (rq *request) refused(err error) verdict {
	out := decided(Unauthenticated, err.Error())
	var why *signature.Error
	if errors.As(err, &why) {
		out.offset = why.Offset
	}
	if n := rq.http.ContentLength; n >= 0 && n != int64(len(rq.wire)) {
		out.reason += "; the body has another length than declared: a middleware in front of the receiver changes it, and the signature is over the raw bytes"
	}
	return out
}
