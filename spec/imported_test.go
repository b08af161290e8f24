package spec

import (
	"strings"
	"testing"
)

const importing = `openapi: 3.1.0
info: {title: Shop, version: "1"}
x-whgen:
  version: 1
  source: shop
  event: {type: /type, key: /id}
  sender: {acknowledges: [2xx], timeout: 10s, retryHorizon: 72h}
  outcomes: {processed: 200, duplicate: replay, conflict: processed, inProgress: 503, failed: 500}
%s
webhooks:
  orderPaid:
    post:
      x-whgen: {}
      requestBody: {content: {application/json: {schema: {type: object, required: [id, type], properties: {id: {type: string}, type: {type: string, const: order.paid}}}}}}
`

// loadImporting is the contract with lines at the root of the document, or of
// x-whgen where they are indented.
func loadImporting(t *testing.T, lines string) (*Contract, Diagnostics) {
	t.Helper()
	text := strings.Replace(importing, "%s", lines, 1)
	return LoadFile("shop.yaml", func(string) ([]byte, error) { return []byte(text), nil })
}

const (
	fernLines = `x-fern-webhook-signature:
  type: hmac
  header: x-shop-signature
  encoding: hex
  signature-prefix: v1=
  payload-format: {components: [timestamp, body], delimiter: "."}
  timestamp: {header: x-time, tolerance: 120}
`
	sameLines = `  signature: {type: hmac, from: header:X-Shop-Signature, encoding: hex, prefix: v1=, content: "{timestamp}.{body}", timestamp: {from: header:X-Time, format: unix, tolerance: 2m, futureTolerance: 2m}}
`
)

// TestImportedIsDeclared: an extension and the same scheme in our words come to
// one scheme, and a contract with both has nothing to tell.
func TestImportedIsDeclared(t *testing.T) {
	imported, found := loadImporting(t, fernLines)
	if imported == nil || len(found) != 1 || found[0].Rule != "signature-imported" {
		t.Fatalf("the extension alone: %v", found)
	}
	declared, found := loadImporting(t, sameLines+fernLines)
	if declared == nil || len(found) != 0 {
		t.Fatalf("the extension and the same scheme: %v", found)
	}
	a, b := imported.Endpoints[0].Signature, declared.Endpoints[0].Signature
	if got := a.differs(b); len(got) > 0 {
		t.Errorf("they differ: %v", got)
	}
	if a.Imported != fernName || b.Imported != "" {
		t.Errorf("they say that they are of %q and %q", a.Imported, b.Imported)
	}
}

// TestImportTakenBack: null in an overlay, or in the document, is no extension.
func TestImportTakenBack(t *testing.T) {
	for _, lines := range []string{"x-fern-webhook-signature: null\n", "x-speakeasy-webhooks:\n", "x-speakeasy-webhooks: {}\n"} {
		_, found := loadImporting(t, lines)
		if len(found) != 1 || found[0].Rule != "signature-missing" {
			t.Errorf("%s: %v", strings.TrimSpace(lines), found)
		}
	}
}

// TestImportedBesidePreset: a preset declares a signature, and is compared.
func TestImportedBesidePreset(t *testing.T) {
	c, found := loadImporting(t, "  signature: {preset: github}\n"+fernLines)
	if c == nil || c.Endpoints[0].Signature.Preset != "github" {
		t.Fatalf("the preset does not count: %v", found)
	}
	keys := map[string]bool{}
	for _, d := range found {
		if d.Rule == "signature-differs" {
			key, _, _ := strings.Cut(d.Message, " ")
			keys[key] = true
		}
	}
	for _, key := range []string{"signature.from", "signature.prefix", "signature.content", "signature.timestamp.from"} {
		if !keys[key] {
			t.Errorf("%s is not said to differ: %v", key, found)
		}
	}
	if keys["signature.hash"] || keys["signature.encoding"] {
		t.Errorf("what is the same is said to differ: %v", found)
	}
}
