package initial_test

import (
	"slices"
	"testing"

	"github.com/whgen/whgen/generator/initial"
	"github.com/whgen/whgen/spec"
)

// written are the rules that only a badly written overlay breaks.
var written = []string{"syntax", "tab", "duplicate-key", "second-document", "overlay", "overlay-action", "overlay-target", "overlay-no-match", "unknown-key", "wrong-type", "version", "source"}

// FuzzPropose: whatever a document holds, the proposal is an overlay that can
// be read and laid over it.
func FuzzPropose(f *testing.F) {
	f.Add("openapi: 3.1.0\ninfo: {title: Mail API, version: \"1\"}\nwebhooks:\n" + post("sent", "{type: object, properties: {type: {const: a}, id: {type: string}}}"))
	f.Add("openapi: 3.1.0\ninfo: {title: 'a\"b: #c', version: \"1\"}\nwebhooks:\n" + post("\"a'b]\\\\\"", "{type: object, properties: {events: {type: array, items: {properties: {type: {const: \"x\\ny\"}}}}}}"))
	f.Add("openapi: 3.0.0\nx-webhooks:\n  - name: a\n    post: {parameters: [{name: svix-signature, in: header}]}\npaths:\n  /b: {post: {callbacks: {c: {'{$x}': {post: {}}}}}}\ncomponents: {schemas: {event: {properties: {id: {}, type: {}}}}}")
	f.Add("openapi: 3.1.0\nservers: [{url: 'https://api.github.com'}]\nwebhooks: {a: {$ref: '#/components/pathItems/b'}}\ncomponents: {pathItems: {b: {post: {operationId: a/b}}}}")
	f.Fuzz(func(t *testing.T, text string) {
		d := one(text)
		s, _ := spec.Look(d.document, d.read)
		if s == nil || s.Marked {
			return
		}
		p, err := initial.Propose(s, initial.Options{}, d.lint)
		if err != nil {
			t.Fatal(err)
		}
		for _, overlay := range [][]byte{p.Overlay, answered(p.Overlay)} {
			for _, found := range d.lint(overlay) {
				if found.Severity == spec.Error && found.Pos.File == "o.overlay.yaml" && slices.Contains(written, found.Rule) {
					t.Errorf("%s\n%s", found, overlay)
				}
			}
		}
	})
}
