package spec

import (
	"sort"

	"gopkg.in/yaml.v3"
)

// presets is the table of senders: scheme, type, key and habits. Figures that
// are only general knowledge (time limits, horizons) are not in it, so that
// retention falls back to its safe default.
const presets = `
standard-webhooks: &standard
  signature: &standardScheme
    type: hmac
    from: header:webhook-signature
    list: {separator: " ", name: ",", tag: v1}
    encoding: base64
    decode: {encoding: base64, stripPrefix: whsec_}
    timestamp: {from: header:webhook-timestamp, format: unix, tolerance: 300s, futureTolerance: 300s}
    id: header:webhook-id
    content: "{id}.{timestamp}.{body}"
  event: {key: header:webhook-id}
  sender: {acknowledges: [2xx], stops: [410]}
openai:
  signature: *standardScheme
  event: {type: /type, key: header:webhook-id}
svix:
  signature:
    <<: *standardScheme
    from: header:svix-signature
    timestamp: {from: header:svix-timestamp, format: unix, tolerance: 300s, futureTolerance: 300s}
    id: header:svix-id
  event: {key: header:svix-id}
stripe:
  signature:
    type: hmac
    from: header:Stripe-Signature
    list: {separator: ",", name: "=", tag: v1}
    encoding: hex
    timestamp: {from: element:t, format: unix, tolerance: 300s, futureTolerance: 300s}
    content: "{timestamp}.{body}"
  event: {type: /type, key: /id}
  sender: {volatile: [/pending_webhooks]}
github:
  signature:
    type: hmac
    from: header:X-Hub-Signature-256
    prefix: sha256=
    encoding: hex
    content: "{body}"
  event: {type: [header:X-GitHub-Event, /action], key: header:X-GitHub-Delivery}
  sender: {acknowledges: [2xx], retries: never, timeout: 10s, redelivers: 72h}
shopify:
  signature:
    type: hmac
    from: header:X-Shopify-Hmac-Sha256
    encoding: base64
    content: "{body}"
  event: {type: header:X-Shopify-Topic, key: header:X-Shopify-Webhook-Id}
  sender: {acknowledges: [2xx], timeout: 5s, retryHorizon: 4h}
slack:
  signature:
    type: hmac
    from: header:X-Slack-Signature
    prefix: v0=
    encoding: hex
    timestamp: {from: header:X-Slack-Request-Timestamp, format: unix, tolerance: 300s, futureTolerance: 300s}
    content: "v0:{timestamp}:{body}"
  event: {type: [/type, /event/type], key: /event_id}
`

// laterPresets are senders whose schemes this version does not generate.
var laterPresets = []string{"adyen-payments", "adyen-platform", "paypal", "twilio", "line", "xero", "gitlab-token", "zoom", "square", "discord", "sendgrid", "mailgun", "telegram", "bitrix24", "meta", "twitch", "bitbucket", "linear"}

// presetValue is a preset as if the user had written it where its name stands.
func (r *report) presetValue(v *value, name string) *value {
	if !v.is(scalarForms) {
		return nil
	}
	table := presetTable()
	all := keysOf(table)
	sort.Strings(all)
	if r.word(v, name, all, laterPresets) == "" {
		return nil
	}
	return fromPreset(lookup(table, v.text), v.at)
}

func presetTable() *yaml.Node {
	_, n := readSource("presets.yaml", []byte(presets), &report{})
	return n
}

func fromPreset(n *yaml.Node, at Pos) *value {
	t := &tree{source: &source{name: "presets.yaml", lines: []int{0}, odd: []bool{false}, before: []int{0}}}
	v := t.valueOf(n, at)
	v.moveTo(at)
	return v
}

// moveTo gives a whole value one position, the preset's name.
func (v *value) moveTo(at Pos) {
	v.at, v.preset = at, true
	for i := range v.fields {
		v.fields[i].at = at
		v.fields[i].value.moveTo(at)
	}
	for _, item := range v.items {
		item.moveTo(at)
	}
}

// withPresets lays a level over the presets that it names: a root preset under
// everything, signature.preset in place of the scheme below.
func (r *report) withPresets(base, level *value) *value {
	if name := level.get("preset"); name != nil && base == nil {
		base = r.presetValue(name, "preset")
		if scheme := base.get("signature"); scheme != nil {
			base = base.with("signature", scheme.with("preset", &value{at: name.at, form: textForm, text: name.text, preset: true}))
		}
	}
	signature := level.get("signature")
	if name := signature.get("preset"); name != nil {
		if p := r.presetValue(name, "signature.preset"); p != nil {
			base = base.with("signature", p.get("signature"))
		}
	} else if kind, old := signature.get("type"), base.get("signature", "type"); kind != nil && old != nil && kind.text != old.text || signature.get("any") != nil || signature.get("all") != nil {
		base = base.with("signature", nil)
	}
	return mergeValues(&key{keys: rootKeys}, base, level)
}
