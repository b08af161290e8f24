package spec_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/spec"
)

// load reads base.yaml under overlay actions, which stand in one text.
func load(t *testing.T, actions string) *spec.Contract {
	t.Helper()
	base, err := os.ReadFile("testdata/base.yaml")
	if err != nil {
		t.Fatal(err)
	}
	overlay := "overlay: 1.1.0\ninfo: {title: t, version: \"1\"}\nactions:\n" + actions
	return loadFiles(t, map[string]string{"base.yaml": string(base), "o.yaml": overlay}, "base.yaml", "o.yaml")
}

func loadFiles(t *testing.T, files map[string]string, contract string, overlays ...string) *spec.Contract {
	t.Helper()
	read := func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
	c, found := spec.Load(spec.Receiver{Contract: contract, Overlays: overlays, Engine: "sqlite"}, read)
	if c == nil {
		t.Fatalf("does not load:\n%s", lines(found))
	}
	return c
}

func event(t *testing.T, c *spec.Contract, name string) *spec.Event {
	t.Helper()
	for _, e := range c.Events {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no event %q", name)
	return nil
}

func TestLevelsMerge(t *testing.T) {
	c := load(t, `
  - target: $.webhooks.orderPaid.post.x-whgen
    update:
      outcomes: {conflict: null, failed: {status: 500, retryAfter: 1500ms}}
      event: {key: null, derived: {of: [/data/id]}}
      delivery: {retention: 30d, answerWithin: 4s}
`)
	e := event(t, c, "orderPaid")
	if len(e.Key) != 0 || e.Derived == nil || e.Derived.Of[0].Pointer != "/data/id" {
		t.Errorf("key %v, derived %v", e.Key, e.Derived)
	}
	if got, want := e.Outcomes[spec.Failed].RetryAfter, 2*time.Second; got != want {
		t.Errorf("retryAfter: got %s, want %s", got, want)
	}
	if got := e.Outcomes[spec.InProgress].Status; got != 503 {
		t.Errorf("inProgress from the root: got %d", got)
	}
	if e.Retention != 30*24*time.Hour || e.AnswerWithin != 4*time.Second || e.InProgressWait != 2*time.Second {
		t.Errorf("times: %s %s %s", e.Retention, e.AnswerWithin, e.InProgressWait)
	}
	if got := e.Outcomes[spec.Duplicate]; !got.Replay || got.Status != 200 {
		t.Errorf("duplicate: %+v", got)
	}
	if got := e.Outcomes[spec.Known]; !got.Replay {
		t.Errorf("known follows duplicate: %+v", got)
	}
}

func TestEventsOfOneEntry(t *testing.T) {
	c := load(t, `
  - target: $.webhooks.orderPaid.post.x-whgen
    update:
      effects: {deal: null, audit: {record: audit, columns: {id: /id}}}
      events:
        order.paid: {name: paid, effects: {deal: {call: true, key: {remembers: always}}}}
        order.refunded: {schema: '#/components/schemas/OrderShipped'}
        order.held:
  - target: $.components.schemas.OrderPaid.properties.type.const
    remove: true
  - target: $.components.schemas.OrderShipped.properties.type
    update: {const: order.refunded}
  - target: $.x-whgen.downstreams
    update: {crm: null}
`)
	var names []string
	for _, e := range c.Events {
		names = append(names, e.Name+"="+strings.Join(e.Types, ","))
	}
	if want := []string{"orderHeld=order.held", "orderRefunded=order.refunded", "paid=order.paid"}; !reflect.DeepEqual(names, want) {
		t.Fatalf("got %v, want %v", names, want)
	}
	paid, refunded := event(t, c, "paid"), event(t, c, "orderRefunded")
	if len(paid.Effects) != 2 || len(refunded.Effects) != 1 || len(c.Effects) != 2 {
		t.Errorf("effects: %d, %d, %d", len(paid.Effects), len(refunded.Effects), len(c.Effects))
	}
	if refunded.Schema.Ref != "#/components/schemas/OrderShipped" {
		t.Errorf("schema: %q", refunded.Schema.Ref)
	}
	if paid.Handler {
		t.Error("an event with declared effects wants no handler")
	}
	if !event(t, c, "orderHeld").Confirmed {
		t.Error("a type that the contract names is confirmed")
	}
}

func TestEffectsResolve(t *testing.T) {
	c := load(t, `
  - target: $.webhooks.orderPaid.post.x-whgen.effects
    update:
      order:
        record: orders
        columns: {order_id: /data/id, cents: /data/amount, rate: {from: /data/rate, optional: true}, paid_at: {from: /data/paid_at, optional: true}, meta: {from: /data/meta, optional: true}, note: "Order {/data/id}", src: const:shop, hook: {header: X-Hook, optional: true}}
        unique: [order_id]
        onConflict: update
      mail: {call: true, enqueue: handler, payload: {order: text, at: timestamp}, key: none}
`)
	e := event(t, c, "orderPaid")
	var order, deal, mail *spec.Effect
	for _, f := range e.Effects {
		switch f.Name {
		case "order":
			order = f
		case "deal":
			deal = f
		case "mail":
			mail = f
		}
	}
	want := map[string]string{"order_id": "text", "cents": "integer", "rate": "numeric", "paid_at": "timestamp", "meta": "json", "note": "text", "src": "text", "hook": "text"}
	for _, column := range order.Columns {
		if column.Type != want[column.Name] {
			t.Errorf("column %s: got %s, want %s", column.Name, column.Type, want[column.Name])
		}
		if nullable := column.From.Parts[0].Selector != nil && column.From.Parts[0].Selector.Optional; column.Nullable != nullable {
			t.Errorf("column %s: nullable %v, want %v", column.Name, column.Nullable, nullable)
		}
	}
	if deal.Key.Header != "Idempotency-Key" || deal.Key.Remembers != 24*time.Hour || len(deal.Retry) != 10 || deal.To.Name != "crm" || deal.Method != "POST" {
		t.Errorf("deal: %+v", deal)
	}
	if !e.Handler || len(mail.PayloadTypes) != 2 || !mail.Key.None {
		t.Errorf("mail: %+v", mail)
	}
	if want := []spec.Setting{{Name: "CRM_URL"}}; !reflect.DeepEqual(c.Settings, want) {
		t.Errorf("settings: got %v, want %v", c.Settings, want)
	}
}

// TestScheduleEndsInsideRemembers: an attempt after the outside has forgotten
// the key would be a second deed.
func TestScheduleEndsInsideRemembers(t *testing.T) {
	c := load(t, `
  - target: $.webhooks.orderPaid.post.x-whgen.effects.deal
    update: {key: {remembers: 1h}}
`)
	d := c.Effects[0]
	total := time.Duration(0)
	for _, delay := range d.Retry {
		total += delay + d.Timeout
	}
	if total+d.Timeout > time.Hour || len(d.Retry) == 0 {
		t.Errorf("schedule %v takes %s", d.Retry, total)
	}
}

func TestRetriesThatRepeatTheTimestamp(t *testing.T) {
	c := load(t, "  - target: $.x-whgen.sender\n    update: {resigns: false}\n")
	if got := c.Endpoints[0].Signature.Timestamp.Tolerance; got != 72*time.Hour {
		t.Errorf("tolerance: got %s, want the horizon", got)
	}
}

func TestVolatileIsNotInTheFingerprint(t *testing.T) {
	c := load(t, `
  - target: $.x-whgen
    update: {sender: {volatile: [/data/tags]}}
  - target: $.webhooks.orderShipped.post
    update: {x-whgen: {fingerprint: {of: [/id, /data/tags]}}}
`)
	paid, shipped := event(t, c, "orderPaid"), event(t, c, "orderShipped")
	if len(paid.Fingerprint.Exclude) != 1 || paid.Fingerprint.Exclude[0].Pointer != "/data/tags" {
		t.Errorf("paid: %+v", paid.Fingerprint)
	}
	if len(shipped.Fingerprint.Of) != 1 || shipped.Fingerprint.Of[0].Pointer != "/id" {
		t.Errorf("shipped: %+v", shipped.Fingerprint)
	}
}

func TestEndpointsHaveTheirOwnSecrets(t *testing.T) {
	c := load(t, `
  - target: $.x-whgen
    update:
      endpoints: {inbound: {secrets: [A, {name: B, until: 2026-12-01}]}, receipt: {path: /r, shared: true, delivery: {maxBody: 2KiB}}}
  - target: $.webhooks.orderPaid.post.x-whgen
    update: {endpoint: inbound}
  - target: $.webhooks.orderShipped.post
    update: {x-whgen: {}}
`)
	in, receipt := c.Endpoints[0], c.Endpoints[1]
	if in.Path != "/inbound" || receipt.Path != "/r" || !receipt.Shared || receipt.MaxBody != 2048 {
		t.Errorf("endpoints: %+v, %+v", in, receipt)
	}
	if len(in.Signature.Secrets) != 2 || receipt.Signature.Secrets[0].Name != "SHOP_WEBHOOK_SECRET" {
		t.Errorf("secrets: %+v, %+v", in.Signature.Secrets, receipt.Signature.Secrets)
	}
	if got, want := in.Signature.Secrets[1].Until, time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("until: got %s, want %s", got, want)
	}
	if len(in.Events) != 2 || len(receipt.Events) != 1 {
		t.Errorf("events: %d and %d", len(in.Events), len(receipt.Events))
	}
}

// TestOverrideInAllOf: senders write a base with a free-form member and refine
// it in the next part.
func TestOverrideInAllOf(t *testing.T) {
	c := load(t, `
  - target: $.components.schemas.OrderPaid
    update: {allOf: [{properties: {data: {type: object}, type: {type: string}}}, {required: [extra], properties: {extra: {type: [integer, "null"]}}}]}
  - target: $.webhooks.orderPaid.post.x-whgen.effects
    update: {order: {record: orders, columns: {cents: /data/amount, extra: /extra}}}
`)
	e := event(t, c, "orderPaid")
	if want := []string{"order.paid"}; !reflect.DeepEqual(e.Types, want) {
		t.Errorf("types: got %v, want %v", e.Types, want)
	}
	for _, f := range e.Effects {
		for _, column := range f.Columns {
			if column.Type != "integer" {
				t.Errorf("column %s: got %s", column.Name, column.Type)
			}
		}
	}
}

func TestPresets(t *testing.T) {
	for name, want := range map[string]struct{ from, key, kind string }{
		"standard-webhooks": {"header:webhook-signature", "header:webhook-id", ""},
		"svix":              {"header:svix-signature", "header:svix-id", ""},
		"openai":            {"header:webhook-signature", "header:webhook-id", "/type"},
		"stripe":            {"header:Stripe-Signature", "/id", "/type"},
		"github":            {"header:X-Hub-Signature-256", "header:X-GitHub-Delivery", "header:X-GitHub-Event"},
		"shopify":           {"header:X-Shopify-Hmac-Sha256", "header:X-Shopify-Webhook-Id", "header:X-Shopify-Topic"},
		"slack":             {"header:X-Slack-Signature", "/event_id", "/type"},
	} {
		t.Run(name, func(t *testing.T) {
			c := loadFiles(t, map[string]string{"c.yaml": `
openapi: 3.0.3
info: {title: x, version: "1"}
x-whgen:
  version: 1
  source: x
  preset: ` + name + `
  event: {replay: process}
  outcomes: {processed: 200, duplicate: 200, conflict: 200, inProgress: 503, failed: 503}
webhooks:
  thing: {post: {x-whgen: {}, requestBody: {content: {application/json: {schema: {type: object}}}}}}
`}, "c.yaml")
			end, e := c.Endpoints[0], c.Events[0]
			if got := end.Signature.From[0].Text(); got != want.from || end.Signature.Preset != name || c.Preset != name {
				t.Errorf("signature from %q of preset %q, want %q", got, end.Signature.Preset, want.from)
			}
			if got := e.Key[0].Text(); got != want.key {
				t.Errorf("key: got %q, want %q", got, want.key)
			}
			kind := ""
			if len(end.Type) > 0 {
				kind = end.Type[0].Text()
			}
			if kind != want.kind {
				t.Errorf("type: got %q, want %q", kind, want.kind)
			}
		})
	}
}

func TestPresetIsRefined(t *testing.T) {
	c := load(t, `
  - target: $.x-whgen.signature
    remove: true
  - target: $.x-whgen
    update: {preset: standard-webhooks, signature: {decode: {stripPrefix: ""}, timestamp: {tolerance: 60s}}}
`)
	s := c.Endpoints[0].Signature
	if s.Decode.StripPrefix != "" || s.Decode.Encoding != "base64" || s.Timestamp.Tolerance != time.Minute || s.Timestamp.FutureTolerance != 5*time.Minute {
		t.Errorf("scheme: %+v %+v", s.Decode, s.Timestamp)
	}
}

func TestMethodsOfEndpoints(t *testing.T) {
	files := map[string]string{"c.yaml": `
openapi: 3.1.0
info: {title: t, version: "1"}
x-whgen:
  version: 1
  source: shop
  signature: {type: none, reason: test}
  event: {type: /type, key: /id, replay: process}
  outcomes: {processed: 200, duplicate: 200, conflict: 200, inProgress: 503, failed: 500}
  endpoints: {all: {path: /all}, one: {path: /one}}
paths:
  /all:
    put: {operationId: a, x-whgen: {endpoint: all}, responses: {"200": {description: ok}}}
    post: {operationId: b, x-whgen: {endpoint: all}, responses: {"200": {description: ok}}}
    delete: {operationId: c, x-whgen: {endpoint: [all, one]}, responses: {"200": {description: ok}}}
`}
	c := loadFiles(t, files, "c.yaml")
	for _, e := range c.Endpoints {
		want := map[string]string{"all": "POST DELETE PUT", "one": "DELETE"}[e.Name]
		if got := strings.Join(e.Methods, " "); got != want {
			t.Errorf("endpoint %s: got %s, want %s", e.Name, got, want)
		}
	}
	if got := event(t, c, "a").Method; got != "PUT" {
		t.Errorf("event a: got %s", got)
	}
}
