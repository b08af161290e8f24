package explain_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/generator/explain"
	"github.com/whgen/whgen/spec"
)

var update = flag.Bool("update", false, "write the golden files")

const orders = "../../examples/orders/contracts/orders.openapi.yaml"

// plan loads a contract of this repository, as whgen.yaml would name it.
func plan(t *testing.T, file string, overlays ...string) *generator.Plan {
	t.Helper()
	r := spec.Receiver{Contract: filepath.Base(file), Engine: "sqlite", Migrations: "goose"}
	for _, o := range overlays {
		r.Overlays = append(r.Overlays, filepath.Base(o))
	}
	c, found := spec.Load(r, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(filepath.Dir(file), name)) })
	if c == nil {
		t.Fatalf("load %s: %v", file, found)
	}
	p, found := generator.NewPlan(c, generator.PlanOptions{Import: "example.com/" + c.Source})
	if p == nil {
		t.Fatalf("plan %s: %v", file, found)
	}
	return p
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run go test ./generator/explain -update and read the diff\n%s", file, got)
	}
}

func TestGolden(t *testing.T) {
	for name, p := range map[string]*generator.Plan{
		"orders":   plan(t, orders),
		"github":   plan(t, "testdata/github.openapi.yaml"),
		"tokens":   plan(t, "testdata/tokens.openapi.yaml"),
		"schemes":  plan(t, "testdata/schemes.openapi.yaml"),
		"imported": plan(t, "testdata/imported.openapi.yaml"),
		"batches":  plan(t, "../../golden/batches/contract.openapi.yaml"),
	} {
		r := explain.New([]*generator.Plan{p}, nil)
		golden(t, name+".golden.txt", r.Text())
		golden(t, name+".golden.md", r.Markdown())
		golden(t, name+".golden.json", asJSON(t, r))
	}
}

func asJSON(t *testing.T, r *explain.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSameBytes(t *testing.T) {
	first := explain.New([]*generator.Plan{plan(t, orders)}, nil)
	for range 20 {
		again := explain.New([]*generator.Plan{plan(t, orders)}, nil)
		if !bytes.Equal(first.Text(), again.Text()) || !bytes.Equal(first.Markdown(), again.Markdown()) || !bytes.Equal(asJSON(t, first), asJSON(t, again)) {
			t.Fatal("two explanations of one contract differ")
		}
	}
}

// TestScheduleInside holds the computed end against the schedule's parts.
func TestScheduleInside(t *testing.T) {
	r := explain.New([]*generator.Plan{plan(t, "testdata/tokens.openapi.yaml")}, nil).Receivers[0]
	got := map[string]explain.Schedule{}
	for _, e := range r.Effects {
		if e.Schedule != nil {
			got[e.Name] = *e.Schedule
		}
	}
	// 3 attempts of 10s, and delays of 1m and 2m, each up to half longer.
	if s := got["mirror"]; s.Attempts != 3 || s.EndsAfter != "5m" || !s.Inside || s.Remembers != "1h" {
		t.Errorf("schedule %+v, want 3 attempts that end after 5m, inside 1h", s)
	}
	if s := got["alarm"]; s.Remembers != "" || s.Inside {
		t.Errorf("schedule %+v of an outside without keys, want no memory", s)
	}
	if s := got["refresh"]; s.Remembers != "always" || !s.Inside {
		t.Errorf("schedule %+v of an effect that may be repeated, want it always inside", s)
	}
}

// binds is another analysis: it covers everything.
type binds struct{ explain.Binding }

func (binds) Value(spec.Selector) bool { return true }

func TestOtherBinding(t *testing.T) {
	p := plan(t, "testdata/github.openapi.yaml")
	r := explain.New([]*generator.Plan{p}, func(s *spec.Scheme) explain.Binding { return binds{explain.Declared(s)} }).Receivers[0]
	if !r.Events[0].Key.Parts[0].Signed {
		t.Error("the key is not said to be signed, although the given analysis says so")
	}
	plain := explain.New([]*generator.Plan{p}, nil).Receivers[0]
	if plain.Events[0].Key.Parts[0].Signed {
		t.Error("the analysis of package spec says that a header outside the signed text is signed")
	}
	if w := plain.Events[0].Key.Warnings; len(w) != 1 || !strings.Contains(w[0], "businessKey") {
		t.Errorf("warnings %q, want one that proposes businessKey", w)
	}
}

// TestHostileTexts: what a document says cannot break out of Markdown or Mermaid.
func TestHostileTexts(t *testing.T) {
	p := plan(t, "testdata/tokens.openapi.yaml")
	p.Contract.Title = "a`|b\n# *heading* <script>"
	p.Contract.Events[0].Summary = "x\x01y\x02z | [link](javascript:1)"
	r := explain.New([]*generator.Plan{p}, nil)
	for _, line := range strings.Split(string(r.Markdown()), "\n") {
		if strings.HasPrefix(line, "# *") || strings.Contains(line, "<script>") || strings.Contains(line, " [link]") || strings.ContainsAny(line, "\x01\x02") {
			t.Errorf("a text of the document is read as Markdown: %q", line)
		}
	}
}
