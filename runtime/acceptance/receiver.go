package acceptance

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/outbox"
	"github.com/whgen/whgen/runtime/signature"
)

// instance is one receiver and what it says of its attempts.
type instance struct {
	*whrt.Receiver
	mux *http.ServeMux
}

type attemptKey struct{}

// outcomes hears an attempt's outcome through the request's context.
type outcomes struct{ whrt.NoObserver }

func (outcomes) Attempt(ctx context.Context, a whrt.Attempt) {
	if heard, ok := ctx.Value(attemptKey{}).(*heard); ok && !a.Late {
		heard.set(a.Outcome.String())
	}
}

type heard struct {
	sync.Mutex
	word string
}

func (h *heard) set(word string) {
	h.Lock()
	defer h.Unlock()
	h.word = word
}

func (h *heard) get() string {
	h.Lock()
	defer h.Unlock()
	return h.word
}

// receiver starts an instance, as a process would: from nothing but the database.
func (p *protocol) receiver(store whrt.Store, noRelay bool) *instance {
	settings := whrt.SettingsMap{}
	for _, s := range p.c.Definition.Settings {
		settings[s.Name] = "acceptance"
	}
	senders := map[string]outbox.Sender{}
	for _, e := range p.c.Definition.Effects {
		if e.HTTP == nil {
			senders[e.Name] = outbox.SenderFunc(p.outside.call)
			continue
		}
		if parts := e.HTTP.URL; len(parts) > 0 && parts[0].Setting != "" {
			settings[parts[0].Setting] = "http://outside.invalid"
		}
	}
	r, err := whrt.NewReceiver(p.Context(), p.c.Definition, store, whrt.Options{
		Secrets: whrt.SecretsMap(p.c.Secrets), Settings: settings, Observer: outcomes{}, Clock: p.clock,
		Senders: senders, HTTPClient: &http.Client{Transport: p.outside}, NoRelay: noRelay,
		PublicURL: origin + p.mount(),
	})
	if err != nil {
		p.Fatalf("start the receiver: %v", err)
	}
	mux := http.NewServeMux()
	r.Handle(mux, p.mount())
	return &instance{Receiver: r, mux: mux}
}

const origin = "http://receiver.invalid"

// mount is where the scaffolded program has the receiver.
func (p *protocol) mount() string { return "/webhooks/" + p.c.Definition.Source }

// delivery is one request, before it is signed and after.
type delivery struct {
	body string
	omit string              // header to leave out
	warp func(*http.Request) // what an attacker does to it
}

// request builds and signs the request of the current event.
func (p *protocol) request(d delivery) *http.Request {
	p.Helper()
	target, err := url.Parse(origin + p.mount() + p.fill(p.c.Path))
	if err != nil {
		p.Fatalf("parse the path of the delivery: %v", err)
	}
	header := http.Header{"Content-Type": {p.c.ContentType}}
	for _, h := range p.c.Headers {
		if !strings.EqualFold(h[0], d.omit) {
			header.Set(h[0], p.fill(h[1]))
		}
	}
	e := p.c.Definition.Endpoints[p.c.Endpoint]
	r := &signature.Request{
		Method: p.c.Method, Path: target.EscapedPath(), RawQuery: target.RawQuery, URL: target.String(),
		Header: header, Body: []byte(p.body(d.body)),
	}
	if e.Scheme.Type != "none" && p.c.Unsigned == "" { // else the body holds the secret, or lacks it on purpose
		if err := signature.Sign(e.Scheme, p.c.Secrets[e.Scheme.Secrets[0].Name], r, p.clock.Now()); err != nil {
			p.Fatalf("sign the delivery: %v", err)
		}
	}
	req := httptest.NewRequest(p.c.Method, r.Path+query(r.RawQuery), strings.NewReader(string(r.Body)))
	req.Header = r.Header
	if d.warp != nil {
		d.warp(req)
	}
	return req
}

func query(raw string) string {
	if raw == "" {
		return ""
	}
	return "?" + raw
}

// send delivers to an instance and hears what it decided.
func (p *protocol) send(i int, req *http.Request) answer {
	h := &heard{}
	w := httptest.NewRecorder()
	p.instances[i].mux.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), attemptKey{}, h)))
	return answer{outcome: h.get(), status: w.Code}
}

func (p *protocol) deliver(body string) []answer {
	return []answer{p.send(0, p.request(delivery{body: body}))}
}
