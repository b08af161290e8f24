package runtime

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/whgen/whgen/runtime/signature"
)

// inner is a shop whose document stands at a place of the body.
func innerHarness(t *testing.T, d Document, media string, change func(*Definition)) (*harness, func(string) answered) {
	h := newHarness(t, func(def *Definition) {
		def.Endpoints[0].Document = &d
		def.Endpoints[0].Media = []string{media}
		def.Endpoints[0].AsJSON = []string{"text/plain"}
		def.Events[0].KeepPayload = true
		if change != nil {
			change(def)
		}
	})
	return h, func(text string) answered {
		r := h.signed(text)
		r.Header.Set("Content-Type", media)
		return h.do(r)
	}
}

func TestDocumentInAForm(t *testing.T) {
	const media = "application/x-www-form-urlencoded"
	h, send := innerHarness(t, Document{From: Selector{Kind: Form, Name: "payload"}}, media, func(d *Definition) {
		d.Endpoints[0].Media = append(d.Endpoints[0].Media, "application/json")
		d.Events[0].Redact = Redaction{Pointers: []string{"/data/amount"}, Form: []string{"token"}}
		d.Events[0].Fingerprint = Members{Exclude: []string{"/attempt"}}
	})
	text := "token=x&payload=" + url.QueryEscape(paid("e1", "o1", 5))
	h.want(send(text), Processed, 200)
	h.want(send(text), Duplicate, 200)
	row := h.store.row("e1")
	if string(row.Body) != text || string(row.Document) != paid("e1", "o1", 5) || row.Records[0].Columns[1].Int != 5 {
		t.Errorf("body %s, document %s", row.Body, row.Document)
	}
	if got := string(row.Payload); got != "token=***&payload="+url.QueryEscape(paid("e1", "o1", `"***"`)) {
		t.Errorf("stored is %s", got)
	}
	h.want(send("payload="+url.QueryEscape(strings.Replace(paid("e1", "o1", 5), "{", `{"attempt":2,`, 1))), Duplicate, 200)
	h.want(h.send(paid("e1", "o1", 5)), Duplicate, 200) // a JSON body is the document itself
	for _, bad := range []string{"", "payload=", "payload=%7B", "other=1", text + "&payload=1", "payload=[]"} {
		if got := send(bad); got.status != 400 {
			t.Errorf("%q is answered %d", bad, got.status)
		}
	}
	h.wantRows(1)
}

func TestDocumentInJSON(t *testing.T) {
	for name, encode := range map[string]func(string) string{
		"plain":      func(s string) string { return s },
		"base64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"rawurl":     func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"not base64": func(s string) string { return "*" + s },
	} {
		h, send := innerHarness(t, Document{From: body("/Message"), Base64: name != "plain"}, "text/plain", func(d *Definition) {
			d.Events[0].Key = []Selector{{Kind: Outer, Name: "/MessageId"}, body("/id")}
			d.Events[0].When = []Condition{{From: Selector{Kind: Outer, Name: "/n"}, Values: []string{"1"}}}
			d.Events[0].Redact.Pointers = []string{"/data/amount"}
		})
		outer := func(id, text string) string {
			return `{"MessageId":"` + id + `","n":1.0, "Message":` + strconv.Quote(encode(text)) + `,"type":"outer"}`
		}
		if name == "not base64" {
			h.want(send(outer("m", paid("e1", "o", 1))), Malformed, 400)
			continue
		}
		h.want(send(outer("m", paid("e1", "o", 1))), Processed, 200)
		h.want(send(outer("m", paid("e1", "o", 1))), Duplicate, 200)
		h.want(send(outer("m", paid("e1", "o", 1))+" "), Conflict, 409) // the raw bytes are the request's
		row := h.store.row("m|e1")
		if string(row.Document) != paid("e1", "o", 1) {
			t.Errorf("%s: document %s", name, row.Document)
		}
		redacted := strings.Replace(paid("e1", "o", 1), `"amount":1`, `"amount":"***"`, 1)
		if name == "base64" && string(row.Payload) != outer("m", redacted) {
			t.Errorf("%s: stored %s", name, row.Payload)
		}
		for _, bad := range []string{`{"MessageId":"m"}`, `{"Message":{"id":"x"}}`, `{"Message":null}`, `[]`, `{"Message":"{}"}x`} {
			if got := send(bad); got.status != 400 {
				t.Errorf("%s: %q is answered %d", name, bad, got.status)
			}
		}
	}
}

func TestFingerprintOfTheDocumentAlone(t *testing.T) {
	h, send := innerHarness(t, Document{From: body("/data")}, "application/json", func(d *Definition) {
		d.Events[0].Fingerprint = Members{Of: []Selector{body(""), {Kind: Outer, Name: "/n", Optional: true}}}
	})
	outer := func(attempt, n, text string) string {
		return `{"attempt":` + attempt + `,"n":` + n + `,"data":` + strconv.Quote(text) + `}`
	}
	h.want(send(outer("1", "1", paid("e1", "o", 1))), Processed, 200)
	h.want(send(outer("2", "1", " "+paid("e1", "o", 1))), Duplicate, 200)
	h.want(send(outer("2", "2", paid("e1", "o", 1))), Conflict, 409)
	if send(outer("2", "1", paid("e1", "o", 2))); h.counters.Outcome(Conflict) != 2 {
		t.Errorf("another document is no conflict: %v", h.counters.Outcomes())
	}
}

func zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

// GC-016
func TestContentEncoding(t *testing.T) {
	for _, decoded := range []bool{false, true} {
		h := newHarness(t, func(d *Definition) {
			d.Endpoints[0].Encodings, d.Endpoints[0].SignsDecoded, d.Endpoints[0].MaxBody = []string{"gzip"}, decoded, 4000
			d.Events[0].KeepPayload = true
		})
		send := func(coding, sent, signed string) answered {
			r := h.signed(sent)
			h.sign(r, signed)
			r.Header.Set("Content-Encoding", coding)
			return h.do(r)
		}
		right := func(wire, text string) string {
			if decoded {
				return text
			}
			return wire
		}
		text := paid("e1", "o", 1)
		wire := string(zipped(text))
		h.want(send("gzip", wire, right(text, wire)), Unauthenticated, 401)
		h.want(send("gzip", wire, right(wire, text)), Processed, 200)
		h.want(send("X-GZIP", wire, right(wire, text)), Duplicate, 200)
		h.want(h.send(text), Duplicate, 200)
		if got := string(h.store.row("e1").Payload); got != text {
			t.Errorf("stored is %q", got)
		}
		for _, coding := range []string{"gzip, gzip", "br", "deflate"} {
			got := send(coding, wire, right(wire, text))
			if h.want(got, UnsupportedMedia, 415); got.header.Get("Accept-Encoding") != "identity, gzip" {
				t.Errorf("%s: %v does not say what is taken", coding, got.header)
			}
		}
		broken := wire[:len(wire)-8] + "\x00\x00\x00\x00" + wire[len(wire)-4:]
		for name, bad := range map[string]string{"checksum": broken, "cut": wire[:len(wire)-9], "plain": text, "tail": wire + "x"} {
			if got := send("gzip", bad, bad); got.status != 400 {
				t.Errorf("%s is answered %d", name, got.status)
			}
		}
		bomb := `{"pad":"` + strings.Repeat("x", 5000) + `"}`
		h.want(send("gzip", string(zipped(bomb)), right(string(zipped(bomb)), bomb)), TooLarge, 413)
		h.want(send("", wire, wire), Malformed, 400) // gzip without a label
		h.wantRows(1)
	}
}

func TestCloudEventsInBinaryMode(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Endpoints[0].Type = []Selector{{Kind: Header, Name: "ce-type"}}
		d.Events[0].Key = []Selector{{Kind: Header, Name: "ce-source"}, {Kind: Header, Name: "ce-id"}}
	})
	r := h.signed(paid("x", "o", 1))
	r.Header.Set("ce-type", "order.paid")
	r.Header.Set("ce-source", "/shop/caf%C3%A9")
	r.Header.Set("ce-id", "100%")
	h.want(h.do(r), Processed, 200)
	if h.store.row("/shop/café|100%") == nil {
		t.Errorf("rows are %v", h.store.rows)
	}
}

func TestBodiesThatAreNotRead(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Endpoints[0].Media = []string{"text/csv"}
		d.Endpoints[0].Type = nil
		e := &d.Events[0]
		e.Key, e.Records, e.Handler = []Selector{{Kind: Header, Name: "X-Id"}}, nil, true
	})
	var seen []byte
	h.store.handler = func(_ context.Context, d *Delivery) error {
		in, err := NewIncoming[[]byte](&h.def, d)
		seen = in.Payload
		return err
	}
	send := func(text, media string) answered {
		r := h.signed(text)
		r.Header = http.Header{"X-Id": {"1"}, "X-Sig": r.Header["X-Sig"]}
		if media != "" {
			r.Header.Set("Content-Type", media)
		}
		return h.do(r)
	}
	h.want(send("a;b\xff\n", "text/csv; charset=iso-8859-1"), Processed, 200)
	if string(seen) != "a;b\xff\n" {
		t.Errorf("the handler got %q", seen)
	}
	h.want(send("a;b\xff\n", ""), Duplicate, 200)
	h.want(send("a;c\n", "text/csv"), Conflict, 409)
	h.want(send("{}", "application/json"), UnsupportedMedia, 415)
}

func TestSecretsInTheBody(t *testing.T) {
	h, _ := formHarness(t, func(d *Definition) {
		d.Endpoints[0].Scheme = signature.Scheme{Type: "token", Secrets: []signature.Secret{{Name: "SHOP_SECRET"}}, From: []signature.Source{{In: "form", Name: "auth[token]"}}}
		d.Endpoints[0].Redact = Redaction{Form: []string{"auth[token]"}}
		d.Events[0].Records[0].Reject = true
	})
	send := func(text string) answered {
		r := h.signedAs(text, "application/x-www-form-urlencoded")
		return h.do(r)
	}
	text := "event=order.paid&data[id]=7&n=x&auth%5Btoken%5D=" + testSecret
	h.want(send(text), Rejected, 202) // stored, because somebody will look at it
	if got := string(h.store.row("7").Payload); strings.Contains(got, testSecret) || !strings.Contains(got, "n=x&auth%5Btoken%5D=***") {
		t.Errorf("stored is %s", got)
	}
	for _, bad := range []string{"event=order.paid&data[id]=8&n=1", text + "&auth[token]=" + testSecret, strings.Replace(text, "secret", "Secret", 1), "auth[token]=%zz"} {
		h.want(send(bad), Unauthenticated, 401)
	}
	h.wantRows(1)
}

func TestBatchInsideOfAForm(t *testing.T) {
	h, send := innerHarness(t, Document{From: Selector{Kind: Form, Name: "payload"}}, "application/x-www-form-urlencoded", func(d *Definition) {
		d.Endpoints[0].Items = "/events/*"
		d.Events[0].Key = []Selector{body("/id"), {Kind: Form, Name: "account"}}
		d.Events[0].Redact.Pointers = []string{"/data/amount"}
	})
	text := "account=a&payload=" + url.QueryEscape(`{"events":[`+paid("e1", "o1", 1)+","+paid("e2", "o2", 2)+"]}")
	h.want(send(text), Processed, 200)
	h.want(send(text+"&attempt=2"), Duplicate, 200) // of each element its own bytes count
	row := h.store.row("e2|a")
	if row == nil || string(row.Document) != paid("e2", "o2", 2) || string(row.Payload) != paid("e2", "o2", `"***"`) {
		t.Errorf("row is %+v", row)
	}
	h.wantRows(2)
}
