package names

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/whgen/whgen/runtime/payload"
)

// wireNames are members whose names are Go's, SQL's or ours, or no names at all.
var wireNames = strings.Fields(`type func range map chan go select package import interface var nil true iota error
	string len append init main context err ctx tx order group key index primary user default table limit offset
	Rest MarshalJSON DecodePayload +1 -1 1st 日本 a-b a_b ID Id id $ @id`)

func TestEveryMemberRoundTrips(t *testing.T) {
	want := map[string]string{}
	for i, name := range wireNames {
		want[name] = fmt.Sprintf("v%d", i)
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var w Words
	if err := json.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	if len(w.Rest.Members) != 0 {
		t.Errorf("members without a field: %v", w.Rest.Members)
	}
	got := map[string]string{}
	if err := json.Unmarshal(payload.Append(nil, &w), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestEverySchemaHasATypeOfItsOwn(t *testing.T) {
	seen := map[reflect.Type]string{}
	s := reflect.TypeFor[Select]()
	for i := range s.NumField() {
		f := s.Field(i)
		if f.Type.Kind() != reflect.Pointer {
			continue
		}
		if other, ok := seen[f.Type]; ok {
			t.Errorf("%s and %s are both %s", f.Name, other, f.Type)
		}
		seen[f.Type] = f.Name
	}
	if len(seen) != 14 {
		names := make([]string, 0, len(seen))
		for typ := range seen {
			names = append(names, typ.String())
		}
		sort.Strings(names)
		t.Errorf("%d types, want 14: %v", len(seen), names)
	}
}
