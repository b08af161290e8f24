package spec_test

import (
	"github.com/whgen/whgen/spec"
	"strings"
	"testing"
)

const small = `openapi: VERSION
info: {title: Small, version: "1"}
x-whgen:
  version: 1
  source: small
  signature: {type: token, from: header:X-Token}
  event: {key: /id}
  outcomes: {processed: 200, duplicate: 200, conflict: 200, inProgress: 503, failed: 503}
WHERE
components:
  schemas:
    Thing:
      type: object
      required: [id]
      properties:
        id: {type: string, pattern: "(?=x)y", example: 1}
        flag: {type: string, enum: [on, off, yes, 1.10, 1e3, 0x10, 012, 2024-01-01, null]}
        big: {type: integer, enum: [9007199254740993], maximum: 9007199254740993}
        next: {$ref: "#/components/schemas/Thing"}
`

const body = `{x-whgen: {}, requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}, example: {id: a, n: 12345678901234567890, d: 1.10}}}}, responses: {200: {description: x}}}`

func document(version, where string) string {
	return strings.NewReplacer("VERSION", version, "WHERE", where).Replace(small)
}

func TestEveryPlaceOfAnEntry(t *testing.T) {
	for name, text := range map[string]string{
		"webhooks":        document("3.1.0", "webhooks: {thing: {post: "+body+"}}"),
		"3.2":             document("3.2.0", "webhooks: {thing: {post: "+body+"}}"),
		"x-webhooks":      document("3.0.3", "x-webhooks: {thing: {post: "+body+"}}"),
		"x-webhooks flat": document("3.0.3", "x-webhooks: {thing: "+body+"}"),
		"x-webhooks list": document("3.0.3", "x-webhooks: [{thing: {post: "+body+"}}]"),
		"paths":           document("3.0.3", "paths: {'/hooks/thing/{id}': {post: "+body+"}}"),
		"callbacks":       document("3.0.3", "paths: {/sub: {post: {callbacks: {thing: {'{$request.body#/url}': {post: "+body+"}}}}}}"),
		"path item":       document("3.1.0", "webhooks: {thing: {x-whgen: {name: thing}, post: "+body+"}}"),
		"item by ref":     document("3.1.0", "webhooks: {thing: {$ref: '#/x-items/thing', x-whgen: {}}}\nx-items: {thing: {post: "+strings.Replace(body, "x-whgen: {}, ", "", 1)+"}}"),
		"crlf and bom":    "\xef\xbb\xbf" + strings.ReplaceAll(document("3.1.0", "webhooks: {thing: {post: "+body+"}}"), "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			c := loadFiles(t, map[string]string{"c.yaml": text}, "c.yaml")
			e := c.Events[0]
			if e.Name != "thing" || e.Entry != "thing" || e.Schema == nil || e.Schema.Value == nil {
				t.Fatalf("event: %+v", e)
			}
			if got, want := string(e.Example), `{"id":"a","n":12345678901234567890,"d":1.10}`; got != want {
				t.Errorf("example: got %s, want %s", got, want)
			}
		})
	}
}

// TestScalarsAsWritten: a YAML reader must not turn `on` into true or 1.10
// into 1.1 where the schema is of strings.
func TestScalarsAsWritten(t *testing.T) {
	c := loadFiles(t, map[string]string{"c.yaml": document("3.1.0", "webhooks: {thing: {post: "+body+"}}")}, "c.yaml")
	flag := c.Events[0].Schema.Value.Properties["flag"].Value
	var got []string
	for _, v := range flag.Enum {
		text, _ := v.(string)
		got = append(got, text)
	}
	if want := "on off yes 1.10 1e3 0x10 012 2024-01-01 "; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, " "), want)
	}
}

func TestJSONAndAnchors(t *testing.T) {
	c := loadFiles(t, map[string]string{"c.json": `{"openapi": "3.1.0", "info": {"title": "\ud83d\ude00", "version": "1"},
 "x-whgen": {"version": 1, "source": "s", "signature": {"type": "none", "reason": "inside"}, "event": {"key": "/id"}},
 "webhooks": {"thing": {"post": {}}}}`, "o.yaml": `
overlay: 1.0.0
info: {title: o, version: "1"}
x-answers: &answers {processed: 200, duplicate: 200}
actions:
  - target: $.x-whgen
    update: {outcomes: {<<: *answers, conflict: 200, inProgress: 503, failed: 503}}
  - target: $.webhooks.*.post
    update: {x-whgen: {}}
`}, "c.json", "o.yaml")
	if c.Title != "\U0001f600" {
		t.Errorf("title: got %q", c.Title)
	}
	if got := c.Events[0].Outcomes["duplicate"].Status; got != 200 {
		t.Errorf("duplicate through the anchor: got %d", got)
	}
}

// TestOriginsPointHome: what kin-openapi says about a place is a place in the
// user's file, in whichever file it stands.
func TestOriginsPointHome(t *testing.T) {
	files := map[string]string{"a/c.yaml": document("3.0.3", `webhooks:
  thing:
    post:
      x-whgen: {}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                id: {type: string}
                far: {$ref: "../common.yaml#/Far"}`), "common.yaml": "# shared\nFar:\n  type: object\n  properties:\n    deep: {$ref: '#/Deep'}\nDeep:\n  type: string\n"}
	c := loadFiles(t, files, "a/c.yaml")
	s := c.Events[0].Schema.Value
	far := s.Properties["far"].Value
	deep := far.Properties["deep"].Value
	if got := s.Properties["id"].Value.Origin.Key; got.File != "a/c.yaml" || got.Line != 19 {
		t.Errorf("id: got %+v", got)
	}
	if got := deep.Origin.Fields.Get("type"); got.File != "common.yaml" || got.Line != 7 || got.Column != 3 {
		t.Errorf("deep: got %+v", got)
	}
}

// TestPositionsAreTheEditors: columns count bytes, and what only YAML calls a
// line break is none.
func TestPositionsAreTheEditors(t *testing.T) {
	text := document("3.1.0", "webhooks: {thing: {post: "+body+"}}")
	text = strings.Replace(text, "title: Small", "title: \"a\u2028b\"", 1)
	text = strings.Replace(text, "  event: {key: /id}", "  event: {key: /id} # \u00e4\n  ä: {ö: 1}", 1)
	found := errorsOf(lint(map[string][]byte{"contract.yaml": []byte(text)}))
	if len(found) == 0 || found[0].Rule != "unknown-key" {
		t.Fatalf("got %v", found)
	}
	if at := found[0].Pos; at.Line != 8 || at.Column != 3 {
		t.Errorf("got %s, want line 8, column 3", at)
	}
	text = strings.Replace(text, "  ä: {ö: 1}", "  sender: {\"ä\": 1, timeoot: 1s}", 1)
	found = errorsOf(lint(map[string][]byte{"contract.yaml": []byte(text)}))
	if at := found[1].Pos; at.Line != 8 || at.Column != 21 {
		t.Errorf("got %s, want line 8, column 21 (in bytes)", at)
	}
}

func errorsOf(found spec.Diagnostics) spec.Diagnostics {
	var all spec.Diagnostics
	for _, d := range found {
		if d.Severity == spec.Error {
			all = append(all, d)
		}
	}
	return all
}
