package runtime

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

func jsonValue(s string) value  { return value{ok: true, json: jsontext.Value(s)} }
func plainValue(s string) value { return value{ok: true, text: s} }

func TestConvert(t *testing.T) {
	at := func(s string) Datum {
		tm, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return Datum{Time: tm.UTC()}
	}
	cases := []struct {
		v    value
		t    ColumnType
		f    TimeFormat
		want *Datum // nil: refused
	}{
		{jsonValue(`"a\u00e9"`), TextColumn, 0, &Datum{Text: "aé"}},
		{jsonValue(`12.50`), TextColumn, 0, &Datum{Text: "12.50"}},
		{jsonValue(`{"a":1}`), TextColumn, 0, nil},
		{jsonValue(`"\u0000"`), TextColumn, 0, nil},
		{plainValue("x"), TextColumn, 0, &Datum{Text: "x"}},
		{jsonValue(`9223372036854775807`), IntegerColumn, 0, &Datum{Int: 9223372036854775807}},
		{jsonValue(`-9223372036854775808`), IntegerColumn, 0, &Datum{Int: -9223372036854775808}},
		{jsonValue(`9223372036854775808`), IntegerColumn, 0, nil},
		{jsonValue(`1e2`), IntegerColumn, 0, &Datum{Int: 100}},
		{jsonValue(`7.0`), IntegerColumn, 0, &Datum{Int: 7}},
		{jsonValue(`7.5`), IntegerColumn, 0, nil},
		{jsonValue(`1e999999`), IntegerColumn, 0, nil},
		{jsonValue(`"42"`), IntegerColumn, 0, &Datum{Int: 42}},
		{jsonValue(`" 42"`), IntegerColumn, 0, nil},
		{jsonValue(`true`), IntegerColumn, 0, nil},
		{plainValue("0x10"), IntegerColumn, 0, nil},
		{jsonValue(`1.10`), NumericColumn, 0, &Datum{Text: "1.10"}},
		{jsonValue(`"99999999999999999999.99"`), NumericColumn, 0, &Datum{Text: "99999999999999999999.99"}},
		{jsonValue(`1e100000`), NumericColumn, 0, nil},
		{jsonValue(`"NaN"`), NumericColumn, 0, nil},
		{jsonValue(`"1,5"`), NumericColumn, 0, nil},
		{jsonValue(`true`), BooleanColumn, 0, &Datum{Bool: true}},
		{jsonValue(`"true"`), BooleanColumn, 0, nil},
		{plainValue("false"), BooleanColumn, 0, &Datum{}},
		{jsonValue(`"2026-11-30T09:15:00.1234567+02:00"`), TimestampColumn, RFC3339, ptr(at("2026-11-30T07:15:00.123456Z"))},
		{jsonValue(`"2026-11-30t09:15:00z"`), TimestampColumn, RFC3339, ptr(at("2026-11-30T09:15:00Z"))},
		{jsonValue(`"2026-11-30T09:15:00"`), TimestampColumn, RFC3339, nil},
		{jsonValue(`"2026-11-30T09:15:00"`), TimestampColumn, AssumeUTC, ptr(at("2026-11-30T09:15:00Z"))},
		{jsonValue(`"2026-11-30 09:15:00.5"`), TimestampColumn, AssumeUTC, ptr(at("2026-11-30T09:15:00.5Z"))},
		{jsonValue(`"2026-02-30T09:15:00Z"`), TimestampColumn, RFC3339, nil},
		{jsonValue(`1700000000`), TimestampColumn, RFC3339, nil},
		{jsonValue(`1700000000`), TimestampColumn, UnixSeconds, ptr(at("2023-11-14T22:13:20Z"))},
		{jsonValue(`1700000000.1234567`), TimestampColumn, UnixSeconds, ptr(at("2023-11-14T22:13:20.123456Z"))},
		{jsonValue(`1.7e9`), TimestampColumn, UnixSeconds, ptr(at("2023-11-14T22:13:20Z"))},
		{jsonValue(`"1700000000123"`), TimestampColumn, UnixMillis, ptr(at("2023-11-14T22:13:20.123Z"))},
		{jsonValue(`-1`), TimestampColumn, UnixSeconds, ptr(at("1969-12-31T23:59:59Z"))},
		{jsonValue(`1e30`), TimestampColumn, UnixSeconds, nil},
		{jsonValue(`999999999999999`), TimestampColumn, UnixSeconds, nil},
		{jsonValue(`"2026-11-30"`), DateColumn, 0, &Datum{Text: "2026-11-30", Time: at("2026-11-30T00:00:00Z").Time}},
		{jsonValue(`"2026-13-30"`), DateColumn, 0, nil},
		{jsonValue(`"0000-01-01"`), DateColumn, 0, nil},
		{jsonValue(`{"a":[1.10,"x"]}`), JSONColumn, 0, &Datum{Text: `{"a":[1.10,"x"]}`}},
		{jsonValue(`{"a":"\u0000"}`), JSONColumn, 0, nil},
		{jsonValue(`{"\u0000":1}`), JSONColumn, 0, nil},
		{jsonValue(`{"a":"\\u0000"}`), JSONColumn, 0, &Datum{Text: `{"a":"\\u0000"}`}},
		{jsonValue(`[1e99999]`), JSONColumn, 0, nil},
		{jsonValue(strings.Repeat("[", 600) + strings.Repeat("]", 600)), JSONColumn, 0, nil},
		{plainValue(`q"`), JSONColumn, 0, &Datum{Text: `"q\""`}},
		{jsonValue(`"aGk="`), BytesColumn, 0, &Datum{Bytes: []byte("hi")}},
		{jsonValue(`"aGk"`), BytesColumn, 0, &Datum{Bytes: []byte("hi")}},
		{jsonValue(`"-_8"`), BytesColumn, 0, &Datum{Bytes: []byte{0xfb, 0xff}}},
		{jsonValue(`"#"`), BytesColumn, 0, nil},
		{jsonValue(`""`), BytesColumn, 0, &Datum{Bytes: []byte{}}},
	}
	for _, c := range cases {
		got, err := convert(c.v, c.t, c.f)
		if (err == nil) != (c.want != nil) {
			t.Errorf("%s as %d: error %v", c.v.plain(), c.t, err)
			continue
		}
		if c.want == nil {
			continue
		}
		w := *c.want
		if got.Text != w.Text || got.Int != w.Int || got.Bool != w.Bool || !got.Time.Equal(w.Time) || string(got.Bytes) != string(w.Bytes) {
			t.Errorf("%s as %d is %+v, want %+v", c.v.plain(), c.t, got, w)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestPayloads(t *testing.T) {
	optional := Selector{Kind: Body, Name: "/none", Optional: true}
	cases := []struct {
		p    *Payload
		want string
	}{
		{&Payload{Object: []Member{
			{"z", Payload{Value: ref(body("/n"))}}, {"gone", Payload{Value: &optional}},
			{"a", Payload{Text: Text{{Text: "Order "}, {From: ref(body("/id"))}, {Text: "."}}}},
			{"list", Payload{Array: []Payload{{Value: &optional}, {Literal: "1"}, {Value: ref(Selector{Kind: Const, Name: "c"})}}}},
			{"o", Payload{Value: ref(body("/o"))}},
		}}, `{"z":1.10,"a":"Order a\"b.","list":[1,"c"],"o":{"x": [1, 2]}}`},
		{&Payload{Text: Text{{From: ref(body("/o"))}}}, `"{\"x\":[1,2]}"`},
		{&Payload{Value: &optional}, "null"},
		{&Payload{Object: []Member{}}, "{}"},
		{nil, `{"id":"a\"b","n":1.10,"o":{"x": [1, 2]}}`},
	}
	for _, c := range cases {
		comp := newCompiler()
		p, err := comp.payload(c.p)
		if err != nil {
			t.Fatal(err)
		}
		got, bad := readOnly(t, comp, `{"id":"a\"b","n":1.10,"o":{"x": [1, 2]}}`).messagePayload(p)
		if bad != nil || string(got) != c.want {
			t.Errorf("got %s, %v; want %s", got, bad, c.want)
		}
	}
}

func TestPathsAreSegments(t *testing.T) {
	for id, want := range map[string]string{
		"a b/c?d#%": "/deals/a%20b%2Fc%3Fd%23%25", "é": "/deals/%C3%A9", "..": "", ".": "", "": "",
	} {
		comp := newCompiler()
		tx, err := comp.text(Text{{Text: "/deals/"}, {From: ref(body("/id"))}})
		if err != nil {
			t.Fatal(err)
		}
		quoted, _ := jsontext.AppendQuote(nil, id)
		got, p := readOnly(t, comp, `{"id":`+string(quoted)+`}`).renderPath(tx)
		if got != want || (p != nil) != (want == "") {
			t.Errorf("%q gives %q, %v", id, got, p)
		}
	}
}

func TestConditions(t *testing.T) {
	cases := []struct {
		c    Condition
		want bool
	}{
		{Condition{body("/t"), Equals, []string{"true"}, false, false}, true},
		{Condition{body("/t"), Equals, []string{`"true"`}, false, false}, false},
		{Condition{body("/n"), In, []string{"2", "1.0"}, false, false}, true},
		{Condition{body("/n"), Equals, []string{`"1"`}, false, false}, false},
		{Condition{body("/s"), Equals, []string{`"\u0061"`}, false, false}, true},
		{Condition{body("/o"), Equals, []string{`{"b":1,"a":2}`}, false, false}, true},
		{Condition{body("/none"), Equals, []string{"null"}, false, false}, false},
		{Condition{body("/none"), Present, nil, false, false}, true},
		{Condition{body("/null"), Present, nil, true, false}, false},
		{Condition{body("/s"), Present, nil, true, false}, true},
		{Condition{Selector{Kind: Query, Name: "q"}, Equals, []string{"1"}, false, false}, true},
		{Condition{Selector{Kind: Query, Name: "q"}, Equals, []string{"1.0"}, false, false}, false},
		{Condition{body("/n"), Equals, []string{"1"}, false, true}, true},
		{Condition{body("/s"), In, []string{"b", "a"}, false, true}, true},
		{Condition{body("/t"), Equals, []string{"true"}, false, true}, true},
		{Condition{body("/o"), Equals, []string{"o"}, false, true}, false},
	}
	for i, c := range cases {
		comp := newCompiler()
		list, err := comp.conditions([]Condition{c.c})
		if err != nil {
			t.Fatal(err)
		}
		got, p := readOnly(t, comp, `{"t":true,"n":1,"s":"a","o":{"a":2,"b":1},"null":null}`).holds(list)
		if got != c.want || p != nil {
			t.Errorf("%d: %+v is %v, %v", i, c.c, got, p)
		}
	}
}
