package spec

// speakeasyName is Speakeasy's extension at the root of a document; its
// vocabulary is that of speakeasy.com/docs/webhooks. What is left out has the
// defaults of their generator.
const speakeasyName = "x-speakeasy-webhooks"

var (
	speakeasyEncodings  = map[string]string{"base64": "base64", "hex": "hex"}
	speakeasyAlgorithms = map[string]string{"hmac-sha256": "sha256"}
)

// speakeasyScheme reads the extension, which stands at at. nil where it says
// nothing of signatures.
func speakeasyScheme(v *value, at Pos) *foreignScheme {
	i := newImporter(speakeasyName, at)
	if !i.isMap(v, speakeasyName) {
		return i.foreignScheme
	}
	i.members(v, "", "security")
	security := v.get("security")
	if security == nil {
		if len(i.faults) > 0 {
			return i.foreignScheme
		}
		return nil
	}
	if !i.isMap(security, "security") {
		return i.foreignScheme
	}
	i.members(security, "security", "type", "headerName", "signatureTextEncoding", "algorithm", "consumerShouldProvideSecret")
	if hint, other := speakeasyOther(security.get("type")); other {
		i.fault(security.get("type").at, hint, "%q: %s has no exact counterpart", "security.type", security.get("type").jsonText())
		return i.foreignScheme
	}
	if own := security.get("consumerShouldProvideSecret"); own != nil && !isTrue(own) {
		i.fault(own.at, "", "%q: a signature of this type wants a secret", "security.consumerShouldProvideSecret")
	}
	i.put(literalAt("hmac", security.at), "type")
	i.put(i.word(security.get("algorithm"), "security.algorithm", speakeasyAlgorithms, "sha256", security.at), "hash")
	header := security.get("headerName")
	if header == nil {
		header = literalAt("x-webhook-signature", security.at)
	}
	i.from(header, "security.headerName")
	encoding := security.get("signatureTextEncoding")
	if textOf(encoding) == "base64url" {
		i.fault(encoding.at, writeYourself+"; encoding: base64url is without padding", "%q: base64url does not say whether it is padded", "security.signatureTextEncoding")
		return i.foreignScheme
	}
	i.put(i.word(encoding, "security.signatureTextEncoding", speakeasyEncodings, "base64", security.at), "encoding")
	i.put(literalAt("{body}", security.at), "content")
	return i.foreignScheme
}

// speakeasyOther says what to write for the types that are no plain signature.
func speakeasyOther(kind *value) (hint string, other bool) {
	switch {
	case kind == nil || kind.is(textForm) && (kind.text == "signature" || kind.text == ""):
		return "", false
	case textOf(kind) == "custom":
		return "the sender's own code makes it: write signature: in x-whgen as the sender documents it, or {type: plugin, name: ...} for a verifier in Go", true
	case textOf(kind) == "signatureStandardWebhooks":
		return "write signature: {preset: standard-webhooks} in x-whgen", true
	case textOf(kind) == "apiKey":
		return "write signature: {type: token, from: header:...} in x-whgen", true
	}
	return writeYourself, true
}
