package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// runVectors builds the driver in testdata with the written declarations.
func runVectors(t *testing.T, f *jen.File, args ...string) (string, error) {
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
	out, err := exec.Command(program, append([]string{vectorsFile(t)}, args...)...).CombinedOutput()
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

// keyed is event.key where receivers can read it: no forms yet, and batches with
// one array.
func (s vectorSender) keyed() []string {
	if strings.Count(s.Key.Items, "*") > 1 {
		return nil
	}
	var parts []string
	for _, p := range s.Key.Parts {
		text := selectorOf(p)
		switch {
		case p["in"] == "form":
			return nil
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
	object := map[string]any{}
	text, err := json.MarshalIndent(map[string]any{
		"openapi": "3.1.0", "info": map[string]any{"title": name, "version": "1"}, "x-whgen": policy,
		"webhooks": map[string]any{"thing": map[string]any{"post": map[string]any{"x-whgen": map[string]any{},
			"requestBody": map[string]any{"content": map[string]any{"application/json": map[string]any{"schema": object}}}}}},
	}, "", " ")
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

// signature writes the fields of the vectors in the contract's words.
func (s vectorSender) signature() map[string]any {
	out := map[string]any{}
	for name, v := range s.Scheme {
		switch name {
		case "key":
			k := v.(map[string]any)
			out["decode"] = renamed(k, map[string]string{"encoding": "encoding", "strip_prefix": "stripPrefix", "pre_hash": "preHash"})
		case "signature":
			placeOf(v.(map[string]any), out)
		case "timestamp":
			t := v.(map[string]any)
			out["timestamp"] = map[string]any{"from": selectorOf(t), "format": t["format"],
				"tolerance": seconds(t["tolerance_s"]), "futureTolerance": seconds(t["future_tolerance_s"])}
		case "id":
			out["id"] = selectorOf(v.(map[string]any))
		case "content":
			out["content"] = contentOf(v)
		case "require":
			var all []any
			for _, r := range v.([]any) {
				all = append(all, map[string]any{"from": selectorOf(r.(map[string]any)), "equals": r.(map[string]any)["equals"]})
			}
			out["require"] = all
		case "body_hash":
			h := v.(map[string]any)
			out["bodyHash"] = map[string]any{"from": selectorOf(h), "hash": h["hash"], "encoding": h["encoding"]}
		case "claims":
			out["claims"] = claimsOf(v.(map[string]any))
		case "url_normalize":
			out["urlNormalize"] = v
		case "confirm":
			out["reason"] = v
		default:
			out[name] = v
		}
	}
	return out
}

func placeOf(v, out map[string]any) {
	switch from := v["from"].(type) {
	case []any:
		var all []string
		for _, f := range from {
			all = append(all, selectorOf(f.(map[string]any)))
		}
		out["from"] = all
	case map[string]any:
		out["from"] = selectorOf(from)
	}
	for _, name := range []string{"prefix", "encoding", "case", "repeat", "form"} {
		if v[name] != nil {
			out[name] = v[name]
		}
	}
	if v["prefix_optional"] != nil {
		out["prefixOptional"] = v["prefix_optional"]
	}
	if v["format"] == "list" {
		out["list"] = renamed(v, map[string]string{"item_sep": "separator", "kv_sep": "name", "tag": "tag", "skip": "skip", "trim": "trim"})
	}
}

func contentOf(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	var all []any
	for _, item := range list {
		if f, ok := item.(map[string]any); ok {
			item = renamed(f, map[string]string{"from": "from", "names": "names", "each": "each", "sep": "sep", "exclude": "exclude", "unique": "unique", "secret_as": "secretAs"})
		}
		all = append(all, item)
	}
	return all
}

func claimsOf(v map[string]any) map[string]any {
	out := renamed(v, map[string]string{"equals": "equals", "nbf": "nbf", "exp": "exp"})
	if v["leeway_s"] != nil {
		out["leeway"] = seconds(v["leeway_s"])
	}
	for from, to := range map[string]string{"body_hash": "bodyHash", "url_hash": "urlHash"} {
		if h, ok := v[from].(map[string]any); ok {
			out[to] = renamed(h, map[string]string{"claim": "claim", "hash": "hash", "encoding": "encoding", "absent_when_empty": "absentWhenEmpty"})
		}
	}
	if m, ok := v["max_age"].(map[string]any); ok {
		out["maxAge"] = map[string]any{"claim": m["claim"], "tolerance": seconds(m["tolerance_s"]), "futureTolerance": seconds(m["future_tolerance_s"])}
	}
	return out
}

func renamed(v map[string]any, names map[string]string) map[string]any {
	out := map[string]any{}
	for from, to := range names {
		if v[from] != nil {
			out[to] = v[from]
		}
	}
	return out
}

func seconds(v any) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprintf("%vs", v)
}

func selectorOf(v map[string]any) string {
	switch v["in"] {
	case "json":
		return v["path"].(string)
	case "item":
		return "item:" + v["path"].(string)
	case "signature":
		if v["name"] != nil {
			return "element:" + v["name"].(string)
		}
		return fmt.Sprintf("element:%v", v["index"])
	case "method":
		return "method"
	default:
		return fmt.Sprintf("%v:%v", v["in"], v["name"])
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
