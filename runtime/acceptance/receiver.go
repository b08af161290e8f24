package acceptance

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

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
	h, ok := ctx.Value(attemptKey{}).(*heard)
	if !ok {
		return
	}
	h.Lock()
	defer h.Unlock()
	if a.Late {
		h.late = a.Outcome.String()
		return
	}
	h.word, h.reason = a.Outcome.String(), a.Reason
	if a.Err != nil {
		h.reason += ": " + a.Err.Error()
	}
}

// receiver starts an instance, as a process would: from nothing but the database.
// Without an outside it has no relay.
func (p *protocol) receiver(store whrt.Store, out *outside) *instance {
	p.Helper()
	settings := whrt.SettingsMap{}
	for _, s := range p.c.Definition.Settings {
		settings[s.Name], _ = p.setting(s.Name)
	}
	senders := map[string]outbox.Sender{}
	for _, e := range p.c.Definition.Effects {
		if e.HTTP == nil {
			senders[e.Name] = outbox.SenderFunc(out.call)
			continue
		}
		if parts := e.HTTP.URL; len(parts) > 0 && parts[0].Setting != "" {
			settings[parts[0].Setting] = "http://outside.invalid"
		}
	}
	r, err := whrt.NewReceiver(p.Context(), p.c.Definition, store, whrt.Options{
		Secrets: whrt.SecretsMap(p.keys.receiver), Settings: settings, Observer: outcomes{}, Clock: p.clock,
		Senders: senders, HTTPClient: &http.Client{Transport: out}, NoRelay: out == nil,
		PublicURL: origin + p.mount(), KeyClient: &http.Client{Transport: p.keys}, Verifiers: p.strangers(),
	})
	if err != nil {
		p.Fatalf("start the receiver: %v", err)
	}
	mux := http.NewServeMux()
	r.Handle(mux, p.mount())
	return &instance{Receiver: r, mux: mux}
}

const (
	host   = "receiver.invalid"
	origin = "http://" + host
)

// mount is where the scaffolded program has the receiver.
func (p *protocol) mount() string { return "/webhooks/" + p.c.Definition.Source }

// delivery is one request, before it is signed and after.
type delivery struct {
	body   string
	omit   string              // header to leave out
	forged int                 // which proof of the scheme is somebody else's, from 1; 0: none
	bare   bool                // the signatures are taken out
	warp   func(*http.Request) // what an attacker does to it
}

// request builds and signs the request of the current event.
func (p *protocol) request(d delivery) *http.Request {
	p.Helper()
	target, err := url.Parse(origin + p.mount() + p.fill(p.e.Path))
	if err != nil {
		p.Fatalf("parse the path of the delivery: %v", err)
	}
	header := http.Header{"Content-Type": {p.e.ContentType}}
	for _, h := range p.e.Headers {
		if !strings.EqualFold(h[0], d.omit) {
			header.Set(h[0], p.fill(h[1]))
		}
	}
	r := &signature.Request{
		Method: p.e.Method, Path: target.EscapedPath(), RawQuery: target.RawQuery, URL: target.String(), Host: host,
		Header: header, Body: []byte(p.body(d.body, d.forged)), Param: p.setting,
	}
	p.signOnce(r, d)
	req := httptest.NewRequest(p.e.Method, r.Path+query(r.RawQuery), strings.NewReader(string(r.Body)))
	req.Header, req.Host, req.RemoteAddr = r.Header, host, p.address(r.Remote)
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
func (p *protocol) send(i int, req *http.Request) answer { return p.sendTo(p.instances[i], req) }

func (p *protocol) sendTo(r *instance, req *http.Request) answer {
	h := &heard{}
	w := httptest.NewRecorder()
	r.mux.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), attemptKey{}, h)))
	a := answer{n: p.n, status: w.Code, header: w.Header(), body: w.Body.String(), heard: h}
	a.said, a.reason = h.answered()
	a.outcome = a.said
	return a
}

func (p *protocol) deliver(body string) []answer {
	p.Helper()
	return []answer{p.send(0, p.request(delivery{body: body}))}
}
