package spec_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var inWant = regexp.MustCompile(`(?m)\[([a-z-]+)\]$`)

// TestReferenceListsRules: what a user can be shown stands in the reference.
func TestReferenceListsRules(t *testing.T) {
	page, err := os.ReadFile("../docs/contract-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob("testdata/rules/*.txtar")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, want, _ := strings.Cut(string(text), "-- want --")
		if strings.TrimSpace(want) == "" {
			t.Errorf("%s wants no finding", name)
		}
		for _, m := range inWant.FindAllStringSubmatch(want, -1) {
			if !strings.Contains(string(page), "`"+m[1]+"`") {
				t.Errorf("rule %s of %s is not in the reference", m[1], name)
			}
		}
	}
}
