package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/whgen/whgen/runtime/keys"
	"github.com/whgen/whgen/runtime/outbox"
	"github.com/whgen/whgen/runtime/signature"
)

// Options is what NewReceiver needs beside definition and store. The zero value reads
// secrets and settings from the environment, uses the machine's clock and
// observes nothing.
type Options struct {
	Secrets  Secrets  // nil: EnvSecrets
	Settings Settings // nil: EnvSettings
	Observer Observer // nil: NoObserver
	Clock    Clock    // nil: SystemClock
	// Senders are the senders of `call` effects by effect name; each must be there.
	Senders map[string]outbox.Sender
	// HTTPClient sends http effects; nil: one with limits of its own that
	// refuses private addresses where the contract does.
	HTTPClient *http.Client
	// PublicURL is the public address of the mount point, for schemes that sign
	// it. Empty: the setting that the contract names.
	PublicURL string
	// KeyClient fetches public keys that the contract names by address; nil: one
	// that speaks HTTPS only, follows no redirects and refuses private addresses.
	KeyClient *http.Client
	// Verifiers are the verifiers in Go that the contract's schemes of type
	// plugin name; each must be there.
	Verifiers map[string]signature.Verifier
	// TrustedProxies are the proxies whose X-Forwarded-For is believed, for
	// schemes that look at the sender's address.
	TrustedProxies []netip.Prefix
	// QueueBytes bounds the bodies of deliveries that wait for their key, in
	// this receiver. 0: 64 MiB.
	QueueBytes int64
	// MaxBatch is how many deliveries that wait at the same moment, and whose
	// effects are all declared, share a transaction at most. Nobody waits for
	// a batch to fill. 0: 64; 1: a transaction each.
	MaxBatch int
	// AnswerBytes bounds the cache of committed answers, which spares exact
	// repeats the database for a minute. 0: 16 MiB; below zero: no cache.
	AnswerBytes int64
	// NoRelay: this process sends nothing, because another one runs the relay.
	NoRelay bool
}

// Receiver takes the deliveries of one source. It is an http.Handler for any
// router, safe for concurrent use; Run works beside it.
type Receiver struct {
	def       *Definition
	store     Store
	observer  Observer
	clock     Clock
	publicURL string
	proxies   []netip.Prefix
	settings  map[string]string
	endpoints []*endpoint
	byPath    []*endpoint // the first one that fits a path is the right one
	fetcher   *keys.Fetcher
	queue     *queue
	coalescer *coalescer   // nil where every delivery has its own transaction
	answers   *answerCache // nil where nothing is remembered
	working   sync.WaitGroup
	relay     *outbox.Relay // nil where nothing is sent
	draining  atomic.Bool
}

// NewReceiver compiles a definition and verifies everything that would otherwise fail
// later: selectors, schemes, answers, secrets and settings by name, senders,
// and the database through store.Verify. Its error says all it can about what
// is wrong and never shows a value. Nothing runs until Run is called.
func NewReceiver(ctx context.Context, def Definition, store Store, o Options) (*Receiver, error) {
	r := newReceiver(&def, store, o)
	if err := r.compile(ctx, o); err != nil {
		return nil, fmt.Errorf("receiver %s: %w", def.Source, err)
	}
	if err := store.Verify(ctx); err != nil {
		return nil, fmt.Errorf("receiver %s: verify the database: %w", def.Source, err)
	}
	return r, nil
}

func newReceiver(def *Definition, store Store, o Options) *Receiver {
	r := &Receiver{
		def: def, store: store, observer: o.Observer, clock: o.Clock,
		publicURL: o.PublicURL, proxies: o.TrustedProxies, fetcher: keys.New(o.KeyClient), queue: newQueue(o.QueueBytes),
		coalescer: newCoalescer(store, o.MaxBatch), answers: newAnswerCache(o.AnswerBytes),
	}
	if r.observer == nil {
		r.observer = NoObserver{}
	}
	if r.clock == nil {
		r.clock = SystemClock()
	}
	return r
}

func (r *Receiver) compile(ctx context.Context, o Options) error {
	if r.def.Source == "" || len(r.def.Endpoints) == 0 || r.store == nil {
		return errors.New("source, endpoints and store are needed")
	}
	if o.Secrets == nil {
		o.Secrets = EnvSecrets()
	}
	if o.Settings == nil {
		o.Settings = EnvSettings()
	}
	var err error
	if r.settings, err = readSettings(ctx, r.def.Settings, o.Settings); err != nil {
		return err
	}
	if err := r.setPublicURL(); err != nil {
		return err
	}
	var problems []error
	for i := range r.def.Endpoints {
		e := &r.def.Endpoints[i]
		if err := r.addEndpoint(ctx, e, o); err != nil {
			problems = append(problems, fmt.Errorf("endpoint %q: %w", e.Name, err))
		}
	}
	r.byPath = slices.SortedStableFunc(slices.Values(r.endpoints), exactFirst)
	if err := r.buildRelay(o); err != nil {
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

func (r *Receiver) addEndpoint(ctx context.Context, e *Endpoint, o Options) error {
	c := &compiler{def: r.def, settings: r.settings}
	out, err := c.endpoint(e)
	if err != nil {
		return err
	}
	if e.Scheme.SignsURL() && r.publicURL == "" {
		return errors.New("the scheme signs the public URL, and none is given")
	}
	if err := r.compileTenant(c, out); err != nil {
		return err
	}
	if err := r.authenticate(ctx, c, out, o); err != nil {
		return err
	}
	out.slots = c.slots
	r.endpoints = append(r.endpoints, out)
	return nil
}

// authenticate makes the endpoint's authenticator.
func (r *Receiver) authenticate(ctx context.Context, c *compiler, e *endpoint, o Options) error {
	a := &authenticator{scheme: configured(e.Scheme, r.settings, o.Verifiers), secrets: o.Secrets, fetcher: r.fetcher, warn: r.warn}
	a.keys = a.scheme.Keys()
	c.items = nil // a key is named by the whole body, not by an element
	for i, k := range a.keys {
		if r.def.Tenant == nil && strings.Contains(k.Name, tenantMark) {
			return fmt.Errorf("secret %s wants a tenant, and the definition has none", k.Name)
		}
		for _, f := range e.Keys {
			if f.Name != k.Name {
				continue
			}
			one := remote{index: i, source: f.Source}
			if f.From != nil {
				from, err := c.selector(*f.From)
				if err != nil {
					return err
				}
				one.from = &from
			}
			if err := f.Source.Check(); err != nil {
				return fmt.Errorf("public key %s: %w", f.Name, err)
			}
			a.remotes = append(a.remotes, one)
		}
	}
	if len(a.remotes) != len(e.Keys) {
		return errors.New("a fetched key is none of the scheme's, or is named twice")
	}
	e.auth = a
	return newAuthenticator(ctx, a, r.def.Tenant != nil, r.clock.Now())
}

// configured fills pinned values that are a parameter, written {param:NAME},
// and the verifiers in Go.
func configured(s signature.Scheme, settings map[string]string, verifiers map[string]signature.Verifier) signature.Scheme {
	list := append([]signature.Requirement(nil), s.Require...)
	for i := range list {
		name, ok := strings.CutPrefix(list[i].Equals, "{param:")
		if v, known := settings[strings.TrimSuffix(name, "}")]; ok && known {
			list[i].Equals = v
		}
	}
	s.Require = list
	if s.Plugin != "" {
		s.Verifier = verifiers[s.Plugin]
	}
	for _, members := range []*[]signature.Scheme{&s.Any, &s.All} {
		own := append([]signature.Scheme(nil), *members...)
		for i := range own {
			own[i] = configured(own[i], settings, verifiers)
		}
		*members = own
	}
	return s
}

// setPublicURL takes the address from the options or from its setting.
func (r *Receiver) setPublicURL() error {
	name := "Options.PublicURL"
	if r.publicURL == "" && r.def.PublicURL != "" {
		name = "setting " + r.def.PublicURL
		r.publicURL = r.settings[r.def.PublicURL]
	}
	if r.publicURL == "" {
		return nil
	}
	u, err := url.Parse(r.publicURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%s is no address such as https://shop.example/webhooks", name)
	case strings.ContainsAny(r.publicURL, "?#"):
		return fmt.Errorf("%s has a query or a fragment: give the address without them, what the sender appends is taken from each request", name)
	}
	return nil
}

// Source is the name of the sender.
func (r *Receiver) Source() string { return r.def.Source }

// Ready asks the database one cheap question. A receiver that drains is not ready.
func (r *Receiver) Ready(ctx context.Context) error {
	if r.draining.Load() {
		return fmt.Errorf("receiver %s: is being drained", r.def.Source)
	}
	if _, err := r.store.Lookup(ctx, ""); err != nil {
		return fmt.Errorf("receiver %s: ask the database: %w", r.def.Source, err)
	}
	return nil
}

// Drain waits for deliveries that are being worked on, also those whose sender
// was answered or has gone. Call it when no request can arrive any more.
func (r *Receiver) Drain(ctx context.Context) error {
	idle := make(chan struct{})
	go func() {
		r.working.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("receiver %s: drain: %w", r.def.Source, ctx.Err())
	}
}
