package conformance

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	whrt "github.com/whgen/whgen/runtime"
)

// requests are about what stands before the content.
var requests = []caseOf{
	{name: "middleware that reads the body", run: middleware},
	{name: "the signature is over the bytes", run: bytesAreSigned},
	{name: "wrong signatures look alike", run: wrongSignatures},
	{name: "bodies around the limit", run: bodySize},
	{name: "nothing secret is kept", run: nothingSecretIsKept},
}

// middleware: middleware in front of the receiver.
func middleware(b *bench) {
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
		got := do(signed(b.Context(), c.url, b.body(fmt.Sprintf("evt_22_%d", i), "o-22", 1)))
		if got.status != c.status {
			b.Errorf("middleware %d: status %d, want %d", i+1, got.status, c.status)
		}
	}
	b.rows(1, 1, 1)
	if !strings.Contains(b.log.String(), "already read") {
		b.Error("the log does not say that the body was already read")
	}
}

// bytesAreSigned: the signature is that of the bytes, not of what they mean.
func bytesAreSigned(b *bench) {
	texts := []string{
		`{"id":"evt_a","type":"order.paid","data":{"order_id":"o/é","amount":1,"rate":1.1}}`,
		"{ \"id\": \"evt_b\", \"type\": \"order.paid\", \"data\": {\"order_id\": \"o/é\", \"amount\": 1} }\n",
		`{"data":{"amount":1,"order_id":"o/é"},"type":"order.paid","id":"evt_c"}`,
		`{"id":"evt_d","type":"order.paid","data":{"order_id":"o\/\u00e9","amount":1,"rate":1.10}}`,
	}
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
}

// wrongSignatures: no, short, malformed and misplaced signatures are one refusal.
func wrongSignatures(b *bench) {
	text := b.body("evt_126", "o-126", 1)
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
	gone := b.connect() // what comes unsigned never asks the database: there is none any more
	o := b.options()
	o.NoRelay = true
	r, err := gone.Credits(b.Context(), o)
	b.must(err)
	gone.Close()
	url := b.serve(r)
	answers := map[answer]bool{}
	for name, change := range cases {
		r := signed(b.Context(), url, text)
		change(r)
		got := do(r)
		if answers[got] = true; got.status != 401 || strings.Contains(got.body, right) {
			b.Errorf("%s: got %v, want a plain 401", name, got)
		}
	}
	if len(answers) != 1 {
		b.Errorf("%d different answers, want 1", len(answers))
	}
	if strings.Contains(b.log.String(), right) {
		b.Error("the log holds the right signature")
	}
	b.outcome(whrt.Unauthenticated, 9)
	b.wantAt(url, text, 503)
	b.outcome(whrt.Failed, 1)
	b.rows(0, 0, 0)
}

// bodySize: bodies around the limit, with and without a length.
func bodySize(b *bench) {
	const limit = 1 << 20
	sized := func(n int) string {
		text := b.body("evt_55", "o-55", 1)
		return text + strings.Repeat(" ", n-len(text))
	}
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
}

// nothingSecretIsKept: credentials of a request are in no log and in no table.
func nothingSecretIsKept(b *bench) {
	b.work = func(ctx context.Context, o Order) error {
		if o.ID == "reject" {
			return whrt.Reject("refused") // this one keeps its body
		}
		if o.ID == "fail" {
			return fmt.Errorf("failed")
		}
		return credit(ctx, o)
	}
	forbidden := []string{"SECRET1", "SECRET2", secret}
	for _, id := range []string{"take", "reject", "fail", "forged"} {
		text := b.body("evt_"+id, id, 1)
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
	kept := b.log.String() + b.dump()
	if !strings.Contains(kept, "evt_reject") || b.log.String() == "" {
		b.Fatal("nothing was logged or kept")
	}
	for _, s := range forbidden {
		if strings.Contains(kept, s) {
			b.Errorf("%.8s... was kept", s)
		}
	}
}

// counted counts what is read of a body that never ends.
type counted struct{ n int }

func (c *counted) Read(p []byte) (int, error) {
	clear(p)
	c.n += len(p)
	return len(p), nil
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
