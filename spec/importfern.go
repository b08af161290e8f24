package spec

import (
	"regexp"
	"slices"
	"strings"
)

// fernName is Fern's extension, at the root of a document or on an operation.
// Its vocabulary is that of buildwithfern.com, "Webhook signature verification";
// what is left out means there what it means here.
const fernName = "x-fern-webhook-signature"

var (
	fernTypes      = map[string]string{"hmac": "hmac", "asymmetric": "asymmetric"}
	fernHashes     = map[string]string{"sha1": "sha1", "sha256": "sha256", "sha384": "sha384", "sha512": "sha512"}
	fernEncodings  = map[string]string{"base64": "base64", "hex": "hex"}
	fernTimes      = map[string]string{"unix-seconds": "unix", "unix-millis": "unix_ms", "iso8601": "rfc3339"}
	fernComponents = map[string]string{"body": "{body}", "timestamp": "{timestamp}", "notification-url": "{url}"}
	fernAlgorithms = []string{"ed25519", "rsa-sha256", "rsa-sha384", "rsa-sha512", "ecdsa-sha256", "ecdsa-sha384", "ecdsa-sha512"}
	fernSeconds    = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)
)

// fernScheme reads the extension. forms: every body that it is for is a form.
func fernScheme(v *value, forms bool) *foreignScheme {
	i := &fernImporter{importer: newImporter(fernName, v.at), of: v, forms: forms}
	if !i.isMap(v, fernName) {
		return i.foreignScheme
	}
	kind := v.get("type")
	if kind == nil {
		i.fault(v.at, "", "the type is not declared")
		return i.foreignScheme
	}
	common := []string{"type", "header", "encoding", "signature-prefix", "payload-format", "timestamp"}
	switch i.word(kind, "type", fernTypes, "", v.at).text {
	case "hmac":
		i.members(v, "", append(common, "algorithm", "body-hash-binding", "url-normalization")...)
		i.put(literalAt("hmac", kind.at), "type")
		i.put(i.word(v.get("algorithm"), "algorithm", fernHashes, "sha256", v.at), "hash")
	case "asymmetric":
		i.members(v, "", append(common, "asymmetric-algorithm", "jwks-url", "key-id-header")...)
		i.asymmetric()
	default:
		return i.foreignScheme
	}
	i.common()
	return i.foreignScheme
}

type fernImporter struct {
	*importer
	of    *value
	forms bool
}

// common reads what both types have.
func (i *fernImporter) common() {
	if i.of.get("header") == nil {
		i.fault(i.of.at, "", "the header of the signature is not declared")
	}
	i.from(i.of.get("header"), "header")
	i.put(i.word(i.of.get("encoding"), "encoding", fernEncodings, "base64", i.of.at), "encoding")
	if prefix := i.of.get("signature-prefix"); prefix != nil && !(prefix.is(textForm) && prefix.text == "") {
		if prefix = i.text(prefix, "signature-prefix"); prefix != nil {
			i.put(prefix, "prefix")
		}
	}
	components := i.payload()
	i.timestamp(components)
	i.bodyHash(components)
	if n := i.of.get("url-normalization"); n != nil {
		i.fault(n.at, writeYourself+", with urlNormalize: twilio or hubspot where the sender is one of them", "%q has no exact counterpart", "url-normalization")
	}
}

// asymmetric reads algorithm and keys. Keys that are no JWKS are given to the
// receiver as PEM.
func (i *fernImporter) asymmetric() {
	switch alg := i.of.get("asymmetric-algorithm"); {
	case alg == nil:
		i.fault(i.of.at, "", "%q is not declared", "asymmetric-algorithm")
	case !contains(fernAlgorithms, textOf(alg)):
		i.fault(alg.at, "it can be "+list(fernAlgorithms, "or")+"; else "+writeYourself, "%q: %s has no exact counterpart", "asymmetric-algorithm", alg.jsonText())
	default:
		kind, hash, hashed := strings.Cut(alg.text, "-")
		i.put(literalAt(kind, alg.at), "type")
		if hashed {
			i.put(literalAt(hash, alg.at), "hash")
		}
	}
	if url := i.text(i.of.get("jwks-url"), "jwks-url"); url != nil {
		i.keys = &value{at: url.at, form: listForm, items: []*value{(&value{at: url.at, form: mapForm}).with("jwks", url)}}
	}
	if id := i.of.get("key-id-header"); id != nil {
		i.fault(id.at, writeYourself+", with keys: [{jwks: https://...}]: any of the published keys counts then, whichever the header names",
			"%q has no exact counterpart", "key-id-header")
	}
}

// payload reads the signed text; without any it is the body. It returns the
// components, for what depends on them.
func (i *fernImporter) payload() []string {
	format := i.of.get("payload-format")
	if format == nil {
		i.put(literalAt("{body}", i.of.at), "content")
		return []string{"body"}
	}
	if !i.isMap(format, "payload-format") {
		return nil
	}
	i.members(format, "payload-format", "components", "delimiter", "body-sort")
	all := format.get("components")
	if !all.is(listForm) || len(all.items) == 0 {
		i.fault(format.at, "", "%q: want a list of components", "payload-format.components")
		return nil
	}
	var names, texts []string
	for _, item := range all.items {
		if textOf(item) == "message-id" {
			i.fault(item.at, writeYourself+", with id: header:X-Message-Id and {id} in its content", "the component message-id does not say in which header the id stands")
			continue
		}
		names = append(names, textOf(item))
		texts = append(texts, i.word(item, "payload-format.components", fernComponents, "", item.at).text)
	}
	i.content(format, all.at, names, texts)
	return names
}

// content joins the components. The fields of a sorted body are joined without
// anything between them, as Twilio does.
func (i *fernImporter) content(format *value, at Pos, names, texts []string) {
	delimiter := format.get("delimiter")
	if delimiter != nil && (!delimiter.is(textForm) || strings.ContainsAny(delimiter.text, "{}")) {
		i.fault(delimiter.at, "", "%q: %s cannot stand in a template", "payload-format.delimiter", delimiter.jsonText())
		return
	}
	order := format.get("body-sort")
	if order == nil {
		i.put(literalAt(strings.Join(texts, textOf(delimiter)), at), "content")
		return
	}
	switch {
	case textOf(order) != "alphabetical":
		i.fault(order.at, "", "%q: %s has no exact counterpart", "payload-format.body-sort", order.jsonText())
	case !slices.Contains(names, "body"):
		i.fault(order.at, "", "%q: the body is none of the components", "payload-format.body-sort")
	case !i.forms:
		i.fault(order.at, "", "%q: the fields of a form can be sorted, but not every body that arrives is one", "payload-format.body-sort")
	}
	content := &value{at: at, form: listForm}
	for n, text := range texts {
		if between := textOf(delimiter); n > 0 && between != "" {
			content.items = append(content.items, literalAt(between, at))
		}
		if names[n] == "body" {
			fields := (&value{at: order.at, form: mapForm}).with("from", literalAt("form", order.at)).with("names", literalAt("*", order.at)).
				with("unique", &value{at: order.at, form: booleanForm, text: "true"}).with("each", literalAt("{k}{v}", order.at))
			content.items = append(content.items, fields)
			continue
		}
		content.items = append(content.items, literalAt(text, at))
	}
	i.put(content, "content")
}

// timestamp reads the signed time; its tolerance counts in both directions.
func (i *fernImporter) timestamp(components []string) {
	t := i.of.get("timestamp")
	signed := contains(components, "timestamp")
	switch {
	case t == nil && signed:
		i.fault(i.of.get("payload-format").at, "", "the component timestamp wants timestamp.header to take it from")
		return
	case t == nil || !i.isMap(t, "timestamp"):
		return
	case !signed:
		i.fault(t.at, "", "the time is none of payload-format.components, so it is not signed, and its tolerance protects nothing")
		return
	}
	i.members(t, "timestamp", "header", "format", "tolerance")
	header := t.get("header")
	if header == nil {
		i.fault(t.at, "", "%q is not declared", "timestamp.header")
	}
	if header = i.text(header, "timestamp.header"); header != nil {
		i.put(literalAt("header:"+header.text, header.at), "timestamp", "from")
	}
	i.put(i.word(t.get("format"), "timestamp.format", fernTimes, "unix", t.at), "timestamp", "format")
	if age := t.get("tolerance"); age != nil {
		if !age.is(numberForm) || !fernSeconds.MatchString(age.text) {
			i.fault(age.at, "", "%q: want whole seconds, more than 0", "timestamp.tolerance")
			return
		}
		i.put(literalAt(age.text+"s", age.at), "timestamp", "tolerance")
		i.put(literalAt(age.text+"s", age.at), "timestamp", "futureTolerance")
	}
}

// bodyHash reads a hash of the body in the query, which is signed with the URL.
func (i *fernImporter) bodyHash(components []string) {
	b := i.of.get("body-hash-binding")
	if b == nil || !i.isMap(b, "body-hash-binding") {
		return
	}
	i.members(b, "body-hash-binding", "algorithm", "encoding", "location")
	place := b.get("location")
	if !place.is(mapForm) || textOf(place.get("type")) != "query-parameter" {
		i.fault(b.at, "", "%q: want {type: query-parameter, name: ...}", "body-hash-binding.location")
		return
	}
	i.members(place, "body-hash-binding.location", "type", "name")
	name := i.text(place.get("name"), "body-hash-binding.location.name")
	switch {
	case name == nil:
		i.fault(place.at, "", "%q is not declared", "body-hash-binding.location.name")
		return
	case b.get("algorithm") == nil:
		i.fault(b.at, "", "%q is not declared", "body-hash-binding.algorithm")
		return
	case contains(components, "body"):
		i.fault(b.at, "", "with %q it is not said whether the component body is signed as well", "body-hash-binding")
		return
	}
	hash := (&value{at: b.at, form: mapForm}).with("from", literalAt("query:"+name.text, name.at)).
		with("hash", i.word(b.get("algorithm"), "body-hash-binding.algorithm", fernHashes, "sha256", b.at)).
		with("encoding", i.word(b.get("encoding"), "body-hash-binding.encoding", fernEncodings, "base64", b.at))
	i.put(hash, "bodyHash")
}
