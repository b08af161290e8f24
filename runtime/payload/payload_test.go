package payload

import (
	"encoding/json"
	"testing"
	"time"
)

func TestTimeReadsWhatSendersWrite(t *testing.T) {
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, text := range []string{
		"2026-01-02T03:04:05Z", "2026-01-02t03:04:05z", "2026-01-02T05:04:05+02:00", "2026-01-02T05:04:05+0200",
		"2026-01-02T05:04:05+02", "2026-01-02 03:04:05", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05.000",
		"2026-01-02 05:04:05 +0200",
	} {
		at := Time{text: text}
		got, err := at.Time()
		if err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if back, _ := json.Marshal(at); string(back) != `"`+text+`"` {
			t.Errorf("%s: written back as %s", text, back)
		}
	}
	for _, text := range []string{"", "yesterday", "2026-13-01T00:00:00Z"} {
		if _, err := (Time{text: text}).Time(); err == nil {
			t.Errorf("%q was taken for a time", text)
		}
	}
}

func TestIntegers(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "-0": 0, "1.0": 1, "1e3": 1000, "9223372036854775807": 1<<63 - 1, "12300e-2": 123} {
		var i Int
		if err := json.Unmarshal([]byte(text), &i); err != nil {
			t.Fatal(err)
		}
		if got, err := i.Int64(); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
		if back, _ := json.Marshal(i); string(back) != text {
			t.Errorf("%s: written back as %s", text, back)
		}
	}
	for _, text := range []string{"1.5", "9223372036854775808", "1e999999999", "-1e-999999999"} {
		if got, err := (Int{text: text}).Int64(); err == nil {
			t.Errorf("%s became %d", text, got)
		}
	}
	if big, err := (Int{text: "123456789012345678901234567890"}).Big(); err != nil || big.String() != "123456789012345678901234567890" {
		t.Errorf("big %v, %v", big, err)
	}
	var i Int
	if err := json.Unmarshal([]byte(`"1"`), &i); err == nil {
		t.Error("a text was taken for an integer")
	}
}

func TestNumberIsExact(t *testing.T) {
	n, err := NewNumber("19.90")
	if err != nil || n.String() != "19.90" {
		t.Fatalf("%v, %v", n, err)
	}
	if r, err := n.Rat(); err != nil || r.RatString() != "199/10" {
		t.Errorf("%v, %v", r, err)
	}
	if f, err := n.Float64(); err != nil || f != 19.9 {
		t.Errorf("%v, %v", f, err)
	}
	for _, text := range []string{"", "x", "01", "1,5", `"1"`} {
		if _, err := NewNumber(text); err == nil {
			t.Errorf("%q was taken for a number", text)
		}
	}
}

func TestZeroValuesAreValidJSON(t *testing.T) {
	for want, v := range map[string]any{"0": Int{}, "0 ": Number{}, `""`: Time{}, `"" `: Date{}, "null": Union{}} {
		got, err := json.Marshal(v)
		if err != nil || string(got)+want[len(got):] != want {
			t.Errorf("%T: %s, %v", v, got, err)
		}
	}
}

func TestOpt(t *testing.T) {
	var absent Opt[int]
	if !absent.IsAbsent() || absent.IsNull() || absent.Or(3) != 3 {
		t.Error("the zero value is not absent")
	}
	if n := Null[int](); n.IsAbsent() || !n.IsNull() {
		t.Error("null is not null")
	}
	if v, ok := Some(0).Get(); !ok || v != 0 {
		t.Error("zero is not there")
	}
}

type point struct {
	X    int64 `json:"x" payload:"required"`
	Rest Rest  `json:"-"`
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{`{"x":1}`, `{"x":"1","y":[{}]}`, `[1]`, `{}`, ` { "y" : null , "x" : 1e2 } `, `{"x":1.5,"x":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var p point
		before := string(body)
		if _, err := Decode(body, &p, Value[point]); err != nil {
			return
		}
		if string(body) != before {
			t.Fatal("the body was changed")
		}
		text := Append(nil, &p)
		var again point
		if _, err := Decode(text, &again, Value[point]); err != nil {
			t.Fatalf("%q was written as %q: %v", body, text, err)
		}
		if got := Append(nil, &again); string(got) != string(text) {
			t.Fatalf("%q, then %q", text, got)
		}
	})
}
