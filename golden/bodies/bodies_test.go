package bodies_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/whgen/whgen/golden/bodies/binary"
	"github.com/whgen/whgen/golden/bodies/envelope"
	"github.com/whgen/whgen/golden/bodies/form"
	"github.com/whgen/whgen/golden/bodies/multipart"
	"github.com/whgen/whgen/golden/bodies/payload"
	"github.com/whgen/whgen/golden/bodies/raw"
	"github.com/whgen/whgen/golden/bodies/structured"
	whrt "github.com/whgen/whgen/runtime"
)

const (
	secret   = "whg_test_secret_0123456789abcdef"
	formType = "application/x-www-form-urlencoded"
)

// formHandler keeps what it was given last.
type formHandler struct{ last form.Deal }

func (h *formHandler) DealAdded(_ context.Context, _ form.Tx, e whrt.Incoming[form.Deal]) error {
	h.last = e.Payload
	return nil
}

func TestForm(t *testing.T) {
	b, h := newBench(t), &formHandler{}
	b.must(form.Migrate(t.Context(), b.db))
	rcv, err := form.New(t.Context(), form.Config{DB: b.db, Handler: h, Observer: b.counters,
		Secrets: whrt.SecretsMap{"FORM_SECRET": secret}, Settings: whrt.SettingsMap{"CRM_URL": "http://crm.invalid"}})
	b.must(err)
	b.handler, b.sign = rcv, signed(secret, "")
	b.headers.Set("Content-Type", formType+"; charset=UTF-8")

	text := "event=deal.added&data%5BFIELDS%5D%5BID%5D=7&amount=12.50&active=1&tags[]=a&tags[]=b&count=&lines[0][sku]=x&lines[0][n]=many" +
		"&flat[name]=f&person[email]=ada%40example.com&auth[token]=hush&attempt=1"
	b.send(text, "processed")
	b.send(strings.Replace(text, "attempt=1", "attempt=2", 1), "duplicate")
	b.send("attempt=3&auth%5Btoken%5D=hush&"+strings.TrimSuffix(strings.Replace(text, "&auth[token]=hush", "", 1), "&attempt=1"), "duplicate")
	b.send(strings.Replace(text, "12.50", "12.5", 1), "conflict")
	for _, bad := range []string{
		"", "{}", strings.Replace(text, "ID%5D=7", "ID%5D=", 1), strings.Replace(text, "data", "date", 1), text + "&amount=1", text + "&event=x", text + "&x=%f",
		strings.Repeat("x=&", 1000) + text,
	} {
		b.send(bad, "malformed")
	}
	b.send(strings.NewReplacer("ID%5D=7", "ID%5D=8", "active=1", "active=true").Replace(text), "ignored")
	b.send(strings.Replace(text, "ID%5D=7", "ID%5D=nine", 1), "rejected")

	got, err := json.Marshal(h.last)
	b.must(err)
	if want := `{"active":true,"amount":12.50,"attempt":1,"auth":{"token":"hush"},"count":null,"data":{"FIELDS":{"ID":7}},"event":"deal.added","flat[name]":"f",` +
		`"lines":[{"sku":"x","n":"many"}],"person":{"email":"ada@example.com"},"tags":["a","b"]}`; string(got) != want {
		t.Errorf("the handler got\n%s, want\n%s", got, want)
	}
	if n, err := h.last.Amount.Float64(); n != 12.5 || err != nil || h.last.Data.FIELDS.ID != 7 || len(h.last.Lines) != 1 || !h.last.Lines[0].Rest.Odd() {
		t.Errorf("typed: %+v", h.last)
	}
	if n := b.counters.Deviations("/lines/0/n"); n == 0 {
		t.Error("no deviation is counted where a text does not convert")
	}
	b.wantText("SELECT deal_id || ' ' || amount || ' ' || email || ' ' || flat FROM form_deals", "7 12.50 ada@example.com f")
	b.wantText("SELECT payload FROM form_outbox_messages", `{"amount":12.50,"text":"12.50","active":true,"tags":["a","b"]}`)
	b.wantText("SELECT target FROM form_outbox_messages", "/deals/7")
	if stored := b.text("SELECT body FROM form_inbox_payloads WHERE event_key = '7'"); strings.Contains(stored, "hush") || strings.Contains(stored, "ada") || !strings.Contains(stored, "auth[token]=***") {
		t.Errorf("stored is %s", stored)
	}
	b.headers.Set("Content-Type", formType+"; charset=windows-1251")
	b.send(text, "unsupportedMedia")
	b.headers.Set("Content-Type", "application/json")
	b.send("{}", "unsupportedMedia")
}

type multipartHandler struct{ last multipart.Scanned }

func (h *multipartHandler) Scanned(_ context.Context, _ multipart.Tx, e whrt.Incoming[multipart.Scanned]) error {
	h.last = e.Payload
	return nil
}

func TestMultipart(t *testing.T) {
	b, h := newBench(t), &multipartHandler{}
	b.must(multipart.Migrate(t.Context(), b.db))
	rcv, err := multipart.New(t.Context(), multipart.Config{DB: b.db, Handler: h, Observer: b.counters, Secrets: whrt.SecretsMap{"MULTIPART_TOKEN": secret}})
	b.must(err)
	b.handler = rcv
	body := func(boundary, token, id, file string) string {
		b.headers.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		part := func(head, text string) string {
			return "--" + boundary + "\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + text + "\r\n"
		}
		return part(`name="token"`, token) + part(`name="scan[id]"`, id) + part(`name="scan[pages]"`, "3") + part(`name="file"; filename="a.png"`, file) + "--" + boundary + "--\r\n"
	}
	b.send(body("a", secret, "s1", "\xff\x00"), "processed")
	b.send(body("b", secret, "s1", "\xff\x00"), "duplicate")
	b.send(body("a", secret, "s1", "\xff\x01"), "conflict")
	b.send(body("a", secret, "", "x"), "malformed")
	b.send(body("a", secret+"0", "s2", "x"), "unauthenticated")
	b.send(strings.TrimSuffix(body("a", secret, "s2", "x"), "--a--\r\n"), "unauthenticated") // its token cannot be read
	if pages := h.last.Scan.Pages; h.last.Scan.ID != "s1" || pages == nil || pages.String() != "3" {
		t.Errorf("the handler got %+v", h.last)
	}
}

type payloadHandler struct{ last payload.Pushed }

func (h *payloadHandler) Pushed(_ context.Context, _ payload.Tx, e whrt.Incoming[payload.Pushed]) error {
	h.last = e.Payload
	return nil
}

func TestDocumentInAForm(t *testing.T) {
	b, h := newBench(t), &payloadHandler{}
	b.must(payload.Migrate(t.Context(), b.db))
	rcv, err := payload.New(t.Context(), payload.Config{DB: b.db, Handler: h, Observer: b.counters, Secrets: whrt.SecretsMap{"PAYLOAD_SECRET": secret}})
	b.must(err)
	b.handler, b.sign = rcv, signed(secret, "sha256=")
	b.headers.Set("Content-Type", formType)
	inner := `{"action":"pushed","push":{"id":"p&1","size":9007199254740993}}`
	text := "kind=k&payload=" + url.QueryEscape(inner)
	b.send(text, "processed")
	b.send(text, "duplicate")
	b.send(strings.ReplaceAll(text, "%22", "\""), "duplicate") // the same fields, escaped otherwise
	b.send(strings.Replace(text, "kind=k", "kind=l", 1), "conflict")
	for _, bad := range []string{"kind=k", "payload=", "payload=pushed", text + "&payload=x", strings.Replace(text, "p%261", "", 1)} {
		b.send(bad, "malformed")
	}
	if h.last.Push.ID != "p&1" || h.last.Push.Size.String() != "9007199254740993" {
		t.Errorf("the handler got %+v", h.last)
	}
	b.wantText("SELECT push_id || ' ' || size || ' ' || kind FROM payload_pushes", "p&1 9007199254740993 k")
	b.headers.Set("Content-Type", "application/json") // the document itself
	b.send(strings.Replace(inner, "p&1", "p2", 1), "processed")
	b.wantText("SELECT kind IS NULL FROM payload_pushes WHERE push_id = 'p2'", "1")
}

func TestDocumentInAnEnvelope(t *testing.T) {
	b := newBench(t)
	b.must(envelope.Migrate(t.Context(), b.db))
	rcv, err := envelope.New(t.Context(), envelope.Config{DB: b.db, Observer: b.counters, Secrets: whrt.SecretsMap{"ENVELOPE_TOKEN": secret}})
	b.must(err)
	b.handler = rcv
	b.headers.Set("Authorization", "Bearer "+secret)
	b.headers.Set("Content-Type", "text/plain; charset=UTF-8")
	outer := func(id, inner string) string {
		return `{"message":{"messageId":"` + id + `","data":"` + base64.StdEncoding.EncodeToString([]byte(inner)) + `"},"subscription":"s"}`
	}
	text := outer("m1", `{"type":"paid","order":{"id":"o1"}}`)
	b.send(text, "processed")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err = w.Write([]byte(text))
	b.must(err)
	b.must(w.Close())
	b.headers.Set("Content-Encoding", "gzip")
	b.send(zipped.String(), "duplicate")
	b.send(text, "malformed")
	b.headers.Set("Content-Encoding", "br")
	b.send(zipped.String(), "unsupportedMedia")
	b.headers.Del("Content-Encoding")
	b.send(outer("m1", `{"type":"paid","order":{"id":"o2"}}`), "conflict")
	b.send(outer("m2", `{"type":"other"}`), "ignored")
	for _, bad := range []string{outer("", `{"type":"paid"}`), outer("m3", `{"type":"paid"`), outer("m3", `{}`), `{"message":{"data":"e30="}}`, `{"message":{"messageId":"m3"}}`, `{"message":"x"}`} {
		b.send(bad, "malformed")
	}
	b.wantText("SELECT event_key || ' ' || order_id || ' ' || subscription FROM envelope_orders", "m1 o1 s")
}

func TestCloudEvents(t *testing.T) {
	b := newBench(t)
	b.must(structured.Migrate(t.Context(), b.db))
	rcv, err := structured.New(t.Context(), structured.Config{DB: b.db, Observer: b.counters})
	b.must(err)
	b.handler = rcv
	b.headers.Set("Content-Type", "application/cloudevents+json; charset=utf-8")
	text := `{"specversion":"1.0","id":"1","source":"/a|b","type":"com.example.order.paid","time":"2026-01-02T03:04:05Z","data":{"id":"o1"}}`
	b.send(text, "processed")
	b.send(text, "duplicate")
	b.send(strings.Replace(text, "o1", "o2", 1), "conflict")
	b.send(strings.Replace(text, `"source":"/a|b",`, "", 1), "malformed")
	b.wantText(`SELECT event_key FROM structured_orders`, `/a\|b|1`)

	c := newBench(t)
	c.must(binary.Migrate(t.Context(), c.db))
	other, err := binary.New(t.Context(), binary.Config{DB: c.db, Observer: c.counters})
	c.must(err)
	c.handler = other
	c.headers = http.Header{"Content-Type": {"application/json"}, "Ce-Specversion": {"1.0"}, "Ce-Type": {"com.example.order.paid"}, "Ce-Source": {"/a%7Cb"}, "Ce-Id": {"1"}}
	c.send(`{"id":"o1"}`, "processed")
	c.send(`{"id":"o1"}`, "duplicate")
	c.send(`{"id":"o2"}`, "conflict")
	c.wantText(`SELECT event_key || ' ' || source FROM binary_orders`, `/a\|b|1 /a|b`)
	c.headers.Add("Ce-Id", "2")
	c.send(`{"id":"o1"}`, "malformed")
	c.headers.Del("Ce-Id")
	c.send(`{"id":"o1"}`, "malformed")
}

type rawHandler struct{ last []byte }

func (h *rawHandler) Reported(_ context.Context, _ raw.Tx, e whrt.Incoming[[]byte]) error {
	h.last = e.Payload
	return nil
}

func TestRaw(t *testing.T) {
	b, h := newBench(t), &rawHandler{}
	b.must(raw.Migrate(t.Context(), b.db))
	rcv, err := raw.New(t.Context(), raw.Config{DB: b.db, Handler: h, Observer: b.counters,
		Secrets: whrt.SecretsMap{"RAW_SECRET": secret}, Settings: whrt.SettingsMap{"ARCHIVE_URL": "http://archive.invalid"}})
	b.must(err)
	b.handler = rcv
	b.sign = func(r *http.Request, body string) {
		signed(secret, "")(r, r.Header.Get("X-Id")+"."+body)
		sum, err := hex.DecodeString(r.Header.Get("X-Sig"))
		b.must(err)
		r.Header.Set("X-Sig", base64.StdEncoding.EncodeToString(sum))
	}
	b.headers.Set("Content-Type", "text/csv; charset=iso-8859-1")
	b.headers.Set("X-Id", "r1")
	b.send("a;\xe9\n", "processed")
	b.send("a;\xe9\n", "duplicate")
	b.send("a;\xe8\n", "conflict")
	if string(h.last) != "a;\xe9\n" {
		t.Errorf("the handler got %q", h.last)
	}
	b.wantText("SELECT payload FROM raw_outbox_messages", `{"id":"r1"}`)
	b.headers.Set("X-Id", "r2")
	b.send("", "processed") // an empty body is one too
	b.headers.Del("X-Id")
	b.send("x", "unauthenticated")
}
