package runtime

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/whgen/whgen/runtime/keys"
	"github.com/whgen/whgen/runtime/signature"
)

// errSecrets is why a request could not be judged: never the sender's fault.
type errSecrets struct{ err error }

func (e *errSecrets) Error() string { return e.err.Error() }
func (e *errSecrets) Unwrap() error { return e.err }

// verify judges the signature. A verdict is given where the request ends here.
func (rq *request) verify(ctx context.Context, now time.Time) (verdict, bool) {
	a := rq.endpoint.auth
	who, v, ok := rq.who()
	if !ok {
		return v, false
	}
	c, err := a.compiledFor(ctx, who, now)
	switch {
	case errors.Is(err, ErrUnknownTenant):
		return rq.stranger(now), false
	case err != nil:
		return cannotJudge(err), false
	}
	res, err := verifyProtected(c.verifier, rq.signatureRequest(), now)
	var crash *PanicError
	if errors.As(err, &crash) { // a verifier in Go: not the sender's fault
		return verdict{outcome: Failed, class: "panic", reason: "the verifier panicked", err: crash}, false
	}
	if err != nil && a.fetches() {
		// The sender may sign with a key that is newer than those we have.
		if c, ok = a.renewed(ctx, who, c, now); ok {
			res, err = verifyProtected(c.verifier, rq.signatureRequest(), now)
		}
	}
	if err != nil {
		return rq.refused(err), false
	}
	if res.Secret >= 0 && res.Secret < len(a.keys) {
		rq.seen.Secret = a.nameOf(res.Secret, who)
		rq.verifiedBy = res.Secret
	}
	rq.signedID, rq.compiled = res.SignedID, c
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

// who collects what chooses the keys of a request, before it is verified.
func (rq *request) who() (who, verdict, bool) {
	tenant, ok := rq.readTenant()
	if !ok {
		return who{}, rq.stranger(rq.at), false
	}
	w := who{tenant: tenant}
	for _, f := range rq.endpoint.auth.remotes {
		if f.from == nil {
			w.addresses = append(w.addresses, f.source.URL)
			continue
		}
		address, p := rq.address(f.from)
		if p != nil {
			return w, decided(Unauthenticated, p.reason), false
		}
		w.addresses = append(w.addresses, address)
	}
	rq.tenant, rq.seen.Tenant = tenant, tenant
	return w, verdict{}, true
}

// address reads where a request says that its key is.
func (rq *request) address(from *selector) (string, *problem) {
	if from.Kind == Body {
		if p := rq.parse(); p != nil {
			return "", p
		}
	}
	v, p := rq.read(from)
	switch {
	case p != nil:
		return "", p
	case !v.ok || v.composite():
		return "", malformed("the address of the key is missing: %s", selectorText(from.Selector))
	}
	return v.plain(), nil
}

// stranger refuses a request of a tenant that nobody knows, after the work that
// a wrong signature of a known one takes.
func (rq *request) stranger(now time.Time) verdict {
	if v := rq.endpoint.auth.decoy.Load(); v != nil {
		_, _ = verifyProtected(*v, rq.signatureRequest(), now) // whatever it says does not count
	}
	return decided(Unauthenticated, ErrUnknownTenant.Error())
}

// cannotJudge is the verdict where secrets or keys are not to be had: the
// sender did nothing wrong, and is to deliver again.
func cannotJudge(err error) verdict {
	var refused *keys.Refused
	var unavailable *keys.Unavailable
	switch {
	case errors.As(err, &refused):
		return decided(Unauthenticated, refused.Error())
	case errors.As(err, &unavailable):
		return verdict{outcome: Failed, class: "keys", reason: "the public keys cannot be had", err: &errSecrets{err}}
	}
	return verdict{outcome: Failed, class: "secrets", reason: "the secrets cannot be read", err: &errSecrets{err}}
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

// nameOf is the name of the secret that has verified.
func (a *authenticator) nameOf(i int, w who) string {
	if a.ownTenants != nil {
		return a.keys[i].Name
	}
	return SecretName(a.keys[i].Name, w.tenant)
}

// fetches reports whether keys come from addresses that are fixed.
func (a *authenticator) fetches() bool {
	return slices.ContainsFunc(a.remotes, func(r remote) bool { return r.from == nil })
}
