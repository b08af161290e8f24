package spec_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

// reporting are the functions that report a finding, and which of their
// arguments may be the rule.
var reporting = map[string][]int{"err": {1}, "warn": {1}, "info": {1}, "keep": {1}, "report": {1, 2}}

var ruleForm = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// composed are rules whose identifier is put together when they are reported.
var composed = []string{"conflict-is-retried", "rejected-is-retried"}

// TestRulesAreDescribed finds every rule that the code reports: each has a
// description, and no description is of a rule that is gone.
func TestRulesAreDescribed(t *testing.T) {
	reported := map[string]bool{}
	for _, rule := range composed {
		reported[rule] = true
	}
	for _, folder := range []string{".", "../generator", "../generator/evolution", "../generator/project", "../generator/tree"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("list %s: %d files, %v", folder, len(files), err)
		}
		for _, name := range files {
			if !strings.HasSuffix(name, "_test.go") {
				collectRules(t, name, reported)
			}
		}
	}
	known := spec.Rules()
	for rule := range reported {
		if known[rule] == "" {
			t.Errorf("rule %q is reported, but spec.Rules does not describe it", rule)
		}
	}
	for rule, text := range known {
		if !reported[rule] {
			t.Errorf("rule %q is described, but nothing reports it", rule)
		}
		if !strings.HasSuffix(text, ".") {
			t.Errorf("rule %q: %q is no sentence", rule, text)
		}
	}
}

func collectRules(t *testing.T, name string, into map[string]bool) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				break
			}
			for _, i := range reporting[f.Sel.Name] {
				if len(n.Args) > i+1 {
					collectText(n.Args[i], into)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Rule" {
				collectText(n.Value, into)
			}
		case *ast.AssignStmt: // d.Rule, d.Hint = "a", "b"
			for i, left := range n.Lhs {
				if f, ok := left.(*ast.SelectorExpr); ok && f.Sel.Name == "Rule" && len(n.Rhs) == len(n.Lhs) {
					collectText(n.Rhs[i], into)
				}
			}
		}
		return true
	})
}

func collectText(e ast.Expr, into map[string]bool) {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		if rule, err := strconv.Unquote(l.Value); err == nil && ruleForm.MatchString(rule) {
			into[rule] = true
		}
	}
}

// TestRulesPage holds docs/rules.md, which findings link to, against the rules.
func TestRulesPage(t *testing.T) {
	const page = "../docs/rules.md"
	var b bytes.Buffer
	b.WriteString("# Rules\n\nEach finding of `whgen lint` and `whgen generate` names its rule in brackets; the finding itself says\nwhere, what and how to mend it.\n")
	known := spec.Rules()
	for _, rule := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", rule, known[rule])
	}
	if *update {
		if err := os.WriteFile(page, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Errorf("%s is out of date; run go test ./spec -run TestRulesPage -update", page)
	}
}
