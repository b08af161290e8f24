package signature

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// published are values that senders give in their documentation or in the
// tests of their libraries: facts that an implementation has to meet.
var published = []struct {
	name, method, url, body string
	header                  http.Header
	scheme                  Scheme
	key                     string
	at                      int64
}{
	{
		name: "Ed25519, Standard Webhooks 1.0.0", method: "POST", body: `{"test": 2432232314}`, at: 1614265330,
		header: http.Header{"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"},
			"Webhook-Signature": {"v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg=="}},
		key: "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=",
		scheme: Scheme{Type: "ed25519", From: header("webhook-signature"), Encoding: "base64",
			List: &List{Separator: " ", Name: ",", Tags: []string{"v1a"}}, Decode: Decoding{Encoding: "raw-base64", StripPrefix: "whpk_"},
			Timestamp: &Timestamp{From: header("webhook-timestamp")[0], Format: "unix", Tolerance: 5 * time.Minute},
			ID:        &header("webhook-id")[0],
			Content:   []Part{{Placeholder: "id"}, {Text: "."}, {Placeholder: "timestamp"}, {Text: "."}, {Placeholder: "body"}}},
	},
	{
		name: "HMAC over URL and sorted form, Twilio", method: "POST", url: "https://mycompany.com/myapp.php?foo=1&bar=2",
		body:   "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212",
		header: http.Header{"X-Twilio-Signature": {"RSOYDt4T1cUTdK1PDd93/VVr8B8="}}, key: "12345",
		scheme: Scheme{Type: "hmac", Hash: "sha1", From: header("X-Twilio-Signature"), Encoding: "base64", URLNormalize: "twilio",
			Content: []Part{{Placeholder: "url"}, {Fields: &Fields{From: "form", Each: "{k}{v}", Unique: true}}}},
	},
	{
		name: "digest, HubSpot v2", method: "POST", url: "https://www.example.com/webhook_uri", body: `{"example_field":"example_value"}`,
		header: http.Header{"X-Hubspot-Signature": {"9569219f8ba981ffa6f6f16aa0f48637d35d728c7e4d93d0d52efaa512af7900"}},
		key:    "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy",
		scheme: Scheme{Type: "digest", From: header("X-HubSpot-Signature"), Encoding: "hex",
			Content: []Part{{Placeholder: "secret"}, {Placeholder: "method"}, {Placeholder: "url"}, {Placeholder: "body"}}},
	},
	{
		name: "HMAC inside items, Adyen", method: "POST", key: "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00",
		body: `{"notificationItems":[{"NotificationRequestItem":{"pspReference":"pspReference","originalReference":"originalReference",` +
			`"merchantAccountCode":"merchantAccount","merchantReference":"reference","amount":{"currency":"EUR","value":1000},` +
			`"eventCode":"REPORT_AVAILABLE","success":"true","additionalData":{"hmacSignature":"ZNBPtI+oDyyRrLyD1XirkKnQgIAlFc07Vj27TeHsDRE="}}}]}`,
		scheme: Scheme{Type: "hmac", Items: "/notificationItems/*/NotificationRequestItem", From: []Source{{In: "item", Name: "/additionalData/hmacSignature"}},
			Encoding: "base64", Decode: Decoding{Encoding: "hex"},
			Content: joined(":", "/pspReference", "/originalReference", "/merchantAccountCode", "/merchantReference", "/amount/value", "/amount/currency", "/eventCode", "/success")},
	},
	{
		name: "ECDSA in DER, SendGrid", method: "POST", at: 1600112502, key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==",
		body: `[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",` +
			`"sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]` + "\r\n",
		header: http.Header{"X-Time": {"1600112502"}, "X-Sig": {"MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM="}},
		scheme: Scheme{Type: "ecdsa", Form: "der", Curve: "p256", From: header("X-Sig"), Encoding: "base64", Decode: Decoding{Encoding: "spki-der-base64"},
			Timestamp: &Timestamp{From: header("X-Time")[0], Format: "unix", Tolerance: 5 * time.Minute},
			Content:   []Part{{Placeholder: "timestamp"}, {Placeholder: "body"}}},
	},
	{ // RFC 8032, section 7.1, test 2
		name: "Ed25519, RFC 8032", method: "POST", body: "r", key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
		header: http.Header{"X-Sig": {"92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"}},
		scheme: Scheme{Type: "ed25519", From: header("X-Sig"), Encoding: "hex", Decode: Decoding{Encoding: "raw-hex"}},
	},
}

func header(name string) []Source { return []Source{{In: "header", Name: name}} }

func joined(sep string, pointers ...string) []Part {
	var parts []Part
	for i, p := range pointers {
		if i > 0 {
			parts = append(parts, Part{Text: sep})
		}
		parts = append(parts, Part{Source: &Source{In: "item", Name: p}})
	}
	return parts
}

func TestPublishedValues(t *testing.T) {
	for _, c := range published {
		c.scheme.Secrets = []Secret{{Name: "K"}}
		v, err := Compile(c.scheme, []string{c.key})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		ask := func(body string) error {
			r := &Request{Method: c.method, URL: c.url, Header: c.header, Body: []byte(body)}
			JSONBody(r)
			_, err := v.Verify(r, time.Unix(c.at, 0))
			return err
		}
		if err := ask(c.body); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		changed := strings.Replace(strings.Replace(c.body, "e", "f", 1), "r", "s", 1)
		if changed == c.body {
			t.Fatalf("%s: the body was not changed", c.name)
		}
		if err := ask(changed); err == nil {
			t.Errorf("%s: accepts another body", c.name)
		}
	}
}
