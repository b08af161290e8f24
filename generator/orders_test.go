package generator

import (
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/whgen/whgen/spec"
)

// contractOf reads the webhooks of a document and takes its x-whgen for read:
// what spec makes of it is given by hand, so that these tests are about plans.
func contractOf(t *testing.T, document string) *spec.Contract {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	c := &spec.Contract{
		Source: "shop", Document: doc,
		Receiver:  spec.Receiver{Engine: "postgres", Driver: "pgx", Package: "shop", ScaffoldHandler: true},
		Endpoints: []*spec.Endpoint{{MaxBody: 1 << 20, Media: []string{"application/json"}, Type: []spec.Selector{body("/type")}, Signature: &spec.Scheme{Type: "none", Reason: "test"}}},
	}
	for _, name := range sortedKeys(doc.Webhooks) {
		media := doc.Webhooks[name].Post.RequestBody.Value.Content.Get("application/json")
		c.Events = append(c.Events, &spec.Event{
			Name: name, Entry: name, Types: []string{name}, Schema: media.Schema, Key: []spec.Selector{body("/id")},
			AnswerWithin: 8 * time.Second, Deadline: 30 * time.Second, InProgressWait: 2 * time.Second, Handler: true,
			Outcomes: map[spec.Outcome]spec.Response{spec.Processed: {Status: 200}, spec.Duplicate: {Replay: true, Status: 200}},
		})
	}
	c.Endpoints[0].Events = c.Events
	return c
}

func body(pointer string) spec.Selector {
	return spec.Selector{Kind: spec.SelectBody, Pointer: pointer, Required: true}
}

func column(name, pointer, columnType string) spec.Column {
	s := body(pointer)
	return spec.Column{Name: name, Type: columnType, From: &spec.Template{Parts: []spec.TemplatePart{{Selector: &s}}}}
}

func mustPlan(t *testing.T, c *spec.Contract) *Plan {
	t.Helper()
	p, found := NewPlan(c, PlanOptions{Import: "example.com/shop/internal/webhooks/shop"})
	for _, d := range found {
		t.Log(d)
	}
	if p == nil {
		t.Fatal("no plan")
	}
	return p
}
