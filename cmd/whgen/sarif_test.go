package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

// contractWithUmlauts has findings behind characters of one to four bytes, and
// of one and two UTF-16 units.
const contractWithUmlauts = "\xef\xbb\xbf" + `openapi: 3.1.0
info: {title: "Größe 🛒", version: "1"}
x-whgen: {version: 1, source: shop, "ключ": 1, "🛒🛒": 2, späte: 3}
webhooks:
  a: {post: {x-whgen: {}, responses: {"200": {description: ok}}}}
`

// log is a SARIF log as a reader sees it, without our types.
type log = map[string]any

func sarif(t *testing.T, found spec.Diagnostics) log {
	t.Helper()
	var b bytes.Buffer
	if err := printSARIF(&b, found); err != nil {
		t.Fatal(err)
	}
	var got log
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func lintIn(t *testing.T, name, text string) spec.Diagnostics {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, found := spec.LoadFile(name, os.ReadFile)
	if len(found) == 0 {
		t.Fatal("there is nothing to print")
	}
	return found
}

// TestSARIFColumnsAreCodePoints reads the text at each region of an unknown key:
// counted in the unit that columnKind names, the key must stand there.
func TestSARIFColumnsAreCodePoints(t *testing.T) {
	const name = "contracts/größe.yaml"
	got := sarif(t, lintIn(t, name, contractWithUmlauts))
	run := got["runs"].([]any)[0].(log)
	if kind := run["columnKind"]; kind != "unicodeCodePoints" {
		t.Fatalf("got columnKind %v", kind)
	}
	lines := strings.Split(strings.TrimPrefix(contractWithUmlauts, "\xef\xbb\xbf"), "\n")
	seen := map[string]bool{}
	for _, r := range run["results"].([]any) {
		result := r.(log)
		if result["ruleId"] != "unknown-key" {
			continue
		}
		region := result["locations"].([]any)[0].(log)["physicalLocation"].(log)["region"].(log)
		line, column := int(region["startLine"].(float64)), int(region["startColumn"].(float64))
		here := string([]rune(lines[line-1])[column-1:])
		for _, key := range []string{`"ключ"`, `"🛒🛒"`, "späte"} {
			if strings.HasPrefix(here, key) && strings.Contains(result["message"].(log)["text"].(string), strings.Trim(key, `"`)) {
				seen[key] = true
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("found %v at the places that the log names; want all three keys", seen)
	}
}

// TestSARIFHoldsTheSchema checks what SARIF 2.1.0 demands of a log and what
// readers of logs (code scanning) demand beyond it.
func TestSARIFHoldsTheSchema(t *testing.T) {
	found := lintIn(t, "contracts/a b:größe.yaml", contractWithUmlauts)
	outside := filepath.ToSlash(filepath.Join(t.TempDir(), "other file.yaml"))
	found = append(found,
		spec.Diagnostic{Pos: spec.Pos{File: outside, Line: 3, Column: 9}, Severity: spec.Warning, Rule: "file", Message: "gone"},
		spec.Diagnostic{Pos: spec.Pos{File: "../x.yaml"}, Severity: spec.Info, Rule: "file", Message: "above"},
		spec.Diagnostic{Pos: spec.Pos{File: "a:b.yaml", Line: 1, Column: 1}, Severity: spec.Info, Rule: "file", Message: "colon"},
	)
	got := sarif(t, found)
	if got["version"] != "2.1.0" || !strings.HasSuffix(got["$schema"].(string), "sarif-schema-2.1.0.json") {
		t.Errorf("got version %v, schema %v", got["version"], got["$schema"])
	}
	run := got["runs"].([]any)[0].(log)
	driver := run["tool"].(log)["driver"].(log)
	if driver["name"] != "whgen" {
		t.Errorf("got the tool %v", driver["name"])
	}
	rules := driver["rules"].([]any)
	ids := map[string]bool{}
	for _, r := range rules {
		rule := r.(log)
		id := rule["id"].(string)
		if ids[id] {
			t.Errorf("rule %q stands twice", id)
		}
		ids[id] = true
		for _, member := range []string{"shortDescription", "help"} {
			if text, _ := rule[member].(log)["text"].(string); text == "" {
				t.Errorf("rule %q has no %s", id, member)
			}
		}
		if u, err := url.Parse(rule["helpUri"].(string)); err != nil || !u.IsAbs() || u.Fragment != id {
			t.Errorf("rule %q: got helpUri %v", id, rule["helpUri"])
		}
	}
	bases := run["originalUriBaseIds"].(log)
	results := run["results"].([]any)
	if len(results) != len(found) {
		t.Fatalf("got %d results, want %d", len(results), len(found))
	}
	for i, r := range results {
		checkResult(t, found[i], r.(log), rules, bases)
	}
}

func checkResult(t *testing.T, want spec.Diagnostic, result log, rules []any, bases log) {
	t.Helper()
	index := int(result["ruleIndex"].(float64))
	if index < 0 || index >= len(rules) || rules[index].(log)["id"] != want.Rule || result["ruleId"] != want.Rule {
		t.Errorf("%v: got rule %v at %d", want, result["ruleId"], index)
	}
	levels := map[spec.Severity]string{spec.Error: "error", spec.Warning: "warning", spec.Info: "note"}
	if result["level"] != levels[want.Severity] {
		t.Errorf("%v: got level %v", want, result["level"])
	}
	if text := result["message"].(log)["text"].(string); !strings.HasPrefix(text, want.Message) || !strings.Contains(text, want.Hint) {
		t.Errorf("%v: got message %q", want, text)
	}
	physical := result["locations"].([]any)[0].(log)["physicalLocation"].(log)
	artifact := physical["artifactLocation"].(log)
	u, err := url.Parse(artifact["uri"].(string))
	if err != nil {
		t.Fatalf("%v: got URI %v: %v", want, artifact["uri"], err)
	}
	base, relative := artifact["uriBaseId"].(string)
	switch {
	case relative && (u.IsAbs() || strings.HasPrefix(u.Path, "/") || strings.Contains("/"+u.Path+"/", "/../") || bases[base] == nil):
		t.Errorf("%v: %q is no URI relative to %q", want, u, base)
	case relative && u.Path != want.Pos.File:
		t.Errorf("%v: got URI %q, which is the file %q", want, u, u.Path)
	case !relative && (u.Scheme != "file" || !strings.HasPrefix(u.Path, "/")):
		t.Errorf("%v: %q is no absolute file URI", want, u)
	}
	region, ok := physical["region"].(log)
	if ok != (want.Pos.Line > 0) {
		t.Fatalf("%v: got region %v", want, region)
	}
	for _, member := range []string{"startLine", "startColumn"} {
		if n, there := region[member].(float64); there && n < 1 {
			t.Errorf("%v: got %s %v", want, member, n)
		}
	}
}

func TestSARIFWithoutFindings(t *testing.T) {
	run := sarif(t, nil)["runs"].([]any)[0].(log)
	if results, ok := run["results"].([]any); !ok || len(results) != 0 {
		t.Errorf("got results %v, want an empty list: null means that nothing was checked", run["results"])
	}
	if rules, ok := run["tool"].(log)["driver"].(log)["rules"].([]any); !ok || len(rules) != 0 {
		t.Errorf("got rules %v, want an empty list", rules)
	}
}
