package runtime

import (
	"bytes"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzForm: whatever is posted, the view is one valid JSON value that holds
// every value, and neither order nor schema changes the fingerprint.
func FuzzForm(f *testing.F) {
	for _, text := range []string{
		"", "data[FIELDS][ID]=7&n=1", "a=1&a[b]=2&a[]=3", "l[][k]=1&l[1]=2&l[x]=3", "t[]=1&t[]=2&t=3", "%5B=%5D&=x&&a", "o={\"a\":1}&b=true&z=",
		"a[0][0]=1&a[00]=2&a[9999999999]=3", "a[b][c]=1&a[b]=2&a=3", "\"=\\&~/=~0",
	} {
		f.Add([]byte(text))
	}
	fields := []Field{{Pointer: "/a", Type: ArrayField}, {Pointer: "/a/*", Type: NumberField, Nullable: true}, {Pointer: "/b", Type: BooleanField},
		{Pointer: "/o", Type: ObjectField}, {Pointer: "/n", Type: NumberField}, {Pointer: "/f[x]"}}
	flat := map[string]bool{}
	flatNames(flat, fields)
	f.Fuzz(func(t *testing.T, body []byte) {
		form, p := parseForm(body)
		if p != nil {
			return
		}
		form.nest(flat)
		text := form.text()
		typed, _ := form.typed(newShape(fields))
		for _, doc := range [][]byte{text, typed} {
			if err := scan(newNode(), doc, nil); err != nil || doc[0] != '{' {
				t.Fatalf("the view is no object: %v: %s", err, doc)
			}
		}
		for i := range form.fields {
			value, _ := jsontext.AppendQuote(nil, form.fields[i].value)
			if !bytes.Contains(text, value) {
				t.Fatalf("%s is lost: %s", value, text)
			}
			if len(form.fields[i].path) == 0 {
				t.Fatalf("a field has no place: %q", form.fields[i].name)
			}
		}
		all := newFieldCut(nil, nil)
		for i := range form.fields {
			all.step(form.fields[i].name).end = true
		}
		want := form.digest(nil)
		if got := form.digest(func(f *formField) bool { return f.within(all) }); !bytes.Equal(got, want) {
			t.Fatal("a field is not found by its name")
		}
		other := *form
		other.fields = slices.Clone(form.fields)
		slices.SortStableFunc(other.fields, func(a, b formField) int { return len(a.name) - len(b.name) })
		if !bytes.Equal(other.digest(nil), want) {
			t.Fatal("the order of names counts")
		}
		redact := &request{form: form, body: body, media: mediaType{reads: formBody}}
		again, p := parseForm(redact.rewriteForm(func(f *formField) (string, bool) { return "&=%+", len(f.name)%2 == 0 }))
		if p != nil || len(again.fields) != len(form.fields) {
			t.Fatalf("redacted, it is another form: %v", p)
		}
	})
}

// FuzzSplice: a redacted JSON text is one, and what is not named stays.
func FuzzSplice(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":1,"b":[{"a":2},{"a":"x"}],"c":{"a":null}}`, `[ {"a" : [1,2] } , 3]`, `"a"`, `{"a":{"a":1}}`} {
		f.Add([]byte(text))
	}
	cuts := newCut([]string{"/a", "/b/*/a", "/c/a", "/0/a", "/*/b"})
	f.Fuzz(func(t *testing.T, text []byte) {
		if scan(newNode(), text, nil) != nil {
			return
		}
		if same := splice(text, newCut([]string{"/none/at/all"}), func() string { return "1" }); scan(newNode(), same, nil) != nil {
			t.Fatalf("broken: %s", same)
		}
		out := splice(text, cuts, func() string { return `"***"` })
		if err := scan(newNode(), out, nil); err != nil {
			t.Fatalf("%s became %s: %v", text, out, err)
		}
		c, d := &canonicalizer{}, &canonicalizer{}
		want, err := c.project(text, cuts, false)
		got, err2 := d.project(out, cuts, false)
		if err != nil || err2 != nil || !bytes.Equal(want, got) {
			t.Fatalf("%s: what stays is %s, want %s", text, got, want)
		}
	})
}
