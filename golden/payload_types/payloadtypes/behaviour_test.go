package payloadtypes

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/whgen/whgen/runtime/payload"
)

// same compares JSON texts as values, numbers by their text.
func same(t *testing.T, got, want []byte) {
	t.Helper()
	var values [2]any
	for i, text := range [][]byte{got, want} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	if !reflect.DeepEqual(values[0], values[1]) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

const full = `{"id":"t1","type":"thing","number":123456789012345678901234567890,"small":-7,"price":19.90,
	"ratio":0.12345678901234567890123,"created":"2026-01-02T03:04:05.5+02:00","day":"2026-01-02","active":false,"note":"",
	"status":"melted","level":10,"parts":[{"sku":"a","size":1.10},{"sku":"b","hidden":{"x":[1]}}],"tags":[],
	"matrix":[[1,2],[]],"labels":{"b":"2","a":"1"},"free":{"deep":[1e3]},"anything":null,"address":{"city":"Oslo"},
	"tree":{"name":"1","children":[{"name":"2","children":[{"name":"3","next":{"name":"4"}}]}],"peer":{"b":{"a":{"b":{"text":"x"}}}}},
	"merged":{"sku":"m","color":"red","size":3},"risk":{"score":9007199254740993}}`

func TestFullBodyRoundTrips(t *testing.T) {
	var thing Thing
	deviations, err := payload.Decode([]byte(full), &thing, payload.Value[Thing])
	if err != nil {
		t.Fatal(err)
	}
	if want := []payload.Deviation{{Pointer: "/tree/peer/b/a/b/a", Kind: "missing"}}; !reflect.DeepEqual(deviations, want) {
		t.Errorf("deviations %v, want %v", deviations, want)
	}
	got, err := json.Marshal(thing)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, []byte(full))
}

func TestTypedView(t *testing.T) {
	var thing Thing
	if err := json.Unmarshal([]byte(full), &thing); err != nil {
		t.Fatal(err)
	}
	if _, err := thing.Number.Int64(); err == nil {
		t.Error("a number beyond 64 bits was given as int64")
	}
	if got, want := thing.Number.String(), "123456789012345678901234567890"; got != want {
		t.Errorf("number %s, want %s", got, want)
	}
	if *thing.Status != "melted" || *thing.Status == ThingStatusOpen {
		t.Errorf("status %q, want the unknown value", *thing.Status)
	}
	if at, err := thing.Created.Time(); err != nil || at.UTC().Hour() != 1 {
		t.Errorf("created %v, %v", at, err)
	}
	if *thing.Note != "" || *thing.Active {
		t.Error("zero values are not those of the body")
	}
	if thing.Tags == nil || len(thing.Tags) != 0 {
		t.Error("an empty list is not kept apart from none")
	}
	if risk, ok := thing.Rest.Get("risk"); !ok || string(risk) != `{"score":9007199254740993}` {
		t.Errorf("risk %s, %v", risk, ok)
	}
	if got := thing.Tree.Children[0].Children[0].Next.Name; got != "4" {
		t.Errorf("node %q, want 4", got)
	}
}

func TestWrongTypesAreKept(t *testing.T) {
	for _, one := range []struct {
		name, body string
		deviations []payload.Deviation
	}{
		{"scalar", `{"id":5,"type":"thing","number":"7","small":3000000000000000000000,"price":1,"ratio":1,"created":7,"parts":[]}`,
			[]payload.Deviation{{Pointer: "/id", Kind: "type"}, {Pointer: "/number", Kind: "type"}, {Pointer: "/small", Kind: "type"}, {Pointer: "/created", Kind: "type"}}},
		{"missing", `{"type":"thing","number":1,"small":1,"price":1,"ratio":1,"created":"x"}`,
			[]payload.Deviation{{Pointer: "/id", Kind: "missing"}, {Pointer: "/parts", Kind: "missing"}}},
		{"element", `{"id":"1","type":"thing","number":1,"small":1,"price":1,"ratio":1,"created":"x","parts":[{"sku":"a"},7,null],"tags":["a",1,{"b":[2]}]}`,
			[]payload.Deviation{{Pointer: "/parts/1", Kind: "type"}, {Pointer: "/parts/2", Kind: "type"}, {Pointer: "/tags", Kind: "type"}}},
		{"null", `{"id":"1","type":"thing","number":1,"small":1,"price":1,"ratio":1,"created":"x","parts":[],"note":null}`,
			[]payload.Deviation{{Pointer: "/note", Kind: "type"}}},
		{"nested", `{"id":"1","type":"thing","number":1,"small":1,"price":1,"ratio":1,"created":"x","parts":{"a":1},"matrix":[[1,[]]],"tree":[1],"labels":{"a":{}}}`,
			[]payload.Deviation{{Pointer: "/parts", Kind: "type"}, {Pointer: "/matrix", Kind: "type"}, {Pointer: "/tree", Kind: "type"}, {Pointer: "/labels", Kind: "type"}}},
		{"no object", `[{"id":"1"}]`, []payload.Deviation{{Pointer: "", Kind: "type"}}},
	} {
		t.Run(one.name, func(t *testing.T) {
			var thing Thing
			got, err := payload.Decode([]byte(one.body), &thing, payload.Value[Thing])
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, one.deviations) {
				t.Errorf("deviations %v, want %v", got, one.deviations)
			}
			same(t, payload.Append(nil, &thing), []byte(one.body))
		})
	}
}

func TestSettingWinsOverOddValue(t *testing.T) {
	var thing Thing
	if err := json.Unmarshal([]byte(`{"id":5,"note":7}`), &thing); err != nil {
		t.Fatal(err)
	}
	note := "set"
	thing.ID, thing.Note = "five", &note
	same(t, payload.Append(nil, &thing), []byte(`{"id":"five","note":"set"}`))
}

func TestBrokenTextIsAnError(t *testing.T) {
	for _, body := range []string{``, `{`, `{"id":"1"`, `{"id":"1"}{}`, `{"tree":{"name":}}`, `{"id":tru}`} {
		var thing Thing
		if _, err := payload.Decode([]byte(body), &thing, payload.Value[Thing]); err == nil {
			t.Errorf("%q was decoded", body)
		}
	}
}

func TestOverriddenMembersHaveTheLaterType(t *testing.T) {
	var m Merged
	if err := json.Unmarshal([]byte(`{"sku":"blue","color":"x","size":3,"both":[1]}`), &m); err != nil {
		t.Fatal(err)
	}
	if n, err := m.Size.Int64(); m.SKU != MergedSKUBlue || err != nil || n != 3 || string(m.Both) != "[1]" {
		t.Errorf("merged %+v", m)
	}
}

func TestDeepCollectionsRoundTrip(t *testing.T) {
	body := `{"id":"1","type":"thing","deep":` + strings.Repeat("[", 60) + "7" + strings.Repeat("]", 60) + `,"extras":{"x-a":1},"once":{"a":1},"doubled":"b"}`
	var thing Thing
	if err := json.Unmarshal([]byte(body), &thing); err != nil {
		t.Fatal(err)
	}
	if thing.Extras["x-a"].String() != "1" || *thing.Doubled != ThingDoubledB {
		t.Errorf("extras %v, doubled %v", thing.Extras, thing.Doubled)
	}
	got, err := json.Marshal(thing)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, []byte(body))
}
