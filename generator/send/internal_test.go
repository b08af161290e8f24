package send

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/spec"
)

func TestAllowed(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:80": true, "127.8.9.1:1": true, "[::1]:80": true, "10.1.2.3:80": true, "172.16.0.1:80": true, "172.31.255.255:1": true,
		"192.168.1.1:80": true, "[fd00::1]:80": true, "[::ffff:10.0.0.1]:80": true,
		"8.8.8.8:80": false, "172.32.0.1:80": false, "[2001:db8::1]:80": false, "[::ffff:8.8.8.8]:80": false, "169.254.169.254:80": false,
		"[fe80::1%eth0]:80": false, "0.0.0.0:80": false, "100.64.0.1:80": false, "nonsense": false,
	} {
		if err := allowed(address); (err == nil) != want {
			t.Errorf("%s: %v, want it allowed: %v", address, err, want)
		}
	}
}

// TestJudgedAtTheConnection: the address counts, whatever the name.
func TestJudgedAtTheConnection(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://93.184.216.34:9/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := exchange(client(false, 1, 10*time.Second), req); !errors.Is(got.err, ErrPublic) {
		t.Errorf("error %v, want that the address is public", got.err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // no packet leaves: what counts is that the guard does not answer
	if got := exchange(client(true, 1, 10*time.Second), req.WithContext(ctx)); errors.Is(got.err, ErrPublic) {
		t.Error("with --yes-really the address is refused all the same")
	}
}

// TestSchemeIsWhole fails when the contract's scheme gains a member that
// schemeOf does not know: deliveries would be signed otherwise than declared.
func TestSchemeIsWhole(t *testing.T) {
	for kind, known := range map[reflect.Type][]string{
		reflect.TypeFor[spec.Scheme](): {"Pos", "Preset", "Reason", "Type", "Plugin", "Secrets", "From", "Prefix", "PrefixOptional", "List", "Encoding", "AnyCase",
			"RepeatAny", "Hash", "Padding", "Form", "Curve", "Decode", "Timestamp", "ID", "Content", "Require", "URLNormalize", "Items", "BodyHash", "Algs",
			"Claims", "Networks", "Any", "All", "Imported"},
		reflect.TypeFor[spec.Secret]():        {"Pos", "Name", "Until", "Fetch"},
		reflect.TypeFor[spec.SignatureList](): {"Separator", "Name", "Tags", "Skip", "Trim"},
		reflect.TypeFor[spec.Timestamp]():     {"From", "Format", "Tolerance", "FutureTolerance", "NoTolerance", "NoFuture"},
		reflect.TypeFor[spec.KeyDecoding]():   {"Encoding", "StripPrefix", "PreHash"},
		reflect.TypeFor[spec.TemplatePart]():  {"Text", "Selector", "Setting", "Placeholder", "Fields", "Digest"},
		reflect.TypeFor[spec.FieldList]():     {"Pos", "From", "Names", "Each", "Sep", "Exclude", "Unique", "SecretAs"},
		reflect.TypeFor[spec.BodyHash]():      {"From", "Hash", "Encoding", "AbsentWhenEmpty"},
		reflect.TypeFor[spec.Claims]():        {"BodyHash", "URLHash", "MaxAge", "NotBefore", "Expires", "Leeway", "Equals"},
		reflect.TypeFor[spec.ClaimHash]():     {"Claim", "Hash", "Encoding", "AbsentWhenEmpty"},
		reflect.TypeFor[spec.MaxAge]():        {"Claim", "Tolerance", "FutureTolerance"},
		reflect.TypeFor[spec.Claim]():         {"Name", "Value"},
	} {
		for _, f := range reflect.VisibleFields(kind) {
			if !slices.Contains(known, f.Name) {
				t.Errorf("%v has the member %s: write it in schemeOf, then here", kind, f.Name)
			}
		}
	}
}

func TestJoined(t *testing.T) {
	bodies := []string{`{"to":"x","a~/b":{"list":[{"id":"1"}]}}`, `{"to":"x","a~/b":{"list":[{"id":"2"},{"id":"3"}]}}`}
	got, err := joined(bodies, "/a~0~1b/list/*")
	if err != nil {
		t.Fatal(err)
	}
	var value struct {
		To    string `json:"to"`
		Inner struct {
			List []struct{ ID string }
		} `json:"a~/b"`
	}
	if err := json.Unmarshal([]byte(got), &value); err != nil || value.To != "x" || len(value.Inner.List) != 3 || value.Inner.List[2].ID != "3" {
		t.Errorf("%s (%v), want three elements", got, err)
	}
	if got, err := joined([]string{`[{"id":1}]`, `[{"id":2}]`}, "/*/Item"); err != nil || got != `[{"id":1},{"id":2}]` {
		t.Errorf("%s (%v), want an array of both", got, err)
	}
	for _, items := range []string{"/none/*", "/to/*", "/a~0~1b/list", "*"} {
		if _, err := joined(bodies, items); err == nil {
			t.Errorf("elements at %q are found", items)
		}
	}
}

func TestBatchNumbers(t *testing.T) {
	d := generator.Delivery{Body: `{"events":[{"id":"e-{{n}}"}]}`, Items: "/events/*"}
	got, used, err := Options{Batch: 3}.numbered(d, 7)
	if err != nil || used != 3 || got.Body != `{"events":[{"id":"e-7"},{"id":"e-8"},{"id":"e-9"}]}` {
		t.Errorf("%s, %d numbers (%v), want elements 7, 8, 9", got.Body, used, err)
	}
}

func TestTampered(t *testing.T) {
	for _, body := range []string{`{"a":1}`, `{"id":"zzz"}`, "", `{"a":"é"}`} {
		got := tampered([]byte(body))
		if string(got) == body {
			t.Errorf("%q is not changed", body)
		}
		if len(body) > 0 && body[0] == '{' && !json.Valid(got) {
			t.Errorf("%q became %q, want JSON", body, got)
		}
	}
}

func TestPercentiles(t *testing.T) {
	var all []time.Duration
	for i := 1; i <= 100; i++ {
		all = append(all, time.Duration(i)*time.Millisecond)
	}
	if at(all, 50) != 50 || at(all, 95) != 95 || at(all, 100) != 100 || at(all[:1], 95) != 1 || at(nil, 50) != 0 {
		t.Errorf("percentiles %v %v %v", at(all, 50), at(all, 95), at(all, 100))
	}
}

// TestKeysThatAreGiven: of any the first scheme whose key is given signs; what
// no key can help with says why.
func TestKeysThatAreGiven(t *testing.T) {
	ed := &spec.Scheme{Type: "ed25519", Secrets: []spec.Secret{{Name: "PUBLIC"}}, Decode: spec.KeyDecoding{Encoding: "pem"}}
	mac := &spec.Scheme{Type: "hmac", Secrets: []spec.Secret{{Name: "MAC"}}}
	either := &spec.Scheme{Any: []*spec.Scheme{{Type: "plugin", Plugin: "own"}, ed, mac}}
	given := map[string]string{}
	s := &signer{now: time.Now, secret: func(name string) (string, bool) { text, ok := given[name]; return text, ok }}
	_, _, err := s.chosen(either)
	if err == nil || !strings.Contains(err.Error(), "PUBLIC_PRIVATE") || !strings.Contains(err.Error(), "--private-key") || !strings.Contains(err.Error(), "MAC to") {
		t.Errorf("without keys: %v, want both names", err)
	}
	given["MAC"] = "secret"
	if m, keys, err := s.chosen(either); err != nil || m != mac || keys["MAC"] != "secret" {
		t.Errorf("with a secret: %+v, %v", m, err)
	}
	s.privateKeys = map[string]string{"": "pem"}
	if m, keys, err := s.chosen(either); err != nil || m != ed || keys["PUBLIC"] != "pem" {
		t.Errorf("with a private key: %+v, %v", m, err)
	}
	s.privateKeys = map[string]string{"OTHER": "pem"}
	if m, _, err := s.chosen(either); err != nil || m != mac {
		t.Errorf("with the private key of another: %+v, %v", m, err)
	}
	fetched := &spec.Scheme{Type: "rsa", Secrets: []spec.Secret{{Name: "header:X-Cert", Fetch: &spec.KeyFetch{
		From: &spec.Selector{Kind: spec.SelectHeader, Name: "X-Cert"}, Hosts: []string{"api.sender.example"}}}}}
	for scheme, want := range map[*spec.Scheme]string{
		either: "", ed: "", fetched: "api.sender.example",
		{All: []*spec.Scheme{mac, {Type: "plugin", Plugin: "own"}}}: "verifier own",
	} {
		if got := unsignable(scheme); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", scheme, got, want)
		}
	}
}
