package runtime

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

const (
	testSecret = "a-secret-that-only-tests-know-0123"
	oldSecret  = "another-secret-of-before-4567"
)

// body selects a pointer.
func body(p string) Selector { return Selector{Kind: Body, Name: p} }

func ref(s Selector) *Selector { return &s }

func literal(s string) Text { return Text{{Text: s}} }

// answers are different for every outcome, so that each can be told.
func answers() Responses {
	var r Responses
	for o, status := range map[Outcome]int{
		Processed: 200, Conflict: 409, InProgress: 503, Failed: 500, Rejected: 202, Ignored: 203,
		Unauthenticated: 401, Malformed: 400, TooLarge: 413, UnsupportedMedia: 415, MethodNotAllowed: 405,
	} {
		r[o] = Response{Status: status}
	}
	r[Processed].ContentType, r[Processed].Body = "application/json", literal(`{"ok":true}`)
	r[Duplicate] = Response{Replay: true, Status: 200}
	r[InProgress].RetryAfter = 5
	return r
}

// testTiming is generous where nothing is meant to run out.
var testTiming = Timing{AnswerWithin: 20 * time.Second, Deadline: 20 * time.Second, InProgressWait: 10 * time.Second}

// definition is a shop with one event, its key at /id and a record effect.
func definition() Definition {
	return Definition{
		Source: "shop", Table: "shop_inbox_events",
		Endpoints: []Endpoint{{
			MaxBody: 1 << 20, Media: []string{"application/json"},
			Scheme: signature.Scheme{
				Type: "hmac", Secrets: []signature.Secret{{Name: "SHOP_SECRET"}}, Encoding: "hex", Hash: "sha256",
				From: []signature.Source{{In: "header", Name: "X-Sig"}},
			},
			Type: []Selector{body("/type")}, Routes: []Route{{"order.paid", 0}},
			Responses: answers(), Timing: testTiming, UnknownKey: []Selector{body("/id")},
		}},
		Events: []Event{{
			Name: "orderPaid", Key: []Selector{body("/id")}, Responses: answers(), Timing: testTiming,
			Records: []Record{{Effect: "credit", Constraint: "credits_order_id_key", Reject: true, Columns: []Column{
				{Name: "order_id", From: body("/data/order_id")},
				{Name: "amount", From: body("/data/amount"), Type: IntegerColumn},
			}}},
		}},
	}
}

// harness is a receiver on a memory store.
type harness struct {
	t        *testing.T
	rcv      *Receiver
	store    *memory
	counters *Counters
	clock    *OffsetClock
	def      Definition
}

func newHarness(t *testing.T, change func(*Definition)) *harness {
	t.Helper()
	h := &harness{t: t, store: newMemory(), counters: &Counters{}, clock: &OffsetClock{}, def: definition()}
	if change != nil {
		change(&h.def)
	}
	h.rcv = h.start(Options{})
	return h
}

func (h *harness) start(o Options) *Receiver {
	h.t.Helper()
	if o.Secrets == nil {
		o.Secrets = SecretsMap{"SHOP_SECRET": testSecret, "OLD": oldSecret}
	}
	if o.Settings == nil {
		o.Settings = SettingsMap{}
	}
	if o.Observer == nil {
		o.Observer = h.counters
	}
	o.Clock = h.clock
	rcv, err := NewReceiver(context.Background(), h.def, h.store, o)
	if err != nil {
		h.t.Fatal(err)
	}
	return rcv
}

func paid(id, order string, amount any) string {
	return fmt.Sprintf(`{"id":"%s","type":"order.paid","data":{"order_id":"%s","amount":%v}}`, id, order, amount)
}

// signed is a signed request to the only endpoint.
func (h *harness) signed(text string) *http.Request {
	h.t.Helper()
	r := httptest.NewRequest("POST", "/webhooks/shop", strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	h.sign(r, text)
	return r
}

// signedAs is a request whose signature stands in its body already.
func (h *harness) signedAs(text, media string) *http.Request {
	r := httptest.NewRequest("POST", "/webhooks/shop", strings.NewReader(text))
	r.Header.Set("Content-Type", media)
	return r
}

func (h *harness) sign(r *http.Request, text string) {
	h.t.Helper()
	s := &signature.Request{Method: r.Method, Header: r.Header, Body: []byte(text)}
	if err := signature.Sign(h.def.Endpoints[0].Scheme, testSecret, s, h.clock.Now()); err != nil {
		h.t.Fatal(err)
	}
}

type answered struct {
	status int
	header http.Header
	body   string
}

func (h *harness) do(r *http.Request) answered {
	w := httptest.NewRecorder()
	h.rcv.ServeHTTP(w, r)
	res := w.Result()
	b, _ := io.ReadAll(res.Body)
	return answered{res.StatusCode, res.Header, string(b)}
}

func (h *harness) send(text string) answered { h.t.Helper(); return h.do(h.signed(text)) }

// want checks an outcome's status and how often the outcome was counted.
func (h *harness) want(got answered, o Outcome, status int) {
	h.t.Helper()
	if got.status != status {
		h.t.Errorf("answer is %d, want %d (%s); outcomes %v", got.status, status, o, h.counters.Outcomes())
	}
	if h.counters.Outcome(o) == 0 {
		h.t.Errorf("no %s was counted: %v", o, h.counters.Outcomes())
	}
}

func (h *harness) wantRows(n int) {
	h.t.Helper()
	if got := h.store.size(); got != n {
		h.t.Errorf("there are %d rows, want %d", got, n)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
		time.Sleep(time.Millisecond)
	}
}
