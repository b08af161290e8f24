package generator

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/whgen/whgen/spec"
)

func TestSampleFitsItsColumns(t *testing.T) {
	at := column("at", "/status", "timestamp")
	seen := column("seen", "/seen", "timestamp")
	seen.Format = "unix"
	record := &spec.Effect{Name: "row", Event: "made", Kind: spec.EffectRecord, Table: "rows", Columns: []spec.Column{at, seen}}
	c := withEffects(t, record)
	if got, want := mustPlan(t, c).Accept[0].Body, `"status":"2026-01-02T03:04:05Z","seen":1767323045`; !strings.Contains(got, want) {
		t.Errorf("body %s, want %s in it", got, want)
	}
	c = withEffects(t, record)
	c.Events[0].Example = []byte(`{"id":"e","type":"made","n":1,"status":"yesterday","seen":1}`)
	if got := mustPlan(t, c).Accept[0].Body; !strings.Contains(got, `"yesterday"`) {
		t.Errorf("body %s: the document's example is not what is delivered", got)
	}
}

func TestShortTypeLeavesNoLastPart(t *testing.T) {
	c := withEffects(t)
	c.Endpoints[0].Type = []spec.Selector{{Kind: spec.SelectHeader, Name: "X-Type"}, body("/type")}
	a := mustPlan(t, c).Accept[0]
	if strings.Contains(a.Body, `"type"`) || !slices.Contains(a.Headers, [2]string{"X-Type", "made"}) {
		t.Errorf("body %s, headers %v: want the whole type in the header", a.Body, a.Headers)
	}
}

func TestACompositeKeyKeepsTypeAndGivenValues(t *testing.T) {
	c := withEffects(t)
	success := body("/status")
	success.Schema = openapi3.NewSchemaRef("", &openapi3.Schema{Type: &openapi3.Types{"string"}, Enum: []any{"true", "false"}})
	c.Events[0].Key = []spec.Selector{body("/id"), body("/type"), success, body("/n")}
	c.Events[0].When = []spec.Condition{{From: body("/n"), Op: "equals", Values: []string{"1"}}}
	c.Events[0].Example = []byte(`{"id":"e","type":"made","n":1,"status":"true"}`)
	if got, want := mustPlan(t, c).Accept[0].Body, `{"id":"e-{{n}}","type":"made","n":1,"status":"true"}`; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
}

func TestASignatureInEachElementIsTested(t *testing.T) {
	c := withEffects(t)
	e := c.Endpoints[0]
	item := spec.Selector{Kind: spec.SelectItem, Pointer: "/proof/mac"}
	e.Items = "/items/*"
	e.Signature = &spec.Scheme{Type: "hmac", Items: "/items/*", From: []spec.Selector{item}, Secrets: []spec.Secret{{Name: "KEY"}},
		Content: &spec.Template{Parts: []spec.TemplatePart{{Selector: &spec.Selector{Kind: spec.SelectItem, Pointer: "/id"}}}}}
	plan := mustPlan(t, c)
	accept := plan.Accept
	if sent := Deliveries(plan)[0].Body; !strings.Contains(sent, `"proof":{"mac":"sample"`) {
		t.Errorf("whgen send delivers %s, without room for the signature", sent)
	}
	if len(accept) != 1 || !strings.Contains(accept[0].Body, `"proof":{"mac":"sample"`) {
		t.Fatalf("%+v, want a body with room for the signature", accept)
	}
	var names []string
	for _, s := range acceptSteps(accept[0], e.Signature) {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, "wrong-signature") || !slices.Contains(names, "missing-signature") || slices.Contains(names, "altered-byte") {
		t.Errorf("steps %v", names)
	}
	e.Signature.Items = "/items/*/entry" // inside of what is an event
	if got := mustPlan(t, c).Accept; len(got) > 0 {
		t.Errorf("%+v: a signature beside the element cannot be made", got[0])
	}
}

func TestRoomForASignatureInTheBody(t *testing.T) {
	c := withEffects(t)
	c.Endpoints[0].Signature = &spec.Scheme{Type: "hmac", From: []spec.Selector{body("/proof/mac")}, Secrets: []spec.Secret{{Name: "KEY"}},
		Timestamp: &spec.Timestamp{From: body("/proof/at")}}
	if sent := Deliveries(mustPlan(t, c))[0].Body; !strings.Contains(sent, `"proof":{"mac":"sample"`) {
		t.Errorf("whgen send delivers %s, without room for the signature", sent)
	}
	c.Events[0].Example = []byte(`{"id":"e","type":"made","n":1,"proof":{"by":"us"}}`)
	if sent := Deliveries(mustPlan(t, c))[0].Body; !strings.Contains(sent, `"proof":{"by":"us","mac":`) {
		t.Errorf("whgen send delivers %s, which is not the example with room for the signature", sent)
	}
}

func TestAnswersAsTheyStandOnTheWire(t *testing.T) {
	id := body("/id")
	text := func(parts ...spec.TemplatePart) *spec.Template { return &spec.Template{Parts: parts} }
	c := withEffects(t)
	c.Events[0].Outcomes = map[spec.Outcome]spec.Response{
		spec.Processed: {Status: 201, Body: text(spec.TemplatePart{Text: "got "}, spec.TemplatePart{Selector: &id}),
			Headers: []spec.Header{{Name: "x-id", Value: *text(spec.TemplatePart{Selector: &id})}}},
		spec.Duplicate: {Replay: true, Status: 200},
		spec.Conflict:  {Status: 204, ContentType: "text/plain", Body: text(spec.TemplatePart{Text: "never written"})},
		spec.Failed:    {Status: 503, RetryAfter: 30 * time.Second, ContentType: "text/plain"},
		spec.InProgress: {Status: 503, ContentType: "application/json",
			Body: text(spec.TemplatePart{Selector: &spec.Selector{Kind: spec.SelectQuery, Name: "q"}})},
	}
	got := map[spec.Outcome]AcceptAnswer{}
	for _, a := range mustPlan(t, c).Accept[0].Answers {
		got[a.Outcome] = a
	}
	fresh := got[spec.Processed]
	if fresh.Status != 201 || fresh.Body != "got sample-{{n}}" || fresh.ContentType != "text/plain; charset=utf-8" ||
		!slices.Equal(fresh.Headers, [][2]string{{"X-Id", "sample-{{n}}"}}) {
		t.Errorf("processed is answered with %+v", fresh)
	}
	if again := got[spec.Duplicate]; again.Status != 201 || again.Body != fresh.Body || again.ContentType != fresh.ContentType {
		t.Errorf("duplicate is answered with %+v, want what was answered first", again)
	}
	if a := got[spec.Conflict]; a.Status != 204 || a.Body != "" || a.ContentType != "" {
		t.Errorf("conflict is answered with %+v: 204 has no body", a)
	}
	if a := got[spec.Failed]; a.RetryAfter != 30 || a.ContentType != "" {
		t.Errorf("failed is answered with %+v, want Retry-After 30 and no type without a body", a)
	}
	if a := got[spec.InProgress]; !a.Any {
		t.Errorf("inProgress is answered with %+v, which the sample cannot tell", a)
	}
}

func TestEveryEventIsDelivered(t *testing.T) {
	c := withEffects(t, &spec.Effect{Name: "row", Event: "made", Kind: spec.EffectRecord, Table: "rows", Columns: []spec.Column{column("n", "/n", "integer")}})
	c.Events[0].Handler = false
	for _, name := range []string{"noted", "told"} {
		e := *c.Events[0]
		e.Name, e.Types, e.Effects, e.Handler = name, []string{name}, nil, true
		c.Events = append(c.Events, &e)
	}
	c.Endpoints[0].Events = c.Events
	var got []string
	for _, a := range mustPlan(t, c).Accept {
		word := a.Event.Spec.Name
		if a.Short {
			word += " short"
		}
		got = append(got, word)
	}
	if want := []string{"made", "noted", "told short"}; !slices.Equal(got, want) {
		t.Errorf("delivered are %v, want %v", got, want)
	}
}

func TestOutsideEndsAsItsKeyAndAttemptsSay(t *testing.T) {
	for _, one := range []struct {
		key   spec.KeyPolicy
		retry int
		want  string
	}{
		{spec.KeyPolicy{Always: true}, 9, "down lost acknowledged sent"},
		{spec.KeyPolicy{Always: true}, 1, "lost acknowledged sent, down acknowledged sent, down lost uncertain, down down dead"},
		{spec.KeyPolicy{Always: true}, 0, "acknowledged sent, down dead, lost uncertain"},
		{spec.KeyPolicy{None: true}, 9, "down lost uncertain, down acknowledged sent, lost uncertain"},
		{spec.KeyPolicy{None: true}, 0, "acknowledged sent, down dead, lost uncertain"},
	} {
		e := &Effect{Spec: &spec.Effect{Key: one.key, Retry: make([]time.Duration, one.retry)}}
		var got []string
		for _, o := range outsidesOf(e) {
			got = append(got, strings.Join(append(o.Attempts, o.End), " "))
		}
		if strings.Join(got, ", ") != one.want {
			t.Errorf("%+v with %d retries: got %s; want %s", one.key, one.retry, strings.Join(got, ", "), one.want)
		}
	}
}
