package runtime

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// library is what go-json-experiment/json makes of a text: the canonical form,
// numbers as they came.
func library(text []byte) (jsontext.Value, error) {
	v := jsontext.Value(slices.Clone(text))
	err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	return v, err
}

func TestCanonicalForm(t *testing.T) {
	cases := [][2]string{
		{` { "b" : [ 1 , 2.50, {"z":null,"a":true} ] ,` + "\n\t\r" + `"a" : "x" } `, `{"a":"x","b":[1,2.50,{"a":true,"z":null}]}`},
		{`{"a":9007199254740993,"b":1e2,"c":-0}`, `{"a":9007199254740993,"b":1e2,"c":-0}`},
		{`"\u00e9\/\u0008\u001f\u2028\ud83d\ude00"`, "\"é/\\b\\u001f\u2028😀\""},
		{`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
			`{"\r":2,"1":4,"` + "\u0080" + `":6,"ö":7,"€":1,"😀":5,"` + "\ufb33" + `":3}`}, // the order of RFC 8785, 3.2.3
		{`{"aa":1,"a":2,"":3,"a\u0022":4}`, `{"":3,"a":2,"a\"":4,"aa":1}`},
		{`[]`, `[]`}, {`{}`, `{}`}, {`[[],{},[{}]]`, `[[],{},[{}]]`}, {`""`, `""`},
	}
	for _, c := range cases {
		got, err := canonicalize([]byte(c[0]))
		if err != nil || string(got) != c[1] {
			t.Errorf("%s: got %s, %v; want %s", c[0], got, err, c[1])
		}
	}
}

func FuzzCanonicalForm(f *testing.F) {
	for _, seed := range []string{
		`{"b":1,"a":[{"d":"\u0061","c":null},1e5],"\uffff":{},"\ud83d\ude00":[]}`, `"\\\""`, `[1,`, `{"a" 1}`, `}`, `{"a":}`, ``, `{"a":1,}`, `"`, `"\`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := canonicalize(text) // must not panic, whatever it is given
		want, bad := library(text)
		if bad != nil {
			return
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: got %s, %v; want %s", text, got, err, want)
		}
		again, err := canonicalize(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%s: not stable: %s, %v", got, again, err)
		}
	})
}

// BenchmarkFingerprint compares the one pass with the library's.
func BenchmarkFingerprint(b *testing.B) {
	body := []byte(`{"event_id":"evt_1","type":"order.created","attempt":1,"order":{"id":"o-1","total":{"amount":4990,"currency":"EUR"},"lines":[`)
	for range 40 {
		body = append(body, `{"sku":"tea-100","quantity":2,"price":1995},`...)
	}
	body = append(body, `{}]}}`...)
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			v, err := library(body)
			if err != nil {
				b.Fatal(err)
			}
			sha256.Sum256(v)
		}
	})
	b.Run("one pass", func(b *testing.B) {
		c, cuts := &canonicalizer{}, newCut([]string{"/attempt"})
		for b.Loop() {
			v, err := c.project(body, cuts, false)
			if err != nil {
				b.Fatal(err)
			}
			sha256.Sum256(v)
		}
	})
}
