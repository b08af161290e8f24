package spec_test

import (
	"testing"
	"time"

	"github.com/whgen/whgen/spec"
)

func TestRefinements(t *testing.T) {
	c := loadFiles(t, map[string]string{"mail.yaml": `openapi: 3.1.0
info: {title: Mail, version: "1"}
x-whgen:
  version: 1
  source: mail
  preset: standard-webhooks
  signature: {decode: {stripPrefix: ""}, timestamp: {tolerance: 60s}}
  event: {key: header:webhook-id}
  sender: {retryHorizon: 48h}
  outcomes: {processed: 200, duplicate: replay, conflict: processed, inProgress: 503, failed: 500}
webhooks:
  bounced: {post: {x-whgen: {}, requestBody: {content: {application/json: {schema: {type: object}}}}}}
`}, "mail.yaml")
	want := map[string][2]string{
		"signature.timestamp.tolerance": {`"300s"`, `"60s"`},
		"signature.decode.stripPrefix":  {`"whsec_"`, `""`},
		"sender.retryHorizon":           {"", `"48h"`},
	}
	got := map[string][2]string{}
	for _, r := range c.Refined {
		if r.Preset != "standard-webhooks" || r.Pos.Line == 0 {
			t.Errorf("refinement %+v, want the preset's name and a position", r)
		}
		got[r.Path] = [2]string{r.Was, r.Is}
	}
	for path, pair := range want {
		if got[path] != pair {
			t.Errorf("%s: %v, want %v", path, got[path], pair)
		}
	}
	if len(got) != len(want) {
		t.Errorf("refined: %v, want only %v: what is said as the preset says it does not count", got, want)
	}
}

func TestReactions(t *testing.T) {
	c := load(t, `
  - target: $.x-whgen
    update: {sender: {acknowledges: [2xx], retries: [5xx], stops: [410], retryHorizon: 24h}}
`)
	h := c.Endpoints[0].Sender
	for status, want := range map[int]spec.Reaction{200: spec.Acknowledges, 410: spec.Stops, 503: spec.Retries, 400: spec.Drops} {
		if got := h.Reaction(spec.Response{Status: status}); got != want {
			t.Errorf("answer %d is %s, want %s", status, got, want)
		}
	}
	if got := (&spec.Habits{}).Reaction(spec.Response{Status: 200}); got != spec.UnknownTo {
		t.Errorf("without habits it is %s", got)
	}
	if least, why := h.LeastRetention(); least != 7*24*time.Hour || why == "" {
		t.Errorf("retention %s %q, want 7d and why", least, why)
	}
}
