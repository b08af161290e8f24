package nullable

import (
	"testing"

	"github.com/whgen/whgen/runtime/payload"
)

const required = `"id":"1","type":"note","p1":null,"p2":null,"p3":null,"p4":null,"p5":null,"r6":null,"plain":"x"`

func decode(t *testing.T, body string) (Note, []payload.Deviation) {
	t.Helper()
	var n Note
	deviations, err := payload.Decode([]byte(body), &n, payload.Value[Note])
	if err != nil {
		t.Fatal(err)
	}
	if got := string(payload.Append(nil, &n)); len(got) != len(body) {
		t.Errorf("written back as %s, want the members of %s", got, body)
	}
	return n, deviations
}

func TestNullWhereAllowed(t *testing.T) {
	n, deviations := decode(t, `{`+required+`,"o1":null,"o3":null,"o4":null,"o6":null,"o8":["a",null]}`)
	if len(deviations) != 0 {
		t.Errorf("deviations %v", deviations)
	}
	if n.P1 != nil || n.P4 != nil || n.R6 != nil || !n.O1.IsNull() || !n.O4.IsNull() || !n.O6.IsNull() || n.O8[1] != nil {
		t.Errorf("null is not null: %+v", n)
	}
}

func TestValueWhereNullIsAllowed(t *testing.T) {
	n, deviations := decode(t, `{"id":"1","type":"note","p1":"a","p2":"b","p3":null,"p4":"a","p5":null,"r6":{"name":"Ada"},"plain":"x","o1":"","o3":0,"o4":[],"o6":{"name":"Bob"}}`)
	if len(deviations) != 0 {
		t.Errorf("deviations %v", deviations)
	}
	if v, ok := n.O1.Get(); !ok || v != "" {
		t.Errorf("o1 %q, %v", v, ok)
	}
	if v, ok := n.O3.Get(); !ok || v != 0 {
		t.Errorf("o3 %d, %v", v, ok)
	}
	if *n.P4 != NoteP4A || n.R6.Name != "Ada" || n.O6.Or(Person{}).Name != "Bob" {
		t.Errorf("values are lost: %+v", n)
	}
}

func TestAbsent(t *testing.T) {
	n, deviations := decode(t, `{`+required+`}`)
	if len(deviations) != 0 {
		t.Errorf("deviations %v", deviations)
	}
	if !n.O1.IsAbsent() || n.O1.IsNull() || n.O2 != nil || n.O5 != nil || n.O7 != nil {
		t.Errorf("absent is not absent: %+v", n)
	}
}

func TestRequiredNullableThatIsMissingStaysMissing(t *testing.T) {
	n, deviations := decode(t, `{"id":"1"}`)
	if len(deviations) != 8 || len(n.Rest.Missing) != 8 {
		t.Errorf("deviations %v, missing %v", deviations, n.Rest.Missing)
	}
}

func TestNullWhereNotAllowedIsKept(t *testing.T) {
	n, deviations := decode(t, `{"id":null,"type":"note","p1":null,"p2":null,"p3":null,"p4":null,"p5":null,"r6":null,"plain":null,"o2":null,"o5":null,"o7":null}`)
	if len(deviations) != 5 {
		t.Errorf("deviations %v", deviations)
	}
	if !n.Rest.Odd() {
		t.Error("the object does not say that it deviates")
	}
}
