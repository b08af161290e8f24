package send

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/runtime/signature"
	"github.com/whgen/whgen/spec"
)

// presetPlan is the shortest contract with a preset's scheme.
func presetPlan(t *testing.T, name string) *generator.Plan {
	t.Helper()
	text := fmt.Sprintf(`openapi: 3.1.0
info: {title: Preset, version: "1"}
x-whgen:
  version: 1
  source: sender
  signature: {preset: %s}
  event: {derived: {of: /id}, replay: process}
  publicUrl: SENDER_PUBLIC_URL
  params: {webhook_id: SENDER_WEBHOOK_ID, app_key: SENDER_APP_KEY}
  outcomes: {processed: 200, duplicate: 200, conflict: 200, inProgress: 503, failed: 500}
webhooks:
  event:
    post:
      x-whgen: {}
      requestBody: {content: {application/json: {schema: {type: object}, example: {id: "1", items: [{id: "2"}]}}}}
`, name)
	c, found := spec.LoadFile("p.yaml", func(string) ([]byte, error) { return []byte(text), nil })
	if c == nil {
		t.Logf("%s does not load by itself: %v", name, found)
		return nil
	}
	p, found := generator.NewPlan(c, generator.PlanOptions{Import: "example.com/sender"})
	if p == nil {
		t.Logf("%s has no plan: %v", name, found)
	}
	return p
}

func keyText(s *spec.Scheme) string {
	raw := "a key of thirty-two bytes, plain"
	switch {
	case s.Type == "basic":
		return "user:password"
	case s.Decode.Encoding == "base64":
		return s.Decode.StripPrefix + base64.StdEncoding.EncodeToString([]byte(raw))
	case s.Decode.Encoding == "hex":
		return s.Decode.StripPrefix + hex.EncodeToString([]byte(raw))
	}
	return s.Decode.StripPrefix + strings.ReplaceAll(raw, " ", "-")
}

// TestPresetsVerify signs for each preset, and holds the request against the
// runtime's verifier: right, then wrong in each way.
func TestPresetsVerify(t *testing.T) {
	verified := 0
	for _, preset := range spec.Presets() {
		p := presetPlan(t, preset.Name)
		if p == nil {
			continue // wants another body
		}
		t.Run(preset.Name, func(t *testing.T) {
			roundTrip(t, p)
			verified++
		})
	}
	if verified < 40 {
		t.Errorf("%d presets were signed for and verified", verified)
	}
}

func roundTrip(t *testing.T, p *generator.Plan) {
	declared := p.Contract.Endpoints[0].Signature
	settings := map[string]string{"SENDER_PUBLIC_URL": "https://public.example/hooks", "SENDER_WEBHOOK_ID": "hook", "SENDER_APP_KEY": "app"}
	scheme, texts := schemeOf(declared), []string{}
	for _, one := range append([]*spec.Scheme{declared}, declared.Members()...) {
		for _, s := range one.Secrets {
			public, private := keyText(one), ""
			if one.PublicKeys() {
				var err error
				if public, private, err = signature.NewKeys(schemeOf(one)); err != nil {
					t.Fatal(err)
				}
				settings[s.Name+PrivateSuffix] = private
			} else {
				settings[s.Name] = public
			}
			texts = append(texts, public)
		}
	}
	for i := range scheme.Require { // as a receiver does at start
		name := strings.TrimSuffix(strings.TrimPrefix(scheme.Require[i].Equals, "{param:"), "}")
		if value, ok := settings[name]; ok {
			scheme.Require[i].Equals = value
		}
	}
	verifier, err := signature.Compile(scheme, texts)
	if err != nil {
		t.Fatal(err)
	}
	base, _ := url.Parse("http://127.0.0.1:8080/hooks")
	verify := func(o Options) error {
		t.Helper()
		s := &signer{base: base, options: o, now: time.Now, publicURL: p.Contract.PublicURL,
			secret: func(name string) (string, bool) { text, ok := settings[name]; return text, ok }}
		rounds, err := plan(p, o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		req, err := s.request(context.Background(), rounds[0])
		if err != nil {
			t.Fatal(err)
		}
		_, err = verifier.Verify(received(t, req, settings), time.Now())
		return err
	}
	if err := verify(Options{}); err != nil {
		t.Fatalf("refused: %v", err)
	}
	wrongly := map[string]Options{}
	if declared.Type != "none" && declared.Type != "ip" {
		wrongly["wrong secret"] = Options{WrongSecret: true}
	}
	if declared.Body() == spec.BoundWhole {
		wrongly["tampered"] = Options{Tamper: true}
	}
	if declared.Fresh() {
		wrongly["stale"] = Options{Stale: true}
	}
	for label, o := range wrongly {
		if err := verify(o); err == nil {
			t.Errorf("%s, and it is accepted", label)
		}
	}
}

// TestPublicKeys: the receiver has the public half, the deliveries are signed
// with the private one, under a name of its own.
func TestPublicKeys(t *testing.T) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	p := presetPlan(t, "discord")
	declared := p.Contract.Endpoints[0].Signature
	name := declared.Secrets[0].Name
	verifier, err := signature.Compile(schemeOf(declared), []string{hex.EncodeToString(public)})
	if err != nil {
		t.Fatal(err)
	}
	base, _ := url.Parse("http://127.0.0.1:8080/hooks")
	settings := map[string]string{name + PrivateSuffix: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))}
	for wrong, want := range map[bool]bool{false: true, true: false} {
		s := &signer{base: base, options: Options{WrongSecret: wrong}, now: time.Now,
			secret: func(name string) (string, bool) { text, ok := settings[name]; return text, ok }}
		rounds, err := plan(p, s.options, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		req, err := s.request(t.Context(), rounds[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verifier.Verify(received(t, req, settings), time.Now()); (err == nil) != want {
			t.Errorf("with the wrong key %v: %v", wrong, err)
		}
	}
	delete(settings, name+PrivateSuffix)
	s := &signer{base: base, now: time.Now, secret: func(name string) (string, bool) { text, ok := settings[name]; return text, ok }}
	rounds, err := plan(p, s.options, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.request(t.Context(), rounds[0]); err == nil || !strings.Contains(err.Error(), name+"_PRIVATE") {
		t.Errorf("without a key: %v, want the name of the variable", err)
	}
}

// received is a request as a receiver at the public address sees it.
func received(t *testing.T, req *http.Request, settings map[string]string) *signature.Request {
	t.Helper()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	r := &signature.Request{
		Method: req.Method, Path: req.URL.EscapedPath(), RawQuery: req.URL.RawQuery, Host: req.URL.Host, Header: req.Header, Body: body,
		Param: func(name string) (string, bool) { text, ok := settings[name]; return text, ok },
	}
	r.Remote, _ = netip.ParseAddr(req.Header.Get("X-Forwarded-For")) // from a trusted proxy
	if r.URL = settings["SENDER_PUBLIC_URL"]; r.RawQuery != "" {
		r.URL += "?" + r.RawQuery
	}
	signature.JSONBody(r)
	return r
}
