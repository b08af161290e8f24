package features_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/golden/features/presets"
	"github.com/whgen/whgen/golden/internal/deliver"
	whrt "github.com/whgen/whgen/runtime"
)

// TestPresets signs as each sender documents it, by hand.
func TestPresets(t *testing.T) {
	db := deliver.SQLite(t)
	must(t, presets.Migrate(t.Context(), db))
	secrets := map[string]string{"STANDARD_OLD_SECRET": "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("old", 10)))}
	for _, name := range []string{"STRIPE", "GITHUB", "SHOPIFY", "SLACK"} {
		secrets[name+"_SECRET"] = deliver.Secret
	}
	secrets["STANDARD_SECRET"] = "whsec_" + base64.StdEncoding.EncodeToString([]byte(deliver.Secret))
	r, err := presets.New(t.Context(), presets.Config{DB: db, Secrets: whrt.SecretsMap(secrets)})
	must(t, err)
	mux := http.NewServeMux()
	r.Handle(mux, "/hooks")

	now := strconv.FormatInt(time.Now().Unix(), 10)
	stale := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	for name, one := range map[string]struct {
		body string
		sign func(h http.Header, body, at string)
	}{
		"stripe": {`{"id":"evt_1","type":"charge.succeeded","pending_webhooks":1}`, func(h http.Header, body, at string) {
			h.Set("Stripe-Signature", "t="+at+",v1="+strings.Repeat("0", 64)+",v1="+deliver.MAC(at+"."+body)+",v0=x")
		}},
		"github": {`{"action":"opened"}`, func(h http.Header, body, _ string) {
			h.Set("X-GitHub-Event", "issues")
			h.Set("X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958")
			h.Set("X-Hub-Signature-256", "sha256="+deliver.MAC(body))
		}},
		"shopify": {`{"id":1}`, func(h http.Header, body, _ string) {
			h.Set("X-Shopify-Topic", "products/create")
			h.Set("X-Shopify-Webhook-Id", "b54557e4")
			h.Set("X-Shopify-Hmac-Sha256", base64MAC(deliver.Secret, body))
		}},
		"slack": {`{"type":"event_callback","event_id":"Ev1","event":{"type":"message"}}`, func(h http.Header, body, at string) {
			h.Set("X-Slack-Request-Timestamp", at)
			h.Set("X-Slack-Signature", "v0="+deliver.MAC("v0:"+at+":"+body))
		}},
		"standard": {`{"type":"user.created"}`, func(h http.Header, body, at string) {
			h.Set("webhook-id", "msg_1")
			h.Set("webhook-timestamp", at)
			h.Set("webhook-signature", "v1,AAAA v1,"+base64MAC(strings.Repeat("old", 10), "msg_1."+at+"."+body))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			send := func(sign func(h http.Header, body, at string), at string, status int, answer string) {
				t.Helper()
				q := httptest.NewRequest(http.MethodPost, "/hooks/"+name, strings.NewReader(one.body))
				q.Header.Set("Content-Type", "application/json")
				sign(q.Header, one.body, at)
				deliver.WantOf(t, mux, q, status, answer)
			}
			send(one.sign, now, 200, "")
			send(one.sign, now, 200, "again")
			send(func(http.Header, string, string) {}, now, 401, "")
			send(func(h http.Header, body, at string) { one.sign(h, body+" ", at) }, now, 401, "")
			if name == "stripe" || name == "slack" || name == "standard" {
				send(one.sign, stale, 401, "")
			}
		})
	}
	deliver.Value(t, db, "SELECT count(*) FROM arrivals", "5")
}

func base64MAC(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
