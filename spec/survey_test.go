package spec_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/whgen/whgen/spec"
)

func survey(t *testing.T, text string) *spec.Survey {
	t.Helper()
	s, found := spec.Look("a.yaml", func(name string) ([]byte, error) {
		if name != "a.yaml" {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	})
	if s == nil {
		t.Fatalf("cannot be surveyed: %s", lines(found))
	}
	return s
}

func TestSurvey(t *testing.T) {
	s := survey(t, `openapi: 3.1.0
info: {title: Mail API, contact: {email: help@mail.example}}
servers: [{url: "https://api.mail.example/v1"}]
webhooks:
  mail.sent:
    post:
      operationId: sent
      parameters: [{name: X-Sig, in: header}, {$ref: "#/components/parameters/Id"}, {name: q, in: query}]
      security: [{basic: []}]
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Sent"}}}}
      responses: {"202": {description: ok}}
  moved: {$ref: "#/components/pathItems/Moved"}
paths:
  /things/{id}:
    get:
      responses: {}
    post:
      callbacks:
        done:
          "{$request.body#/url}/it's": {post: {requestBody: {content: {text/plain: {}}}}}
components:
  pathItems: {Moved: {put: {}}}
  parameters: {Id: {name: X-Id, in: header}}
  securitySchemes: {basic: {type: http, scheme: Basic}}
  schemas:
    Base: {type: object, properties: {type: {type: string}, id: {type: [string, "null"]}}, required: [id]}
    Sent:
      allOf: [{$ref: "#/components/schemas/Base"}, {type: object, properties: {type: {const: mail.sent}}, required: [type]}]
      properties:
        list: {type: array, items: {type: object, required: [a/b], properties: {a/b: {oneOf: [{const: x}, {const: y}]}}}}
        again: {$ref: "#/components/schemas/Sent"}
`)
	if s.Title != "Mail API" || !slices.Equal(s.Contacts, []string{"mail.example"}) || !slices.Equal(s.Servers, []string{"api.mail.example"}) || s.Marked {
		t.Errorf("title %q, contacts %v, servers %v, marked %v", s.Title, s.Contacts, s.Servers, s.Marked)
	}
	var targets []string
	for _, o := range s.Operations {
		targets = append(targets, o.Container+" "+o.Name+" "+o.Method+" "+o.Target)
	}
	want := []string{
		"webhooks mail.sent post $.webhooks['mail.sent'].post",
		"webhooks moved put $.webhooks.moved",
		"paths things get $.paths['/things/{id}'].get",
		`callbacks done post $.paths['/things/{id}'].post.callbacks.done['{$request.body#/url}/it\'s'].post`,
		"paths things post $.paths['/things/{id}'].post",
	}
	if !slices.Equal(targets, want) {
		t.Errorf("operations\n%q, want\n%q", targets, want)
	}
	o := s.Operations[0]
	if !slices.Equal(o.Headers, []string{"X-Sig", "X-Id"}) || !slices.Equal(o.Statuses, []string{"202"}) || o.Security[0].Scheme != "basic" {
		t.Errorf("headers %v, statuses %v, security %v", o.Headers, o.Statuses, o.Security)
	}
	for pointer, want := range map[string]spec.Member{
		"/type":        {Required: true, Fixed: []string{"mail.sent"}, Kinds: []string{"string"}},
		"/id":          {Required: true, Kinds: []string{"string"}},
		"/list":        {Kinds: []string{"array"}},
		"/list/*":      {Kinds: []string{"object"}},
		"/list/*/a~1b": {Fixed: []string{"x", "y"}},
	} {
		i := slices.IndexFunc(o.Members, func(m spec.Member) bool { return m.Pointer == pointer })
		if i < 0 {
			t.Errorf("no member %s in %v", pointer, o.Members)
			continue
		}
		if m := o.Members[i]; m.Required != want.Required || !slices.Equal(m.Fixed, want.Fixed) || !slices.Equal(m.Kinds, want.Kinds) {
			t.Errorf("member %+v, want %+v", m, want)
		}
	}
}

func TestSurveyList(t *testing.T) {
	s := survey(t, `openapi: 3.0.3
info: {title: Mail}
x-webhooks:
  - {name: sent, post: {requestBody: {content: {application/json: {}}}}}
  - moved: {post: {}}
`)
	if len(s.Operations) != 2 || s.Operations[0].Target != "$['x-webhooks'][0].post" || s.Operations[1].Target != "$['x-webhooks'][1].moved.post" {
		t.Errorf("operations %+v, want the two of the list", s.Operations)
	}
}

func TestGenerated(t *testing.T) {
	if !spec.Generated("event", "key") || spec.Generated("event", "nonsense") || spec.Generated("nonsense", "key") {
		t.Error("event.key is generated, and nothing that the vocabulary lacks")
	}
}

func TestSurveyRefuses(t *testing.T) {
	for _, text := range []string{"", "swagger: '2.0'", "overlay: 1.0.0", "a: b: c"} {
		s, found := spec.Look("a.yaml", func(string) ([]byte, error) { return []byte(text), nil })
		if s != nil || !found.HasErrors() {
			t.Errorf("%q is surveyed, want errors", text)
		}
	}
}

// TestSurveyContracts reads every document of a folder of senders' contracts.
func TestSurveyContracts(t *testing.T) {
	folder := os.Getenv("WHGEN_CONTRACTS")
	if folder == "" {
		t.Skip("WHGEN_CONTRACTS names no folder of senders' documents")
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*", "*.y*ml"))
	more, _ := filepath.Glob(filepath.Join(folder, "*", "openapi.json"))
	for _, file := range append(files, more...) {
		s, found := spec.Look(file, os.ReadFile)
		if s == nil {
			t.Errorf("%s cannot be surveyed: %s", file, lines(found))
			continue
		}
		for _, o := range s.Operations {
			if o.Target == "" {
				t.Errorf("%s: no overlay can reach %s %s", file, o.Container, o.Name)
			}
		}
		t.Logf("%s: %d operations", file, len(s.Operations))
	}
}
