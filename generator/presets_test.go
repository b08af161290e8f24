package generator

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

// TestPresetsGenerate: the scheme of each preset becomes a receiver, which says
// in its comment what is not protected, and imports a JOSE library only for tokens.
func TestPresetsGenerate(t *testing.T) {
	for _, p := range spec.Presets() {
		c := loadPolicy(t, p.Name, map[string]any{
			"version": 1, "source": "sender", "publicUrl": "PUBLIC_URL", "params": map[string]string{"webhook_id": "WEBHOOK_ID", "app_key": "APP_KEY"},
			"signature": map[string]any{"preset": p.Name}, "event": map[string]any{"key": "/id", "replay": "process"},
			"outcomes": map[string]any{"processed": 200, "duplicate": 200, "conflict": 200, "inProgress": 503, "failed": 500},
		})
		files, err := Generate(mustPlan(t, c))
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Path, ".go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.ParseComments)
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
				continue
			}
			text := string(f.Data)
			if strings.HasSuffix(f.Path, "definition_gen.go") && strings.Contains(text, josePath) != (p.Scheme.Type == "jwt") {
				t.Errorf("%s: the JOSE library is imported for type %s", p.Name, p.Scheme.Type)
			}
			if strings.HasSuffix(f.Path, "receiver_gen.go") {
				doc := strings.Join(strings.Fields(file.Doc.Text()), " ")
				doubts := p.Scheme.Doubts()
				if p.Scheme.Type == "none" {
					doubts = []string{p.Scheme.Reason}
				}
				for _, d := range doubts {
					if !strings.Contains(doc, strings.Join(strings.Fields(d[1:]), " ")) {
						t.Errorf("%s: the package's comment does not say: %s", p.Name, d)
					}
				}
			}
		}
	}
}

// TestPresetsAreTheVectors: a preset declares what the vectors of its sender do.
func TestPresetsAreTheVectors(t *testing.T) {
	for _, s := range readVectors(t) {
		if s.Scheme["type"] == "plugin" {
			continue
		}
		at := slices.IndexFunc(presetsOfSpec, func(p spec.Preset) bool { return p.Name == s.Name })
		if at < 0 {
			t.Errorf("%s: no preset", s.Name)
			continue
		}
		e, _ := s.load(t)
		want, got := *e.Signature, *presetsOfSpec[at].Scheme
		want.Secrets, got.Secrets = nil, nil
		texts := []string{}
		for _, one := range []spec.Scheme{want, got} {
			text := fmt.Sprintf("%#v", scheme(&one))
			for _, v := range s.Vectors {
				for name := range v.Params {
					text = strings.ReplaceAll(text, `"P_`+strings.ToUpper(name), `"SENDER_`+strings.ToUpper(name))
					text = strings.ReplaceAll(text, `{param:P_`, `{param:SENDER_`)
				}
			}
			texts = append(texts, text)
		}
		if texts[0] != texts[1] && s.Name != "mollie-classic" { // its reason is our own
			t.Errorf("%s: the preset is\n%s\nthe vectors say\n%s", s.Name, texts[1], texts[0])
		}
		s.sameFacts(t, presetsOfSpec[at])
	}
}

var presetsOfSpec = spec.Presets()

// sameFacts compares key, items and volatile members.
func (s vectorSender) sameFacts(t *testing.T, p spec.Preset) {
	var key []string
	for _, part := range s.Key.Parts {
		key = append(key, strings.TrimPrefix(selectorOf(part), "item:"))
	}
	known := p.Key
	if len(known) == 0 {
		known = p.Hearsay.Key
	}
	for i := range known {
		known[i] = strings.TrimPrefix(known[i], "body:")
	}
	if s.Name != "woocommerce" && !slices.Equal(key, known) { // its id names the attempt
		t.Errorf("%s: the preset's key is %q, the vectors say %q", s.Name, known, key)
	}
	if p.Items != s.Key.Items && s.Key.Items != "" {
		t.Errorf("%s: the preset's items are %q, the vectors say %q", s.Name, p.Items, s.Key.Items)
	}
	volatile := slices.Clone(s.Key.Volatile)
	for i := range volatile { // of a batch they begin at the element
		volatile[i] = strings.TrimPrefix(volatile[i], s.Key.Items)
	}
	if !slices.Equal(p.Volatile, volatile) {
		t.Errorf("%s: the preset's volatile members are %q, the vectors say %q", s.Name, p.Volatile, s.Key.Volatile)
	}
	if s.Ack.Confidence != "" && p.Confidence != s.Ack.Confidence {
		t.Errorf("%s: the preset's confidence is %q, the vectors say %q", s.Name, p.Confidence, s.Ack.Confidence)
	}
	if p.Challenge != (s.Challenge != nil) {
		t.Errorf("%s: the preset's challenge is there: %v", s.Name, p.Challenge)
	}
}
