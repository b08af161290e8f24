package runtime

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/whgen/whgen/runtime/keys"
	"github.com/whgen/whgen/runtime/signature"
)

const (
	providerLimit              = 5 * time.Second  // of one reading that is for others too
	tenantAge                  = 30 * time.Second // how long what a provider said of a tenant holds
	knownAtMost, unknownAtMost = 10_000, 4_000
)

// authenticator is an endpoint's scheme with the secrets and keys of the moment.
type authenticator struct {
	scheme     signature.Scheme
	keys       []signature.Secret // of the scheme, in the order in which it counts them
	secrets    Secrets
	ownTenants TenantSecrets // nil where tenants stand in names
	remotes    []remote
	fetcher    *keys.Fetcher
	age        time.Duration // how long secrets hold; below zero: for ever, 0: for one request
	warn       func(context.Context, Warning)

	only    slot           // without tenants, and without keys that a request names
	several *recent[*slot] // nil without; by who.text
	unknown *recent[time.Time]
	decoy   atomic.Pointer[signature.Verifier] // for requests of unknown tenants
}

// remote is a key that is fetched.
type remote struct {
	index  int // in keys
	source keys.Source
	from   *selector // where the request names the address; nil: source.URL
}

// who chooses the secrets and keys of a request.
type who struct {
	tenant    string
	addresses []string // of the remotes, in order
}

func (w who) text() string {
	t := w.tenant
	for _, a := range w.addresses {
		t += "\x00" + a
	}
	return t
}

// slot holds what was compiled for one who.
type slot struct {
	reading sync.Mutex
	held    atomic.Pointer[compiledScheme]
}

// compiledScheme is a scheme with its secrets; values are never changed.
type compiledScheme struct {
	values   []string
	verifier signature.Verifier
	read     time.Time // when the secrets were read, by the receiver's clock
	doubted  error     // why the last reading did not replace them
}

// newAuthenticator reads the secrets once and compiles the scheme: what is
// wrong with them shows at start, by name, and never their values. With tenants
// it does so for those that the provider can list.
func newAuthenticator(ctx context.Context, a *authenticator, tenants bool, now time.Time) error {
	a.age = -1
	if r, ok := a.secrets.(Rereading); ok {
		a.age = r.Reread()
	}
	if tenants {
		a.ownTenants, _ = a.secrets.(TenantSecrets)
		if a.age < 0 {
			a.age = tenantAge
		}
		a.unknown = newRecent[time.Time](unknownAtMost)
	}
	if _, ok := a.secrets.(Dynamic); ok {
		a.age = 0
	}
	if tenants || slices.ContainsFunc(a.remotes, func(r remote) bool { return r.from != nil }) {
		a.several = newRecent[*slot](knownAtMost)
	}
	if tenants {
		a.makeDecoy()
		return a.checkTenants(ctx, now)
	}
	return a.checkOnly(ctx, now)
}

// checkOnly is the check at start without tenants. Fetched keys are only asked
// for: their host may be back when the first delivery comes.
func (a *authenticator) checkOnly(ctx context.Context, now time.Time) error {
	if len(a.remotes) > 0 {
		a.fetchAhead(ctx, now)
		return a.checkSecrets(ctx)
	}
	c, err := a.compiledFor(ctx, who{}, now)
	switch {
	case err != nil && a.age == 0: // it may be back when the first delivery comes
		a.warn(ctx, Warning{Text: "the secrets cannot be read now", Err: err})
		return nil
	case err != nil:
		return err
	}
	a.doubts(ctx, who{}, c.values)
	return nil
}

// fetchAhead fetches the keys whose addresses are fixed, while the receiver
// starts.
func (a *authenticator) fetchAhead(ctx context.Context, now time.Time) {
	ctx = context.WithoutCancel(ctx)
	for _, r := range a.remotes {
		if r.from != nil {
			continue
		}
		go func() {
			if _, err := a.fetcher.Get(ctx, r.source, r.source.URL, now); err != nil {
				a.warn(ctx, Warning{Setting: a.keys[r.index].Name, Text: "the public keys cannot be had now", Err: err})
			}
		}()
	}
}

// checkSecrets reads the secrets that do not depend on the request.
func (a *authenticator) checkSecrets(ctx context.Context) error {
	values, err := a.read(ctx, who{})
	if err != nil && a.age == 0 {
		a.warn(ctx, Warning{Text: "the secrets cannot be read now", Err: err})
		return nil
	}
	if err != nil {
		return err
	}
	a.doubts(ctx, who{}, values)
	return nil
}

// checkTenants checks the secrets of all tenants that the provider can list.
func (a *authenticator) checkTenants(ctx context.Context, now time.Time) error {
	lister, ok := a.secrets.(TenantLister)
	if !ok || a.ownTenants != nil || len(a.remotes) > 0 {
		return nil
	}
	var problems []error
	seen := map[string]bool{}
	for _, k := range a.keys {
		tenants, err := lister.Tenants(ctx, k.Name)
		if err != nil {
			return fmt.Errorf("list the tenants of secret %s: %w", k.Name, err)
		}
		for _, t := range tenants {
			if seen[t] {
				continue
			}
			seen[t] = true
			c, err := a.compiledFor(ctx, who{tenant: t}, now)
			if err != nil {
				problems = append(problems, fmt.Errorf("tenant %s: %w", t, err))
				continue
			}
			a.doubts(ctx, who{tenant: t}, c.values)
		}
	}
	if len(seen) == 0 {
		a.warn(ctx, Warning{Text: "no tenant has a secret yet: every delivery will be unauthenticated"})
	}
	return errors.Join(problems...)
}

func (a *authenticator) doubts(ctx context.Context, w who, values []string) {
	for i, text := range values {
		if slices.ContainsFunc(a.remotes, func(r remote) bool { return r.index == i }) {
			continue
		}
		for _, doubt := range signature.Doubts(text) {
			a.warn(ctx, Warning{Setting: a.nameOf(i, w), Text: "the secret " + doubt})
		}
	}
}

// makeDecoy compiles the scheme with secrets that nobody has. Where that is not
// possible (public keys), the first tenant's verifier will do.
func (a *authenticator) makeDecoy() {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	for _, text := range []string{hex.EncodeToString(random[:]), "u:" + hex.EncodeToString(random[:])} {
		texts := make([]string, len(a.keys))
		for i := range texts {
			texts[i] = text
		}
		if v, err := signature.Compile(a.scheme, texts); err == nil {
			a.decoy.Store(&v)
			return
		}
	}
}

// compiledFor gives the scheme with the secrets and keys that hold at now. An
// error is ErrUnknownTenant, of package keys, or of the provider.
func (a *authenticator) compiledFor(ctx context.Context, w who, now time.Time) (*compiledScheme, error) {
	s, err := a.slot(w, now)
	if err != nil {
		return nil, err
	}
	c := s.held.Load()
	if c == nil || a.stale(c, now) {
		if c, err = a.reread(ctx, s, w, now); err != nil {
			return nil, err
		}
	}
	if len(a.remotes) == 0 {
		return c, nil
	}
	return a.withFetched(ctx, s, c, w, now)
}

// slot finds what is held for w. A tenant that was found to be unknown is so
// for as long as a known one's secrets hold.
func (a *authenticator) slot(w who, now time.Time) (*slot, error) {
	if a.several == nil {
		return &a.only, nil
	}
	if a.unknown != nil {
		if since, ok := a.unknown.get(w.tenant); ok && within(now, since, a.age) {
			return nil, ErrUnknownTenant
		}
	}
	return a.several.getOr(w.text(), func() *slot { return new(slot) }), nil
}

func within(now, since time.Time, age time.Duration) bool {
	d := now.Sub(since)
	return age < 0 || d >= 0 && d < age
}

func (a *authenticator) stale(c *compiledScheme, now time.Time) bool {
	return !within(now, c.read, a.age)
}

// reread asks the provider again. One request does it at a time, where the
// others can go on with what is held. What cannot be read, or is not valid,
// does not replace what is held, unless the provider is Dynamic.
func (a *authenticator) reread(ctx context.Context, s *slot, w who, now time.Time) (*compiledScheme, error) {
	if a.age != 0 {
		if held := s.held.Load(); held != nil {
			if !s.reading.TryLock() {
				return held, nil
			}
		} else {
			s.reading.Lock()
		}
		defer s.reading.Unlock()
	}
	held := s.held.Load()
	if held != nil && a.age != 0 && !a.stale(held, now) {
		return held, nil // another one has just done it
	}
	asked := ctx
	if a.age != 0 { // what is read is for others too: a sender that hangs up must not spoil it
		var cancel context.CancelFunc
		asked, cancel = context.WithTimeout(context.WithoutCancel(ctx), providerLimit)
		defer cancel()
	}
	c, err := a.readAndCompile(asked, held, w, now)
	switch {
	case errors.Is(err, ErrUnknownTenant):
		a.unknown.put(w.tenant, now)
		a.several.drop(w.text())
		return nil, err
	case err != nil && (held == nil || a.age == 0):
		return nil, err
	case err != nil:
		c = a.keepHeld(ctx, held, now, err)
	}
	s.held.Store(c)
	return c, nil
}

// keepHeld stays with what is held, and says so once for each reason.
func (a *authenticator) keepHeld(ctx context.Context, held *compiledScheme, now time.Time, err error) *compiledScheme {
	c := *held
	c.read, c.doubted = now, err
	if held.doubted == nil || held.doubted.Error() != err.Error() {
		a.warn(ctx, Warning{Text: "the secrets cannot be read again; those of before stay in force", Err: err})
	}
	return &c
}

func (a *authenticator) readAndCompile(ctx context.Context, held *compiledScheme, w who, now time.Time) (*compiledScheme, error) {
	values, err := a.read(ctx, w)
	if err != nil {
		return nil, err
	}
	if held != nil && a.sameSecrets(held.values, values) {
		return &compiledScheme{values: held.values, verifier: held.verifier, read: now}, nil
	}
	if len(a.remotes) > 0 { // compiled when their texts are there
		return &compiledScheme{values: values, read: now}, nil
	}
	return a.compile(values, w, now)
}

// sameSecrets compares two lists, fetched keys left aside.
func (a *authenticator) sameSecrets(held, fresh []string) bool {
	for i := range fresh {
		if held[i] != fresh[i] && !a.isRemote(i) {
			return false
		}
	}
	return true
}

func (a *authenticator) isRemote(i int) bool {
	return slices.ContainsFunc(a.remotes, func(r remote) bool { return r.index == i })
}

func (a *authenticator) compile(values []string, w who, now time.Time) (*compiledScheme, error) {
	s := a.scheme
	if w.tenant != "" && a.ownTenants == nil {
		s = named(s, w.tenant)
	}
	v, err := signature.Compile(s, values)
	if err != nil {
		return nil, err
	}
	if a.unknown != nil {
		a.decoy.CompareAndSwap(nil, &v)
	}
	return &compiledScheme{values: values, verifier: v, read: now}, nil
}

// named is a scheme whose secrets bear the names of a tenant, for errors.
func named(s signature.Scheme, tenant string) signature.Scheme {
	s.Secrets = slices.Clone(s.Secrets)
	for i := range s.Secrets {
		s.Secrets[i].Name = SecretName(s.Secrets[i].Name, tenant)
	}
	return s
}

// read asks the provider for every secret of the scheme; fetched keys are left
// empty.
func (a *authenticator) read(ctx context.Context, w who) (values []string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("read secrets: the provider panicked: %T", v)
		}
	}()
	values = make([]string, len(a.keys))
	for i, k := range a.keys {
		if a.isRemote(i) {
			continue
		}
		if values[i], err = a.readOne(ctx, k.Name, w); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (a *authenticator) readOne(ctx context.Context, name string, w who) (string, error) {
	var v string
	var err error
	if a.ownTenants != nil {
		v, err = a.ownTenants.TenantSecret(ctx, w.tenant, name)
	} else {
		tenant := name != SecretName(name, "")
		name = SecretName(name, w.tenant)
		v, err = a.secrets.Secret(ctx, name)
		if tenant && errors.Is(err, ErrNoSecret) {
			return "", ErrUnknownTenant
		}
	}
	if err != nil {
		return "", fmt.Errorf("read secret %s: %w", name, err)
	}
	return v, nil
}

// withFetched puts the texts of fetched keys to the secrets, and compiles where
// one of them is new.
func (a *authenticator) withFetched(ctx context.Context, s *slot, c *compiledScheme, w who, now time.Time) (*compiledScheme, error) {
	values := slices.Clone(c.values)
	for i, r := range a.remotes {
		text, err := a.fetcher.Get(ctx, r.source, w.addresses[i], now)
		if err != nil {
			return nil, fmt.Errorf("public key %s: %w", a.keys[r.index].Name, err)
		}
		values[r.index] = text
	}
	if c.verifier != nil && slices.Equal(values, c.values) {
		return c, nil
	}
	fresh, err := a.compile(values, w, c.read)
	if err != nil {
		return nil, &keys.Unavailable{Err: err}
	}
	s.held.Store(fresh)
	return fresh, nil
}

// renewed fetches fixed addresses again, as often as the fetcher allows. It is
// false where that brought nothing new.
func (a *authenticator) renewed(ctx context.Context, w who, c *compiledScheme, now time.Time) (*compiledScheme, bool) {
	fresh := false
	for i, r := range a.remotes {
		if r.from != nil {
			continue
		}
		text, err := a.fetcher.Renew(ctx, r.source, w.addresses[i], now)
		fresh = fresh || err == nil && text != c.values[r.index]
	}
	if !fresh {
		return c, false
	}
	n, err := a.compiledFor(ctx, w, now)
	return n, err == nil
}
