package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

// expected are the findings that a contract of nothing but a preset may have:
// what only the receiver can say, and what is not generated yet.
var expected = []string{"replay", "event-key", "param", "public-url", "not-supported-yet", "event-items"}

// TestPresetsAreSound reads each preset as a contract of its own.
func TestPresetsAreSound(t *testing.T) {
	all := spec.Presets()
	if len(all) < 49 {
		t.Fatalf("got %d presets", len(all))
	}
	for _, p := range all {
		if p.Title == "" || !strings.HasPrefix(p.Docs, "https://") || !slices.Contains([]string{"doc", "lib", "general"}, p.Confidence) {
			t.Errorf("%s: title %q, documentation %q, confidence %q", p.Name, p.Title, p.Docs, p.Confidence)
		}
		if p.Scheme == nil {
			t.Errorf("%s: no scheme", p.Name)
		}
		for _, d := range p.Findings {
			if d.Severity == spec.Error && !slices.Contains(expected, d.Rule) {
				t.Errorf("%s: %v", p.Name, d)
			}
		}
	}
}

// TestPresetFiguresAreKnown: what is only general knowledge is not used for
// retention.
func TestPresetFiguresAreKnown(t *testing.T) {
	for _, p := range spec.Presets() {
		if p.Confidence == "general" && p.Horizon > 0 {
			t.Errorf("%s: the horizon %s is taken, and nobody has read it", p.Name, p.Horizon)
		}
	}
}
