package runtime

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestScanGivesRawValues(t *testing.T) {
	root, slots := newNode(), 0
	pointers := []string{"", "/a", "/a/b", "/a/b/1", "/n", "/", "/x~0y", "/q\"", "/missing", "/n/deeper"}
	at := map[string]int{}
	for _, p := range pointers {
		at[p] = root.add(p, &slots)
	}
	if again := root.add("/a/b", &slots); again != at["/a/b"] {
		t.Errorf("an equal pointer has slot %d, want %d", again, at["/a/b"])
	}
	text := " {\"a\": {\"b\" : [ 1 , [2, 3] ] }, \"n\":1.50e+2, \"\":true, \"x~y\":null, \"q\\u0022\":\"\\u0041\"}\n"
	got := make([]jsontext.Value, slots)
	if err := scan(root, []byte(text), got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"": strings.TrimSpace(text), "/a": `{"b" : [ 1 , [2, 3] ] }`, "/a/b": `[ 1 , [2, 3] ]`, "/a/b/1": `[2, 3]`,
		"/n": "1.50e+2", "/": "true", "/x~0y": "null", "/q\"": `"\u0041"`, "/missing": "", "/n/deeper": "",
	}
	for p, w := range want {
		if string(got[at[p]]) != w {
			t.Errorf("%q is %q, want %q", p, got[at[p]], w)
		}
	}
}

// FuzzScan checks the scan against the standard decoder: whatever it accepts is
// JSON, and a slot holds the value that the pointer names.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"a":{"b":1},"c":[1,2]}`, `{"a":1,"a":2}`, `[[]]`, "\xef\xbb\xbf{}", `{"a":"\ud800"}`, `{"a":{}}x`, `{"\u0061":{"b":[]}}`} {
		f.Add([]byte(s))
	}
	root, slots := newNode(), 0
	a, b, c := root.add("/a", &slots), root.add("/a/b", &slots), root.add("/c/0", &slots)
	f.Fuzz(func(t *testing.T, data []byte) {
		got := make([]jsontext.Value, slots)
		if scan(root, data, got) != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is accepted", data)
		}
		var doc map[string]json.RawMessage
		if json.Unmarshal(data, &doc) != nil {
			return
		}
		if !bytes.Equal(got[a], doc["a"]) {
			t.Fatalf("/a is %q, want %q", got[a], doc["a"])
		}
		var inner map[string]json.RawMessage
		if json.Unmarshal(doc["a"], &inner) == nil && !bytes.Equal(got[b], inner["b"]) {
			t.Fatalf("/a/b is %q, want %q", got[b], inner["b"])
		}
		var list []json.RawMessage
		if json.Unmarshal(doc["c"], &list) == nil && len(list) > 0 && !bytes.Equal(got[c], list[0]) {
			t.Fatalf("/c/0 is %q, want %q", got[c], list[0])
		}
	})
}

func TestProjection(t *testing.T) {
	doc := `{"b":{"y":1e2,"x":9007199254740993},"a":[{"s":1,"t":2},{"t":3}],"n":null,"e":{},"\u0061\u0062":"\/"}`
	cases := []struct {
		pointers []string
		keep     bool
		want     string
	}{
		{nil, false, `{"a":[{"s":1,"t":2},{"t":3}],"ab":"/","b":{"x":9007199254740993,"y":1e2},"e":{},"n":null}`},
		{[]string{"/a", "/ab", "/none"}, false, `{"b":{"x":9007199254740993,"y":1e2},"e":{},"n":null}`},
		{[]string{"/a/*/s", "/b", "/n", "/ab"}, false, `{"a":[{"t":2},{"t":3}],"e":{}}`},
		{[]string{"/a/0", "/b", "/n", "/ab"}, false, `{"a":[{"t":3}],"e":{}}`},
		{[]string{"/a/*/s"}, true, `{"a":[{"s":1},null]}`},
		{[]string{"/b/x", "/n"}, true, `{"b":{"x":9007199254740993},"n":null}`},
		{[]string{"/b/none", "/e/none"}, true, `null`},
		{[]string{"/a/1/t"}, true, `{"a":[{"t":3}]}`},
		{[]string{"/e"}, true, `{"e":{}}`},
	}
	for _, c := range cases {
		v, err := new(canonicalizer).project([]byte(doc), newCut(c.pointers), c.keep)
		if err != nil || string(v) != c.want {
			t.Errorf("%v, keep %v: got %s, %v; want %s", c.pointers, c.keep, v, err, c.want)
		}
	}
}

func TestAbsenceIsPartOfTheFingerprint(t *testing.T) {
	comp := newCompiler()
	m, err := comp.members(Members{Of: []Selector{body("/a"), {Kind: Query, Name: "none", Optional: true}}})
	if err != nil {
		t.Fatal(err)
	}
	var seen [][]byte
	for _, text := range []string{`{}`, `{"a":null}`, `{"a":""}`, `{"a":0}`, `{"a":0.0}`} {
		sum, err := m.digest(readOnly(t, comp, text))
		if err != nil || len(sum) != sha256.Size {
			t.Fatal(err)
		}
		if slices.ContainsFunc(seen, func(s []byte) bool { return bytes.Equal(s, sum) }) {
			t.Errorf("%s has the fingerprint of another", text)
		}
		seen = append(seen, sum)
	}
	same, _ := m.digest(readOnly(t, comp, `{"b":1,"a":0}`))
	if !bytes.Equal(same, seen[3]) {
		t.Error("a member that does not count changes the fingerprint")
	}
}
