package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// TestSendersVectors drives the requests of real senders through receivers
// whose schemes were declared in x-whgen, checked by spec and written by the
// generator. The vectors are not part of this repository: WHGEN_VECTORS names
// the file that holds them.
func TestSendersVectors(t *testing.T) {
	senders := readVectors(t)
	f := jen.NewFilePathName("main", "main")
	f.ImportAlias(whrtPath, "whrt")
	var lines []jen.Code
	for _, s := range senders {
		if s.Scheme["type"] == "plugin" {
			continue
		}
		e, event := s.load(t)
		declared := fields(field("scheme", scheme(e.Signature)), textField("items", e.Items))
		if event.Derived == nil { // which stands in where receivers cannot read the key
			declared = append(declared, field("key", selectors(event.Key)), field("fingerprint", members(&event.Fingerprint)))
		}
		lines = append(lines, jen.Id("declared").Index(jen.Lit(s.Name)).Op("=").Id("declaration").Values(declared...))
	}
	f.Func().Id("init").Params().Block(lines...)
	out, err := runVectors(t, f)
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
	if last := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]; !strings.Contains(last, " passed, 0 failed") {
		t.Error(last)
	}
}

// vectorsFile is the file of vectors; without one the test is skipped.
func vectorsFile(t *testing.T) string {
	t.Helper()
	file := os.Getenv("WHGEN_VECTORS")
	if file == "" {
		t.Skip("set WHGEN_VECTORS to a file of signature vectors to check against real senders")
	}
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func readVectors(t *testing.T) []vectorSender {
	t.Helper()
	data, err := os.ReadFile(vectorsFile(t))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Senders []vectorSender }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Senders
}

// runVectors sends the senders' requests.
func runVectors(t *testing.T, f *jen.File, args ...string) (string, error) {
	t.Helper()
	return runDriver(t, f, vectorsFile(t), args...)
}

// runDriver builds the driver in testdata with the written declarations, and
// sends the requests of a file.
func runDriver(t *testing.T, f *jen.File, file string, args ...string) (string, error) {
	t.Helper()
	var text bytes.Buffer
	if err := f.Render(&text); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	own, err := filepath.Abs("testdata/vectors/declared_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{own: filepath.Join(dir, "gen.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"gen.go": text.Bytes(), "overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "vectors")
	if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./testdata/vectors").CombinedOutput(); err != nil {
		t.Fatalf("build the driver: %v\n%s", err, out)
	}
	out, err := exec.Command(program, append([]string{file}, args...)...).CombinedOutput()
	return string(out), err
}

type vectorSender struct {
	Name   string
	Scheme map[string]any
	Key    struct {
		Parts    []map[string]any
		Items    string
		Volatile []string
	} `json:"event_key"`
	Ack       struct{ Confidence string }
	Challenge map[string]any
	Vectors   []vectorKeys
}

// vectorKeys is what a vector's receiver is configured with.
type vectorKeys struct {
	Secrets    []string
	PublicKeys []any `json:"public_keys"`
	Params     map[string]string
}

// load writes the sender's fields as an x-whgen declaration and reads it.
func (s vectorSender) load(t *testing.T) (*spec.Endpoint, *spec.Event) {
	t.Helper()
	policy := map[string]any{
		"version": 1, "source": "vectors", "publicUrl": "PUBLIC_URL", "signature": s.signature(),
		"outcomes": map[string]any{"processed": 200, "duplicate": 200, "conflict": 200, "inProgress": 503, "failed": 500},
		"event":    map[string]any{"derived": map[string]any{"of": "/id"}, "replay": "process"},
	}
	names, params := []string{}, map[string]string{}
	for _, v := range s.Vectors {
		for i := len(names); i < max(len(v.Secrets), len(v.PublicKeys)); i++ {
			names = append(names, fmt.Sprintf("S%d", i))
		}
		for name := range v.Params {
			params[name] = "P_" + strings.ToUpper(name)
		}
	}
	if len(names) > 0 {
		policy["secrets"] = names
		if slices.ContainsFunc(s.Vectors, func(v vectorKeys) bool { return len(v.PublicKeys) > 0 }) {
			delete(policy, "secrets")
			policy["keys"] = names
		}
	}
	if len(params) > 0 {
		policy["params"] = params
	}
	if keyed := s.keyed(); keyed != nil {
		policy["event"] = map[string]any{"key": keyed, "replay": "process"}
		var volatile []string
		for _, pointer := range s.Key.Volatile {
			if strings.HasPrefix(pointer, s.Key.Items+"/") {
				volatile = append(volatile, strings.TrimPrefix(pointer, s.Key.Items)) // in a batch they begin at the element
			}
		}
		if len(volatile) > 0 {
			policy["sender"] = map[string]any{"volatile": volatile}
		}
		if s.Key.Items != "" {
			policy["event"].(map[string]any)["items"] = s.Key.Items
		}
	}
	c := loadPolicy(t, s.Name, policy)
	return c.Endpoints[0], c.Events[0]
}

// keyed is event.key.
func (s vectorSender) keyed() []string {
	var parts []string
	for _, p := range s.Key.Parts {
		text := selectorOf(p)
		switch {
		case p["in"] == "item":
			text = p["path"].(string)
		case p["in"] == "json" && s.Key.Items != "":
			text = "body:" + text
		}
		parts = append(parts, text)
	}
	return parts
}

func loadPolicy(t *testing.T, name string, policy map[string]any) *spec.Contract {
	t.Helper()
	return loadDocument(t, name, policy, nil)
}

// loadDocument has more at the root of the document.
func loadDocument(t *testing.T, name string, policy, extensions map[string]any) *spec.Contract {
	t.Helper()
	object := map[string]any{}
	media := "application/json"
	if flat, err := json.Marshal(policy); err != nil {
		t.Fatal(err)
	} else if strings.Contains(string(flat), `"form:`) || strings.Contains(string(flat), `"bitrix24"`) {
		media = "application/x-www-form-urlencoded"
	}
	document := map[string]any{
		"openapi": "3.1.0", "info": map[string]any{"title": name, "version": "1"}, "x-whgen": policy,
		"webhooks": map[string]any{"thing": map[string]any{"post": map[string]any{"x-whgen": map[string]any{},
			"requestBody": map[string]any{"content": map[string]any{media: map[string]any{"schema": object}}}}}},
	}
	maps.Copy(document, extensions)
	text, err := json.MarshalIndent(document, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	c, found := spec.Load(spec.Receiver{Contract: "c.json", Engine: "sqlite"}, func(string) ([]byte, error) { return text, nil })
	for _, d := range found {
		if d.Severity == spec.Error {
			t.Fatalf("%s: %v\n%s", name, d, text)
		}
	}
	return c
}
