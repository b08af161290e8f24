package payload

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// everything is what the generator makes of schemas of every kind.
type everything struct {
	ID     string                  `json:"id" payload:"required"`
	Count  Int                     `json:"count" payload:"required"`
	Small  *int64                  `json:"small"`
	Price  *Number                 `json:"price" payload:"required,null"`
	At     Time                    `json:"at" payload:"required"`
	Day    Opt[Date]               `json:"day"`
	Kind   *kind                   `json:"kind"`
	Level  Opt[level]              `json:"level"`
	On     bool                    `json:"on" payload:"required"`
	Tags   []string                `json:"tags" payload:"required"`
	Maybe  Opt[[]*Int]             `json:"maybe"`
	Labels map[string]*string      `json:"labels"`
	Deep   map[string][][]Number   `json:"deep"`
	Free   Raw                     `json:"free"`
	Any    Raw                     `json:"any" payload:"required"`
	Next   *everything             `json:"next"`
	Parts  []everything            `json:"parts"`
	By     Opt[map[string]variant] `json:"by"`
	Either variant                 `json:"either" payload:"required"`
	Tree   list                    `json:"tree"`
	Odd    *string                 `json:"-" member:"a \"b\"\n,日"`
	Rest   Rest                    `json:"-"`
}

type (
	kind    string
	level   int64
	variant struct{ Union }
	list    []list
)

func (l *list) DecodePayload(d *Decoder) bool      { return Read(l, d) }
func (l list) AppendPayload(b []byte) []byte       { return Append(b, &l) }
func (e everything) MarshalJSON() ([]byte, error)  { return Append(nil, &e), nil }
func (e *everything) UnmarshalJSON(b []byte) error { return Unmarshal(b, e) }

const whole = `{"id":"1","count":123456789012345678901234567890,"small":-7,"price":1.10,"at":"2026-01-02T03:04:05","day":null,
"kind":"new","level":3,"on":true,"tags":["a"],"maybe":[1,null],"labels":{"b":null,"a":"x"},"deep":{"k":[[1e3],[]]},"free":{"x":1},
"any":null,"next":{"id":"2"},"parts":[{"id":3},4],"by":{"u":[1]},"either":"v","tree":[[],[[]]],"a \"b\"\n,日":"odd","more":{"y":0.10}}`

// FuzzDecode: whatever the body is, nothing panics, an error means that it is
// not one JSON value, and what is written back equals it, digit by digit.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{whole, `{}`, `[1]`, `null`, `"x"`, `{"parts":[{"parts":[{}]}],"next":{"next":null}}`, `{"tree":[[[1]]],"tags":[1],"small":1.5,"level":"x"}`,
		`{"id":{"a":[1,{}]},"count":"1","price":false,"at":1,"maybe":[{}],"labels":{"a":1},"deep":{"k":[["x"]]},"by":{"u":null}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		var v everything
		_, err := Decode(body, &v, Value[everything])
		if !bytes.Equal(body, before) {
			t.Fatal("the body was changed")
		}
		valid := jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true))
		if (err == nil) != valid {
			t.Fatalf("valid JSON: %v, but the error is %v", valid, err)
		}
		if err != nil || !jsontext.Value(body).IsValid() {
			return // of a member that is there twice, one is lost
		}
		text := Append(nil, &v)
		if want, got := valueOf(t, body), valueOf(t, text); !reflect.DeepEqual(want, got) {
			t.Fatalf("%s\nwas written as\n%s", body, text)
		}
		var again everything
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(v, again) {
			t.Fatalf("%s\nis read as another value: %v", text, err)
		}
	})
}

// valueOf keeps the digits of numbers. An integer of 64 bits is one however it is
// spelled: 1.0 is written as 1 where the document says int64.
func valueOf(t *testing.T, text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("read %s: %v", text, err)
	}
	return spelled(v)
}

func spelled(v any) any {
	switch x := v.(type) {
	case json.Number:
		if n, err := integer(x.String()); err == nil {
			return n
		}
	case []any:
		for i := range x {
			x[i] = spelled(x[i])
		}
	case map[string]any:
		for name := range x {
			x[name] = spelled(x[name])
		}
	}
	return v
}
