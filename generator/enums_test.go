package generator

import (
	"reflect"
	"testing"
)

func TestEnumsAreFound(t *testing.T) {
	c := contractOf(t, smallDocument("Body")+`    Body:
      type: object
      properties:
        status: {type: string, enum: [paid, refunded]}
        maybe: {type: [string, "null"], enum: [a]}
        grade: {oneOf: [{const: 1}, {const: 2}]}
        state: {type: string, oneOf: [{const: open}, {const: shut}]}
        either: {oneOf: [{type: string, enum: [a]}, {type: integer}]}
        deep: {type: object, properties: {kind: {enum: [x, 1]}}}
        list: {type: array, items: {type: string, enum: [unseen]}}
`)
	got := map[string][]string{}
	for _, e := range enumsOf(c.Events[0].Schema) {
		got[e.Pointer] = e.Values
	}
	want := map[string][]string{
		"/status": {`"paid"`, `"refunded"`}, "/maybe": {`"a"`, "null"}, "/grade": {"1", "2"}, "/state": {`"open"`, `"shut"`}, "/deep/kind": {`"x"`, "1"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}
