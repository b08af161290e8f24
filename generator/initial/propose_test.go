package initial_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/generator/initial"
	"github.com/whgen/whgen/spec"
)

// asked are the rules of findings that an open question may cause.
var asked = []string{"signature-missing", "event-key", "event-type", "outcome-missing", "replay", "no-entries"}

// folder is a document with the files that it refers to.
type folder struct {
	document string
	read     spec.ReadFile
}

func one(text string) folder {
	return folder{"api.yaml", func(name string) ([]byte, error) {
		if name == "api.yaml" {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}}
}

// lint is what whgen lint finds: in the contract, and in the plan made of it.
func (f folder) lint(overlay []byte) spec.Diagnostics {
	r := spec.Receiver{Contract: f.document, Overlays: []string{"o.overlay.yaml"}, Engine: "sqlite", Migrations: "goose"}
	c, found := spec.Load(r, func(name string) ([]byte, error) {
		if name == "o.overlay.yaml" {
			return overlay, nil
		}
		return f.read(name)
	})
	if c != nil {
		_, more := generator.NewPlan(c, generator.PlanOptions{Import: "example.com/" + c.Source})
		found = append(found, more...)
	}
	return found
}

func (f folder) propose(t *testing.T, o initial.Options) *initial.Proposal {
	t.Helper()
	s, found := spec.Look(f.document, f.read)
	if s == nil {
		t.Fatalf("%s cannot be surveyed: %v", f.document, found)
	}
	p, err := initial.Propose(s, o, f.lint)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answered takes the comment away from every proposal.
func answered(overlay []byte) []byte {
	var out []string
	asked := false
	for _, line := range strings.Split(string(overlay), "\n") {
		trimmed := strings.TrimLeft(line, " ")
		comment, is := strings.CutPrefix(trimmed, "# ")
		switch {
		case is && strings.HasPrefix(comment, "?"):
			asked = true
		case is && asked:
			line = line[:len(line)-len(trimmed)] + comment
		default:
			asked = false
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n"))
}

func errors(found spec.Diagnostics) []string {
	var all []string
	for _, d := range found {
		if d.Severity == spec.Error {
			all = append(all, d.String())
		}
	}
	return all
}

// holds demands that only questions are findings, and none once they are
// answered, but what the lint refuses of the document itself.
func (f folder) holds(t *testing.T, p *initial.Proposal) {
	t.Helper()
	said := func(d spec.Diagnostic) bool {
		return slices.ContainsFunc(p.Questions, func(q string) bool {
			return strings.Contains(q, "whgen lint refuses") && strings.Contains(q, d.Message)
		})
	}
	for _, d := range f.lint(p.Overlay) {
		if d.Severity == spec.Error && !slices.Contains(asked, d.Rule) && !said(d) {
			t.Errorf("%s: an error that no question stands for: %s", f.document, d)
		}
	}
	if len(errors(f.lint(p.Overlay))) == 0 {
		t.Errorf("%s: lint passes although nothing was answered:\n%s", f.document, p.Overlay)
	}
	for _, d := range f.lint(answered(p.Overlay)) {
		if d.Severity == spec.Error && !said(d) {
			t.Errorf("%s: with the proposals taken: %s\n%s", f.document, d, answered(p.Overlay))
		}
	}
}

func wants(t *testing.T, p *initial.Proposal, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(string(p.Overlay)+strings.Join(p.Questions, "\n"), line) {
			t.Errorf("the overlay lacks %q:\n%s", line, p.Overlay)
		}
	}
}

func lacks(t *testing.T, p *initial.Proposal, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if strings.Contains(string(p.Overlay), line) {
			t.Errorf("the overlay has %q:\n%s", line, p.Overlay)
		}
	}
}

// post is a webhook with a schema in flow style.
func post(name, schema string) string {
	return "  " + name + ": {post: {requestBody: {content: {application/json: {schema: " + schema + "}}}, responses: {\"202\": {description: ok}}}}\n"
}

func TestTypeByConst(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Mail API, version: \"1\"}\nwebhooks:\n" +
		post("sent", "{type: object, required: [kind, event_id], properties: {kind: {const: mail.sent}, event_id: {type: string}}}") +
		post("moved", "{allOf: [{type: object, properties: {kind: {type: string}, event_id: {type: string}}}, {properties: {kind: {enum: [mail.moved]}}}]}"))
	p := f.propose(t, initial.Options{})
	wants(t, p, "source: mail ", "type: /kind # the schema fixes it in each of 2 entries", "# key: /event_id", "# processed: 202", "# ? How are deliveries signed?")
	f.holds(t, p)
}

func TestTypeByExample(t *testing.T) {
	entry := func(name, example string) string {
		return "  " + name + ": {post: {requestBody: {content: {application/json: {schema: {type: object, properties: {type: {type: string}}}, example: " + example + "}}}}}\n"
	}
	all := "openapi: 3.1.0\ninfo: {title: Mail API, version: \"1\"}\nwebhooks:\n" + entry("sent", "{type: the.sent}") + entry("moved", "{type: the.moved}")
	f := one(all)
	p := f.propose(t, initial.Options{})
	wants(t, p, "type: /type # told by the schema or the example of each of 2 entries", "{event: the.sent}", "{event: the.moved}")
	f.holds(t, p)

	f = one(all + entry("lost", "{}"))
	p = f.propose(t, initial.Options{})
	wants(t, p, "type: /type # told by the schema or the example of 2 of 3 entries", "# ? The document does not tell which type these have on the wire: lost.")
	f.holds(t, p)

	f = one(all + entry("same", "{type: the.sent}"))
	p = f.propose(t, initial.Options{})
	lacks(t, p, "          type: /type", "{event: the.sent}")
	f.holds(t, p)
}

// TestNothingInSilence: a value that two entries share, or that one lacks, is
// no type; an id is never taken for the event's.
func TestNothingInSilence(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Mail API, version: \"1\"}\nwebhooks:\n" +
		post("sent", "{type: object, properties: {type: {const: mail}, id: {type: string}}}") +
		post("moved", "{type: object, properties: {type: {const: mail}, id: {type: string}}}"))
	p := f.propose(t, initial.Options{})
	wants(t, p, "# type: header:X-Event-Type", "# key: /id")
	lacks(t, p, "type: /type", "          key: /id")
	f.holds(t, p)
}

func TestPresetByServer(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Some API, version: \"1\"}\nservers: [{url: 'https://api.resend.com/v1'}]\nwebhooks:\n" +
		post("sent", "{type: object, properties: {type: {const: sent}}}"))
	p := f.propose(t, initial.Options{})
	wants(t, p, "preset: svix # the document's server is api.resend.com", "source: resend", "type: /type")
	lacks(t, p, "signature", "key:")
	f.holds(t, p)
}

// TestEachPreset: a document of any sender in the table comes to a contract
// that lints once the questions are answered.
func TestEachPreset(t *testing.T) {
	found := 0
	for _, preset := range spec.Presets() {
		f := one("openapi: 3.1.0\ninfo: {title: Some API, version: \"1\"}\nservers: [{url: 'https://api." + preset.Name + ".com/v1'}]\nwebhooks:\n" +
			post("sent", "{type: object, additionalProperties: true}"))
		p := f.propose(t, initial.Options{})
		if strings.Contains(string(p.Overlay), "preset: "+preset.Name+" # the document's server") {
			found++
			f.holds(t, p)
		}
	}
	if found < 30 {
		t.Errorf("%d presets were found by their domains", found)
	}
}

func TestPresetByHeader(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Acme, version: \"1\"}\nwebhooks:\n  sent: {post: {parameters: [{name: Webhook-Signature, in: header}], requestBody: {content: {application/json: {schema: {type: object}}}}}}\n")
	p := f.propose(t, initial.Options{Source: "acme_mail"})
	wants(t, p, "preset: standard-webhooks # the document declares the header Webhook-Signature", "source: acme_mail ", "ACME_MAIL_WEBHOOK_SECRET")
	f.holds(t, p)
}

// TestPresetByTitle: a name in a text is a question, and a document that is
// kept on GitHub is not GitHub's.
func TestPresetByTitle(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Hooks that speak Stripe, version: \"1\", contact: {url: 'https://github.com/acme/specs'}}\nwebhooks:\n" +
		post("sent", "{type: object, properties: {id: {type: string}, type: {const: sent}}}"))
	p := f.propose(t, initial.Options{})
	wants(t, p, "# ? Is the sender stripe?", "# preset: stripe")
	lacks(t, p, "preset: github", "        preset:")
	f.holds(t, p)
}

func TestKeyNotSigned(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Forge, version: \"1\"}\nservers: [{url: https://api.github.com}]\nwebhooks:\n" +
		"  issues-opened: {post: {operationId: issues/opened, requestBody: {content: {application/json: {schema: {type: object, properties: {action: {const: opened}}}}}}}}\n" +
		"  pull-request-review-dismissed: {post: {operationId: pull-request-review/dismissed, requestBody: {content: {application/json: {schema: {type: object, properties: {action: {const: dismissed}}}}}}}}\n")
	p := f.propose(t, initial.Options{})
	wants(t, p, "# event: {replay: refuse}", "{event: issues.opened}", "{event: pull_request_review.dismissed}", "does not cover the event key header:X-GitHub-Delivery")
	f.holds(t, p)
}

func TestCloudEvents(t *testing.T) {
	f := one(`openapi: 3.0.3
info: {title: Sessions, version: "1"}
paths:
  /sessions:
    post:
      callbacks:
        changed:
          "{$request.body#/sink}":
            post:
              security: [{token: []}]
              requestBody: {content: {application/cloudevents+json: {schema: {$ref: "#/components/schemas/Event"}}}}
      responses: {}
components:
  securitySchemes: {token: {type: http, scheme: bearer}}
  schemas:
    Event:
      type: object
      properties: {id: {type: string}, source: {type: string}, type: {type: string}, specversion: {type: string}}
      discriminator: {propertyName: type, mapping: {org.x.changed: "#/components/schemas/Changed"}}
    Changed: {allOf: [{$ref: "#/components/schemas/Event"}]}
`)
	p := f.propose(t, initial.Options{})
	wants(t, p, "key: [/source, /id]", "type: /type # the discriminator's property; it lists 1 type", "org.x.changed: {}", "# signature: {type: bearer}")
	f.holds(t, p)
}

func TestNoEntry(t *testing.T) {
	f := one(`openapi: 3.0.3
info: {title: Payments, version: "1"}
paths:
  /things: {get: {responses: {}}}
components:
  schemas:
    event_type: {type: object, properties: {name: {type: string}}}
    event: {type: object, properties: {id: {type: string}, event_type: {type: string}}}
`)
	p := f.propose(t, initial.Options{})
	wants(t, p, "Nothing in the document receives deliveries", "# - target: $", "#/components/schemas/event'")
	f.holds(t, p)
}

func TestBatch(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Acme, version: \"1\"}\nwebhooks:\n" +
		post("all", "{type: object, properties: {destination: {type: string}, events: {type: array, items: {type: object, properties: {webhookEventId: {type: string}, type: {type: string}}}}}}"))
	p := f.propose(t, initial.Options{})
	if spec.Generated("event", "items") {
		wants(t, p, "items: /events/*")
	} else {
		wants(t, p, "# ? The body holds a batch of events at /events/*")
	}
	wants(t, p, "# key: /webhookEventId")
	f.holds(t, p)
}

func TestBatchOfWrappers(t *testing.T) {
	entry := func(code string) string {
		return post(code, "{type: object, properties: {live: {type: string}, notificationItems: {type: array, items: {type: object, properties: "+
			"{Item: {type: object, properties: {eventCode: {const: "+code+"}, pspReference: {type: string}}}}}}}}")
	}
	other := post("other", "{type: object, properties: {id: {type: string}}}")
	f := one("openapi: 3.1.0\ninfo: {title: Acme, version: \"1\"}\nwebhooks:\n" + entry("PAID") + entry("LOST") + other)
	p := f.propose(t, initial.Options{})
	wants(t, p, "items: /notificationItems/*/Item", "type: /eventCode", "# ? These are left out, because they hold no batch while the others do: other.")
	lacks(t, p, "webhooks.other.post")
	f.holds(t, p)
}

func TestComposite(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Acme, version: \"1\"}\nwebhooks:\n" +
		post("sent", "{type: object, properties: {tenantId: {type: string}, resourceId: {type: string}, name: {type: string}, valid: {type: boolean}, eventType: {const: sent}, at: {type: string, format: date-time}}}"))
	p := f.propose(t, initial.Options{})
	wants(t, p, "# key: [/tenantId, /resourceId, /eventType, /at]")
	f.holds(t, p)
}

func TestChosenEntries(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Mail, version: \"1\"}\nwebhooks:\n" + post("mail.sent", "{type: object}") + post("mail.moved", "{type: object}") + post("box/made", "{type: object}"))
	p := f.propose(t, initial.Options{Entries: []string{"mail.*"}})
	wants(t, p, "mail.sent", "mail.moved")
	lacks(t, p, "box/made")
	s, _ := spec.Look(f.document, f.read)
	if _, err := initial.Propose(s, initial.Options{Entries: []string{"male.*"}}, f.lint); err == nil || !strings.Contains(err.Error(), `no entry of api.yaml is called "male.*"`) {
		t.Errorf("error %v, want one that names the pattern", err)
	}
}

// TestLeftOut: what is not taken is named, with the reason.
func TestLeftOut(t *testing.T) {
	f := one(`openapi: 3.1.0
info: {title: Acme, version: "1"}
webhooks:
  sent: {post: {requestBody: {content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}}}
  look: {get: {}}
paths:
  /subscribe:
    post:
      callbacks: {done: {"{$request.body#/url}": {post: {}}}}
`)
	p := f.propose(t, initial.Options{})
	wants(t, p, "because their method carries no body: look (GET).", "because they are callbacks beside webhooks: done.")
	f.holds(t, p)

	f = one(`openapi: 3.1.0
info: {title: Acme, version: "1"}
paths:
  /a: {post: {callbacks: {event: {"{$request.body#/url}": {post: {}}}}}}
  /b: {post: {callbacks: {event: {"{$request.body#/url}": {post: {}}}}}}
`)
	p = f.propose(t, initial.Options{})
	wants(t, p, "names are unique: $.paths['/b'].post.callbacks.event['{$request.body#/url}'].post.")
	f.holds(t, p)
}

// TestRefused: what the lint refuses of the document itself is said.
func TestRefused(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: Acme, version: \"1\"}\nwebhooks:\n" +
		post("order.paid", "{type: object, properties: {type: {const: a}}}") + post("order_paid", "{type: object, properties: {type: {const: b}}}"))
	p := f.propose(t, initial.Options{})
	wants(t, p, "whgen lint refuses what stands here", `both named "orderPaid"`)
	f.holds(t, p)
}

// TestForms: fields of a form are named as such.
func TestForms(t *testing.T) {
	f := one(strings.ReplaceAll("openapi: 3.1.0\ninfo: {title: Acme, version: \"1\"}\nwebhooks:\n"+
		post("sent", "{type: object, properties: {event: {const: sent}, event_id: {type: string}}}")+
		post("lost", "{type: object, properties: {event: {const: lost}, event_id: {type: string}}}"), "application/json", "application/x-www-form-urlencoded"))
	p := f.propose(t, initial.Options{})
	wants(t, p, "type: form:event #", "# key: form:event_id")
	f.holds(t, p)
}

// TestHostileNames: what a document calls its things stays inside its line.
func TestHostileNames(t *testing.T) {
	f := one("openapi: 3.1.0\ninfo: {title: \"x\\n# - y: \\\"z\", version: \"1\"}\nwebhooks:\n" +
		post(`"a'b: {c}\n#\"d"`, "{type: object, properties: {'it\"s #1': {const: 'on'}, type: {const: \"yes\\nno\"}}}") + post("\"e]\"", "{type: object, properties: {type: {const: 'null'}}}"))
	f.holds(t, f.propose(t, initial.Options{}))
}

func TestStarter(t *testing.T) {
	for _, source := range []string{"shop", "acme_pay"} {
		text, err := initial.Starter(source)
		if err != nil {
			t.Fatal(err)
		}
		c, found := spec.LoadFile("s.yaml", func(string) ([]byte, error) { return text, nil })
		if c == nil || len(found) > 0 {
			t.Fatalf("the starter has findings: %v", found)
		}
		if want := strings.ToUpper(source) + "_WEBHOOK_SECRET"; c.Source != source || c.Endpoints[0].Signature.Secrets[0].Name != want {
			t.Errorf("source %s, secret %s, want %s and %s", c.Source, c.Endpoints[0].Signature.Secrets[0].Name, source, want)
		}
	}
}

// TestContracts proposes an overlay for each document of a folder of senders'
// contracts, in which the documents are *.yaml, *.yml and *.json with an openapi key.
func TestContracts(t *testing.T) {
	root := os.Getenv("WHGEN_CONTRACTS")
	if root == "" {
		t.Skip("WHGEN_CONTRACTS names no folder of senders' documents")
	}
	var documents []string
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if ext := filepath.Ext(name); err == nil && !d.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, ext) && filepath.Base(filepath.Dir(name)) != "payloads" {
			documents = append(documents, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, document := range documents {
		f := folder{filepath.ToSlash(document), os.ReadFile}
		if s, _ := spec.Look(f.document, f.read); s == nil || len(s.Operations) == 0 {
			continue // a configuration, a list, or a file that others refer to
		}
		seen++
		p := f.propose(t, initial.Options{})
		t.Logf("%s: source %s; sure: %s; %d questions", document, p.Source, strings.Join(p.Sure, "; "), len(p.Questions))
		f.holds(t, p)
	}
	if seen == 0 {
		t.Errorf("no document in %s", root)
	}
}
