package generator

import (
	"go/parser"
	"go/token"
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
