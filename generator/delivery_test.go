package generator

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"testing"

	"github.com/whgen/whgen/spec"
)

// TestEnvelopedDelivery: a document arrives where the endpoint reads it, with
// the number of the event in it.
func TestEnvelopedDelivery(t *testing.T) {
	const inner = `{"id":"a\"-{{n}}"}`
	form := spec.Selector{Kind: spec.SelectForm, Name: "d"}
	for name, c := range map[string]struct {
		from          spec.Selector
		base64        bool
		media, around string
		document      func(body string) string
	}{
		"form": {from: form, media: "application/x-www-form-urlencoded", around: "d={{document}}&n={{n}}", document: formD},
		"form, base64": {from: form, base64: true, media: "application/x-www-form-urlencoded", around: "d={{document}}", document: func(body string) string {
			text, _ := base64.StdEncoding.DecodeString(formD(body))
			return string(text)
		}},
		"member": {from: spec.Selector{Kind: spec.SelectBody, Pointer: "/d"}, media: "application/json", around: `{"d":"{{document}}"}`, document: func(body string) string {
			var outer struct{ D string }
			_ = json.Unmarshal([]byte(body), &outer)
			return outer.D
		}},
	} {
		d := Delivery{Endpoint: &spec.Endpoint{Document: &spec.DocumentPlace{From: c.from, Base64: c.base64}}, ContentType: c.media, Body: inner, Changed: inner, around: c.around}.Numbered("7")
		for _, body := range []string{d.Body, d.Changed} {
			if got, want := c.document(body), `{"id":"a\"-7"}`; got != want {
				t.Errorf("%s: the document of %s is %s, want %s", name, body, got, want)
			}
		}
	}
}

func formD(body string) string {
	values, _ := url.ParseQuery(body)
	return values.Get("d")
}
