package credits_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	whrt "github.com/whgen/whgen/runtime"
)

// safeLog is a log that may be written and read at once.
type safeLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// logged gives the bench a receiver that logs everything.
func (b *bench) logged() *safeLog {
	log := &safeLog{}
	b.observer = whrt.Observers(b.counters, whrt.Slog(slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	b.url = b.serve(b.receiver())
	return log
}

// GC-014: middleware in front of the receiver.
func TestMiddlewareThatReadsTheBody(t *testing.T) {
	each(t, func(b *bench) {
		log := b.logged()
		inner := b.receiver()
		wrap := func(change func(r *http.Request, text []byte)) string {
			return b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, err := io.ReadAll(r.Body)
				if err == nil {
					_ = r.Body.Close()
					change(r, text)
				}
				inner.ServeHTTP(w, r)
			}))
		}
		restored := wrap(func(r *http.Request, text []byte) { r.Body = io.NopCloser(bytes.NewReader(text)) })
		eaten := wrap(func(*http.Request, []byte) {})
		encoded := wrap(func(r *http.Request, text []byte) {
			var v any
			if err := json.Unmarshal(text, &v); err != nil {
				return
			}
			sorted, err := json.Marshal(v)
			if err != nil {
				return
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(sorted)), int64(len(sorted))
		})
		for i, c := range []struct {
			url    string
			status int
		}{{restored, 200}, {eaten, 503}, {encoded, 401}} {
			got := do(signed(b.Context(), c.url, body(fmt.Sprintf("evt_22_%d", i), "o-22", 1)))
			if got.status != c.status {
				b.Errorf("middleware %d: status %d, want %d", i+1, got.status, c.status)
			}
		}
		b.rows(1, 1, 1)
		if !strings.Contains(log.String(), "already read") {
			b.Error("the log does not say that the body was already read")
		}
	})
}

// GC-015: the signature is that of the bytes, not of what they mean.
func TestSignatureIsOverTheBytes(t *testing.T) {
	texts := []string{
		`{"id":"evt_a","type":"order.paid","data":{"order_id":"o/é","amount":1,"rate":1.1}}`,
		"{ \"id\": \"evt_b\", \"type\": \"order.paid\", \"data\": {\"order_id\": \"o/é\", \"amount\": 1} }\n",
		`{"data":{"amount":1,"order_id":"o/é"},"type":"order.paid","id":"evt_c"}`,
		`{"id":"evt_d","type":"order.paid","data":{"order_id":"o\/\u00e9","amount":1,"rate":1.10}}`,
	}
	each(t, func(b *bench) {
		for i, text := range texts {
			r := signed(b.Context(), b.url, text)
			r.Header.Set("X-Sig", sign(texts[(i+1)%len(texts)]))
			if got := do(r); got.status != 401 {
				b.Errorf("with another's signature: status %d, want 401", got.status)
			}
		}
		b.rows(0, 0, 0)
		for _, text := range texts {
			b.want(text, 200)
		}
		b.rows(4, 4, 4)
		if n := b.number("SELECT count(*) FROM credits WHERE order_id = 'o/é'"); n != 4 {
			b.Errorf("%d credits of the order, want 4", n)
		}
	})
}

// dump is every value of the receiver's tables.
func (b *bench) dump() string {
	var out strings.Builder
	for _, table := range []string{"events", "conflicts", "failures", "payloads"} {
		b.dumpTable(&out, "credits_inbox_"+table)
	}
	b.dumpTable(&out, "credits_outbox_messages")
	return out.String()
}

func (b *bench) dumpTable(out io.Writer, table string) {
	rows, err := b.db.QueryContext(b.Context(), "SELECT * FROM "+table)
	b.must(err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	b.must(err)
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		b.must(rows.Scan(into...))
		for _, v := range values {
			_, _ = fmt.Fprintf(out, "%s %x\n", v, v)
		}
	}
	b.must(rows.Err())
}

// GC-024: credentials of a request are in no log and in no table.
func TestNothingSecretIsKept(t *testing.T) {
	each(t, func(b *bench) {
		log := b.logged()
		b.work = func(ctx context.Context, o order) error {
			if o.id == "reject" {
				return whrt.Reject("refused") // this one keeps its body
			}
			if o.id == "fail" {
				return fmt.Errorf("failed")
			}
			return credit(ctx, o)
		}
		forbidden := []string{"SECRET1", "SECRET2", secret}
		for _, id := range []string{"take", "reject", "fail", "forged"} {
			text := body("evt_"+id, id, 1)
			r := signed(b.Context(), b.url, text)
			forbidden = append(forbidden, sign(text))
			if id == "forged" {
				r.Header.Set("X-Sig", sign("another"))
				forbidden = append(forbidden, sign("another"))
			}
			r.Header.Set("Authorization", "Bearer SECRET1")
			r.Header.Set("Cookie", "c=SECRET2")
			do(r)
		}
		b.rows(2, 1, 1)
		b.outcome(whrt.Unauthenticated, 1)
		b.outcome(whrt.Failed, 1)
		kept := log.String() + b.dump()
		if !strings.Contains(kept, "evt_reject") || log.String() == "" {
			b.Fatal("nothing was logged or kept")
		}
		for _, s := range forbidden {
			if strings.Contains(kept, s) {
				b.Errorf("%.8s... was kept", s)
			}
		}
	})
}

// GC-027: no, short, malformed and misplaced signatures are one refusal.
func TestWrongSignaturesLookAlike(t *testing.T) {
	text := body("evt_126", "o-126", 1)
	right := sign(text)
	empty := hmac.New(sha256.New, nil)
	empty.Write([]byte(text))
	cases := map[string]func(r *http.Request){
		"none":         func(r *http.Request) { r.Header.Del("X-Sig") },
		"empty":        func(r *http.Request) { r.Header.Set("X-Sig", "") },
		"zero":         func(r *http.Request) { r.Header.Set("X-Sig", "0") },
		"short":        func(r *http.Request) { r.Header.Set("X-Sig", right[:63]) },
		"no hex":       func(r *http.Request) { r.Header.Set("X-Sig", strings.Repeat("z", 64)) },
		"other header": func(r *http.Request) { r.Header.Del("X-Sig"); r.Header.Set("X-Sign", right) },
		"query":        func(r *http.Request) { r.Header.Del("X-Sig"); r.URL.RawQuery = "X-Sig=" + right },
		"empty body":   func(r *http.Request) { r.Header.Set("X-Sig", sign("")) },
		"empty key":    func(r *http.Request) { r.Header.Set("X-Sig", hex.EncodeToString(empty.Sum(nil))) },
	}
	each(t, func(b *bench) {
		log := b.logged()
		answers := map[answer]bool{}
		for name, change := range cases {
			r := signed(b.Context(), b.url, text)
			change(r)
			got := do(r)
			if answers[got] = true; got.status != 401 || strings.Contains(got.body, right) {
				b.Errorf("%s: got %v, want a plain 401", name, got)
			}
		}
		if len(answers) != 1 {
			b.Errorf("%d different answers, want 1", len(answers))
		}
		if strings.Contains(log.String(), right) {
			b.Error("the log holds the right signature")
		}
		b.outcome(whrt.Unauthenticated, 9)
		b.rows(0, 0, 0)
	})
}

// GC-028, GC-030, GC-031, GC-037, GC-039: bodies and what becomes of them.
func TestBodies(t *testing.T) {
	rest := `"type":"order.paid","data":{"order_id":"o","amount":1}}`
	cases := []struct {
		name, body    string
		status        int
		inbox, effect int
	}{
		{"look-alike", `{"id":"evt_A","ID":"evt_B",` + rest, 200, 1, 1},
		{"the look-alike's own event", `{"id":"evt_B",` + rest, 200, 1, 1},
		{"other case", `{"ID":"evt_C",` + rest, 400, 0, 0},
		{"repeated", `{"id":"evt_D","id":"evt_E",` + rest, 400, 0, 0},
		{"escaped NUL", `{"id":"n1","note":"a\u0000b",` + rest, 200, 1, 1},
		{"text like an escaped NUL", `{"id":"n2","note":"a\\u0000b",` + rest, 200, 1, 1},
		{"raw NUL", "{\"id\":\"n3\",\"note\":\"a\x00b\"," + rest, 400, 0, 0},
		{"no key", `{` + rest, 400, 0, 0},
		{"empty key", `{"id":"",` + rest, 400, 0, 0},
		{"null key", `{"id":null,` + rest, 400, 0, 0},
		{"empty", "", 400, 0, 0},
		{"null", "null", 400, 0, 0},
		{"list", "[]", 400, 0, 0},
		{"text", `"x"`, 400, 0, 0},
		{"empty object", "{}", 400, 0, 0},
		{"two objects", "{}{}", 400, 0, 0},
		{"cut off", "{", 400, 0, 0},
		{"byte order mark", "\xEF\xBB\xBF" + body("bom", "o", 1), 400, 0, 0},
		{"line end", body("line", "o", 1) + "\n", 200, 1, 1},
		{"no type", `{"id":"t1","data":{"order_id":"o","amount":1}}`, 400, 0, 0},
		{"numeric type", `{"id":"t2","type":5,"data":{"order_id":"o","amount":1}}`, 400, 0, 0},
		{"unknown type", `{"id":"evt_60","type":"order.exploded"}`, 200, 1, 0},
	}
	each(t, func(b *bench) {
		var seen string
		b.work = func(ctx context.Context, o order) error {
			seen = string(o.body)
			return credit(ctx, o)
		}
		inbox, effect := 0, 0
		for _, c := range cases {
			got := b.deliver(c.body)
			inbox, effect = inbox+c.inbox, effect+c.effect
			if got.status != c.status {
				b.Errorf("%s: status %d, want %d", c.name, got.status, c.status)
			}
			if c.effect == 1 && seen != c.body {
				b.Errorf("%s: the handler saw other bytes", c.name)
			}
			b.rows(inbox, effect, effect)
		}
		form := signed(b.Context(), b.url, "webhook_id=2")
		form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if got := do(form); got.status != 415 {
			b.Errorf("form: status %d, want 415", got.status)
		}
		b.rows(inbox, effect, effect)
	})
}

// GC-039: a type that nobody listed is acknowledged and counted.
func TestUnknownTypeIsAcknowledged(t *testing.T) {
	each(t, func(b *bench) {
		for i := range 10 {
			b.want(fmt.Sprintf(`{"id":"evt_60_%d","type":"order.exploded"}`, i), 200)
		}
		b.rows(10, 0, 0)
		b.outcome(whrt.Ignored, 10)
	})
}

// GC-029: numbers beyond what a float64 tells apart.
func TestLargeNumbersKeepTheirDigits(t *testing.T) {
	each(t, func(b *bench) {
		for i, id := range []string{"9007199254740992", "9007199254740993", "18446744073709551615", "123456789012345678901234567890"} {
			b.want(`{"id":`+id+`,"type":"order.paid","data":{"order_id":"o","amount":1,"ref":9007199254740993}}`, 200)
			b.rows(i+1, i+1, i+1)
		}
		var text []byte
		b.must(b.db.QueryRowContext(b.Context(), "SELECT payload FROM credits_outbox_messages ORDER BY id LIMIT 1").Scan(&text))
		if got, want := string(text), `{"order":"o","ref":9007199254740993}`; got != want {
			b.Errorf("message %s, want %s", got, want)
		}
	})
}

// GC-032: nesting up to the limit, and over it.
func TestDeepNesting(t *testing.T) {
	nested := func(id, open, end string, n int) string {
		return `{"id":"` + id + `","type":"order.paid","data":{"order_id":"o","amount":1,"x":` +
			strings.Repeat(open, n) + "1" + strings.Repeat(end, n) + `}}`
	}
	each(t, func(b *bench) {
		b.want(nested("deep", "[", "]", 10_001), 400)
		b.rows(0, 0, 0)
		b.want(nested("lists", "[", "]", 9_000), 200)
		b.want(nested("objects", `{"a":`, "}", 5_000), 200)
		b.rows(2, 2, 2)
	})
}

// counted counts what is read of a body that never ends.
type counted struct{ n int }

func (c *counted) Read(p []byte) (int, error) {
	clear(p)
	c.n += len(p)
	return len(p), nil
}

// GC-033: bodies around the limit, with and without a length.
func TestBodySize(t *testing.T) {
	const limit = 1 << 20
	sized := func(n int) string {
		text := body("evt_55", "o-55", 1)
		return text + strings.Repeat(" ", n-len(text))
	}
	each(t, func(b *bench) {
		b.want(sized(limit), 200)
		b.want(sized(limit+1), 413)
		b.want(sized(3*limit), 413)
		chunked := signed(b.Context(), b.url, sized(limit+1))
		chunked.Body, chunked.ContentLength = io.NopCloser(strings.NewReader(sized(limit+1))), -1
		if got := do(chunked); got.status != 413 {
			b.Errorf("chunked: status %d, want 413", got.status)
		}
		for _, length := range []int64{10 << 30, -1} {
			endless := &counted{}
			r := httptest.NewRequest(http.MethodPost, "/", endless)
			r.ContentLength = length
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			b.receiver().ServeHTTP(w, r)
			if w.Code != 413 || endless.n > 2*limit {
				b.Errorf("length %d: status %d after %d bytes, want 413 after little more than the limit", length, w.Code, endless.n)
			}
		}
		b.rows(1, 1, 1)
		b.outcome(whrt.TooLarge, 5)
	})
}

// GC-038: what the document does not list yet.
func TestNewValuesAreTaken(t *testing.T) {
	each(t, func(b *bench) {
		status := ""
		b.work = func(ctx context.Context, o order) error {
			status = o.status
			return credit(ctx, o)
		}
		b.want(`{"id":"evt_59","type":"order.paid","data":{"order_id":"o","amount":1,"status":"disputed","risk":{"score":3}}}`, 200)
		if status != "disputed" {
			b.Errorf("the handler saw status %q", status)
		}
		b.rows(1, 1, 1)
		if n := b.counters.Deviations("/data/status"); n != 1 {
			b.Errorf("%d deviations counted, want 1", n)
		}
	})
}

// TestMessageIsTheAgreedOne pins the bytes and the signature that all cases build on.
func TestMessageIsTheAgreedOne(t *testing.T) {
	text := body("evt_1", "o-1", 100)
	if len(text) != 73 {
		t.Errorf("%d bytes, want 73", len(text))
	}
	if got, want := sign(text), "5790572106df5c2d60cfb5838f4fe0486bb9d383d2c93b7aa78be0a630cf0c55"; got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}
