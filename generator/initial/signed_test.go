package initial_test

import (
	"strings"
	"testing"

	"github.com/whgen/whgen/generator/initial"
)

const signedDocument = `openapi: 3.1.0
info: {title: Acme, version: "1"}
x-fern-webhook-signature: {type: hmac, header: X-Acme-Signature%s}
webhooks:
  orderPaid:
    post:
      requestBody:
        content: {application/json: {schema: {type: object, required: [id, type], properties: {id: {type: string}, type: {type: string, const: order.paid}}}}}
`

// TestSignedByTheDocument: where the document says in another tool's words how
// deliveries are signed, the signature is no question.
func TestSignedByTheDocument(t *testing.T) {
	f := one(strings.Replace(signedDocument, "%s", "", 1))
	p := f.propose(t, initial.Options{})
	if text := string(p.Overlay); strings.Contains(text, "signature: {") || !strings.Contains(text, "x-fern-webhook-signature of the document") {
		t.Errorf("the overlay asks how deliveries are signed:\n%s", text)
	}
	for _, d := range f.lint(p.Overlay) {
		if strings.HasPrefix(d.Rule, "signature") && d.Rule != "signature-imported" {
			t.Errorf("the lint says: %v", d)
		}
	}
	if !strings.Contains(strings.Join(p.Sure, "\n"), "x-fern-webhook-signature") {
		t.Errorf("it is not told what the signature was taken from: %q", p.Sure)
	}
}

// TestSignedInexactly: what cannot be taken over is a question with its reason.
func TestSignedInexactly(t *testing.T) {
	p := one(strings.Replace(signedDocument, "%s", ", nonce: X-Nonce", 1)).propose(t, initial.Options{})
	text := string(p.Overlay)
	if !strings.Contains(text, "signature: {") || !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(text, "# ?", "")), " "), `"nonce" is not understood`) {
		t.Errorf("the overlay does not ask:\n%s", text)
	}
	if strings.Contains(text, "x-fern-webhook-signature of the document; a signature") || strings.Contains(strings.Join(p.Sure, "\n"), "x-fern") {
		t.Errorf("it is said to be taken over:\n%s\n%q", text, p.Sure)
	}
}
