package spec_test

import (
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

func bodyContract(t *testing.T, root, content string) *spec.Contract {
	t.Helper()
	return markedContract(t, root, content, "{}")
}

func markedContract(t *testing.T, root, content, mark string) *spec.Contract {
	t.Helper()
	return loadFiles(t, map[string]string{"c.yaml": `openapi: 3.1.0
info: {title: Bodies, version: "1"}
x-whgen:
  version: 1
  source: bodies
  signature: {type: token, from: header:X-Token}
  outcomes: {processed: 200, duplicate: 200, conflict: 200, inProgress: 503, failed: 503}
  ` + root + `
webhooks:
  thing:
    post: {x-whgen: ` + mark + `, requestBody: {content: ` + content + `}}
`}, "c.yaml")
}

// TestWhichBodyIsTaken: what an entry declares, where its document stands, and
// how its body is read.
func TestWhichBodyIsTaken(t *testing.T) {
	const key = "event: {key: header:X-Id}"
	const inner = `{type: object, properties: {inner: {type: string}}}`
	for name, c := range map[string]struct {
		root, content string
		kind          spec.BodyKind
		media, asJSON string
		properties    string
	}{
		"json":             {key, `{application/xml: {}, application/json: {schema: ` + inner + `}}`, spec.JSONBody, "application/json", "", "inner"},
		"any":              {key, `{"*/*": {}}`, spec.JSONBody, "application/json", "", ""},
		"suffix":           {key, `{application/cloudevents+json: {}}`, spec.JSONBody, "application/cloudevents+json", "", ""},
		"parameters":       {key, `{"application/json; charset=utf-8": {}}`, spec.JSONBody, "application/json", "", ""},
		"form":             {key, `{multipart/form-data: {}, application/x-www-form-urlencoded: {schema: ` + inner + `}}`, spec.FormBody, "application/x-www-form-urlencoded", "", "inner"},
		"multipart":        {key, `{application/xml: {}, multipart/form-data: {}}`, spec.MultipartBody, "multipart/form-data", "", ""},
		"text":             {key, `{text/plain: {schema: {type: string}}}`, spec.RawBody, "text/plain", "", ""},
		"xml":              {key, `{application/xml: {}}`, spec.RawBody, "application/xml", "", ""},
		"json as text":     {key, `{text/plain: {schema: ` + inner + `}}`, spec.JSONBody, "text/plain", "text/plain", "inner"},
		"document by name": {key + "\n  document: form:payload", `{application/json: {schema: ` + inner + `}}`, spec.JSONBody, "application/json application/x-www-form-urlencoded", "", "inner"},
		"document alone":   {key + "\n  document: form:payload", `{}`, spec.JSONBody, "application/x-www-form-urlencoded", "", ""},
		"form around": {key + "\n  document: form:payload", `{application/x-www-form-urlencoded: {schema: {properties: {payload: {contentSchema: ` + inner + `}}}}}`,
			spec.JSONBody, "application/x-www-form-urlencoded", "", "inner"},
		"form around nothing": {key + "\n  document: form:payload", `{application/x-www-form-urlencoded: {schema: {properties: {payload: {type: string}}}}}`,
			spec.JSONBody, "application/x-www-form-urlencoded", "", ""},
		"text around": {key + "\n  document: body:/Message", `{text/plain: {}}`, spec.JSONBody, "text/plain", "text/plain", ""},
		"json around": {key + "\n  document: {from: body:/a/b, encoding: base64}", `{application/json: {schema: {properties: {a: {properties: {b: {contentSchema: ` + inner + `}}}}}}}`,
			spec.JSONBody, "application/json", "", "inner"},
	} {
		t.Run(name, func(t *testing.T) {
			got := bodyContract(t, c.root, c.content)
			e, end := got.Events[0], got.Endpoints[0]
			if e.Body != c.kind || strings.Join(end.Media, " ") != c.media || strings.Join(end.AsJSON, " ") != c.asJSON {
				t.Errorf("got %s, %v, as JSON %v; want %s, %s, %s", e.Body, end.Media, end.AsJSON, c.kind, c.media, c.asJSON)
			}
			var names []string
			if e.Schema != nil {
				for name := range e.Schema.Value.Properties {
					names = append(names, name)
				}
			}
			if strings.Join(names, " ") != c.properties {
				t.Errorf("the schema has %v, want %q", names, c.properties)
			}
		})
	}
}

func TestFingerprintAroundADocument(t *testing.T) {
	c := bodyContract(t, "document: body:/data\n  event: {key: envelope:/id}\n  fingerprint: {of: [\"body:\", envelope:/n]}", `{application/json: {}}`)
	of := c.Events[0].Fingerprint.Of
	if len(of) != 2 || of[0].Kind != spec.SelectBody || of[0].Pointer != "" || of[1].Text() != "envelope:/n" {
		t.Errorf("of: %+v", of)
	}
}

func TestColumnsOfForms(t *testing.T) {
	c := markedContract(t, "event: {key: form:id}", `{application/x-www-form-urlencoded: {schema: {type: object, properties: {
      id: {type: integer}, at: {type: string, format: date-time}, "f[x]": {type: boolean}, g: {type: object, properties: {y: {type: number}}}}}}}`,
		`{effects: {row: {record: rows, columns: {a: form:id, b: form:at, c: "form:f[x]", d: "form:g[y]", e: /g, f: {from: "form:new", undeclared: true}}}}}`)
	var got []string
	for _, col := range c.Events[0].Effects[0].Columns {
		got = append(got, col.Name+"="+col.Type)
	}
	if want := "a=integer b=timestamp c=boolean d=numeric e=json f=text"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if got := c.Events[0].FormPointer("f[x]") + c.Events[0].FormPointer("a[b][][c]") + c.Events[0].FormPointer("a[b"); got != "/f[x]/a/b/0/c/a[b" {
		t.Errorf("pointers are %s", got)
	}
}

// TestSecretsInBodies: a token that stands in the body is never stored.
func TestSecretsInBodies(t *testing.T) {
	c := bodyContract(t, `event: {key: form:id}
  secrets: [X_TOKEN]
  delivery: {payload: {redact: [/person, "form:note"]}, contentEncoding: {accept: gzip, signed: decoded}}
  endpoints: {a: {signature: {type: token, from: "form:auth[token]"}}}`, `{application/x-www-form-urlencoded: {}}`)
	e := c.Endpoints[0]
	if len(e.Redact) != 1 || e.Redact[0].Text() != "form:auth[token]" || len(c.Events[0].Redact) != 2 {
		t.Errorf("redacted: %v, %v", e.Redact, c.Events[0].Redact)
	}
	if len(e.Encodings) != 1 || !e.SignsDecoded {
		t.Errorf("encodings: %v, decoded %v", e.Encodings, e.SignsDecoded)
	}
}
