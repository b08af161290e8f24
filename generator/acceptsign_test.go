package generator

import (
	"slices"
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

// policyWith is the shortest policy with a scheme.
func policyWith(signature any) map[string]any {
	return map[string]any{
		"version": 1, "source": "sender", "publicUrl": "PUBLIC_URL", "secrets": []string{"SENDER_SECRET"}, "params": map[string]string{"webhook_id": "WEBHOOK_ID", "app_key": "APP_KEY"},
		"signature": signature, "event": map[string]any{"key": "/id", "replay": "process"},
		"outcomes": map[string]any{"processed": 200, "duplicate": 200, "conflict": 200, "inProgress": 503, "failed": 500},
	}
}

// TestEveryPresetIsTested: there is an acceptance test for each sender, which
// delivers forged requests wherever those can be told.
func TestEveryPresetIsTested(t *testing.T) {
	for _, preset := range spec.Presets() {
		p := mustPlan(t, loadPolicy(t, preset.Name, policyWith(map[string]any{"preset": preset.Name})))
		if len(p.Accept) == 0 || len(p.Excepted) > 0 {
			t.Errorf("%s: %d events are tested; left out: %v", preset.Name, len(p.Accept), p.Excepted)
			continue
		}
		want := preset.Scheme.Type != "none"
		if got := hasStep(p, "wrong-signature"); got != want {
			t.Errorf("%s: forged deliveries %v, want %v", preset.Name, got, want)
		}
		if got, want := hasStep(p, "altered-byte"), preset.Scheme.Body() == spec.BoundWhole; got != want {
			t.Errorf("%s: altered deliveries %v, want %v", preset.Name, got, want)
		}
	}
}

func hasStep(p *Plan, name string) bool {
	a := p.Accept[0]
	return slices.ContainsFunc(acceptSteps(a, p.Contract.Endpoints[a.Endpoint].Signature), func(s acceptStep) bool { return s.Name == name })
}

// TestForgedSteps: what a scheme cannot tell is no step, and what nobody can
// sign for is left out with its reason.
func TestForgedSteps(t *testing.T) {
	own := map[string]any{"type": "plugin", "name": "own"}
	mac := map[string]any{"type": "hmac", "from": "header:X-Sig", "encoding": "hex"}
	ip := func(networks ...string) map[string]any { return map[string]any{"type": "ip", "networks": networks} }
	for name, c := range map[string]struct {
		scheme          any
		excepted        string
		forged, altered bool
		missingKey      bool
	}{
		"plugin":            {scheme: own, excepted: "this receiver: what the verifier own wants"},
		"any with plugin":   {scheme: map[string]any{"any": []any{own, mac}}, forged: true, missingKey: true},
		"all with plugin":   {scheme: map[string]any{"all": []any{mac, own}}, excepted: "verifier own"},
		"all":               {scheme: map[string]any{"all": []any{mac, ip("192.0.2.0/24")}}, forged: true, altered: true, missingKey: true},
		"any":               {scheme: map[string]any{"any": []any{mac, ip("192.0.2.0/24")}}, forged: true, missingKey: true},
		"address":           {scheme: ip("192.0.2.7", "2001:db8::/32"), forged: true, missingKey: true},
		"address, anywhere": {scheme: ip("192.0.2.7", "0.0.0.0/0"), missingKey: true},
		"the key is signed by itself": {scheme: map[string]any{"type": "hmac", "from": "/sig", "encoding": "hex", "content": "{/id}"},
			forged: true},
	} {
		p := mustPlan(t, loadPolicy(t, name, policyWith(c.scheme)))
		if c.excepted != "" {
			if len(p.Accept) > 0 || len(p.Excepted) != 1 || !strings.Contains(p.Excepted[0], c.excepted) {
				t.Errorf("%s: %d events are tested; left out: %q, want %q", name, len(p.Accept), p.Excepted, c.excepted)
			}
			if notes := strings.Join(schemeNotes(p), "\n"); !strings.Contains(notes, c.excepted) {
				t.Errorf("%s: the package's comment does not say it: %s", name, notes)
			}
			continue
		}
		if len(p.Accept) != 1 || len(p.Excepted) > 0 {
			t.Errorf("%s: %d events are tested; left out: %v", name, len(p.Accept), p.Excepted)
			continue
		}
		for step, want := range map[string]bool{"wrong-signature": c.forged, "missing-signature": c.forged, "altered-byte": c.altered, "missing-key": c.missingKey} {
			if got := hasStep(p, step); got != want {
				t.Errorf("%s: step %s %v, want %v", name, step, got, want)
			}
		}
	}
}

// TestSharedSecretText: a secret that several schemes name is one that each can read.
func TestSharedSecretText(t *testing.T) {
	hex, base, plain := &spec.Scheme{Type: "hmac", Decode: spec.KeyDecoding{Encoding: "hex"}}, &spec.Scheme{Type: "hmac", Decode: spec.KeyDecoding{Encoding: "base64", StripPrefix: "whsec_"}}, &spec.Scheme{Type: "hmac"}
	if got := acceptSecretText([]*spec.Scheme{plain, hex, base}, 1); strings.Trim(got, "0123456789abcdef") != "" || len(got)%4 != 0 {
		t.Errorf("got %q, want hex that is base64 too", got)
	}
	if got := acceptSecretText([]*spec.Scheme{base}, 1); !strings.HasPrefix(got, "whsec_") {
		t.Errorf("got %q, want the prefix", got)
	}
}
