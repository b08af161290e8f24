package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

// large is an event of about 2 kB.
func large() string {
	return `{"id":"evt_1","type":"order.paid","data":{"order_id":"o-1","amount":100,"lines":[` +
		strings.TrimSuffix(strings.Repeat(`{"sku":"tea-100","quantity":2,"price":1995,"note":"gr\u00fcner Tee, lose"},`, 25), ",") + `]}}`
}

// discard answers into nothing.
type discard struct{ h http.Header }

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }

// instant is a store that costs nothing.
type instant struct{ *memory }

func (instant) Deliver(context.Context, []*Delivery) ([]Result, error) {
	return []Result{{Found: New}}, nil
}

// BenchmarkPath is the whole path of a delivery but for socket and database.
func BenchmarkPath(b *testing.B) {
	def := definition()
	rcv, err := NewReceiver(context.Background(), def, instant{newMemory()}, Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret}})
	if err != nil {
		b.Fatal(err)
	}
	text := []byte(large())
	r := httptest.NewRequest("POST", "/", nil)
	r.Header.Set("Content-Type", "application/json")
	s := &signature.Request{Header: r.Header, Body: text}
	if err := signature.Sign(def.Endpoints[0].Scheme, testSecret, s, time.Now()); err != nil {
		b.Fatal(err)
	}
	r.ContentLength = int64(len(text))
	reader := bytes.NewReader(text)
	w := &discard{http.Header{}}
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		reader.Reset(text)
		r.Body = io.NopCloser(reader)
		clear(w.h)
		rcv.ServeHTTP(w, r)
	}
}

// BenchmarkJudge is what the receiver computes of a body: parse, key,
// fingerprint, columns, answer.
func BenchmarkJudge(b *testing.B) {
	rcv, err := NewReceiver(context.Background(), definition(), newMemory(), Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret}})
	if err != nil {
		b.Fatal(err)
	}
	hr := httptest.NewRequest("POST", "/", nil)
	text := []byte(large())
	b.ReportAllocs()
	for b.Loop() {
		rq := &request{rcv: rcv, endpoint: rcv.endpoints[0], http: hr, body: text, json: true}
		if p := rq.parse(); p != nil {
			b.Fatal(p)
		}
		if p := rq.classify(); p != nil {
			b.Fatal(p)
		}
		if _, p := rq.delivery(); p != nil {
			b.Fatal(p)
		}
	}
}

// BenchmarkDecode is the usual way, for comparison: a full decode into a map.
func BenchmarkDecode(b *testing.B) {
	text := []byte(large())
	b.ReportAllocs()
	for b.Loop() {
		var v map[string]any
		if err := json.Unmarshal(text, &v); err != nil {
			b.Fatal(err)
		}
	}
}
