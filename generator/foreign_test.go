package generator

import (
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

func TestModelsThatNothingUses(t *testing.T) {
	c := contractOf(t, smallDocument("Body")+"    Body: {type: object, required: [id, type], properties: {id: {type: string}, type: {type: string}}}")
	c.Receiver.Models = spec.Models{Import: "example.com/receiver", Types: []spec.Model{{Name: "Bdoy", Type: "Body"}}}
	p, found := NewPlan(c, PlanOptions{Import: "example.com/receiver"})
	if p != nil || len(found) != 2 {
		t.Fatalf("plan %v, findings %v; want two", p, found)
	}
	for _, want := range []string{`"Bdoy" is no event, and no schema that the events reach`, "is the generated package itself"} {
		if !strings.Contains(found[0].Message+found[1].Message, want) {
			t.Errorf("findings %v; want %q", found, want)
		}
	}
	c.Receiver.Models = spec.Models{Import: "example.com/mine", Types: []spec.Model{{Name: "Body", Type: "Body"}}}
	p = mustPlan(t, c)
	if e := p.Events[0]; !e.Foreign || e.Payload != "Body" {
		t.Errorf("event %+v; want the user's type", e)
	}
}
