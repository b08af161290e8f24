package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"
)

func TestBodiesThatAreNoEvent(t *testing.T) {
	h := newHarness(t, nil)
	cases := map[string]int{
		"": 400, "null": 400, "[]": 400, `"x"`: 400, "{}": 400, "{}{}": 400, "{": 400,
		"\ufeff" + paid("a", "o", 1):                            400,
		paid("b", "o", 1) + "\n":                                200,
		paid("c", "o", 1) + "{}":                                400,
		`{"ID":"d","type":"order.paid"}`:                        400,
		`{"id":"e","id":"f","type":"order.paid"}`:               400,
		`{"id":"e","type":"order.paid","x":{"a":1,"a":2}}`:      400,
		`{"id":"e","type":"order.paid","x":{"a":1,"\u0061":2}}`: 400,
		"{\"id\":\"a\x00b\",\"type\":\"order.paid\"}":           400,
		"{\"id\":\"\xff\",\"type\":\"order.paid\"}":             400,
		`{"id":"a\u0000b","type":"order.paid"}`:                 400,
		`{"id":"","type":"order.paid"}`:                         400,
		`{"id":null,"type":"order.paid"}`:                       400,
		`{"id":{"a":1},"type":"order.paid"}`:                    400,
		`{"id":1.0,"type":"order.paid"}`:                        400,
		`{"id":1e0,"type":"order.paid"}`:                        400,
		`{"id":"g"}`:                                            400,
		`{"id":"g","type":5}`:                                   400,
		`{"id":"g","type":null}`:                                400,
		`{"id":"g","type":"order.paid"}`:                        400, // a required column
		`{"id":"g","type":"order.exploded"}`:                    203,
	}
	for text, want := range cases {
		if got := h.send(text); got.status != want {
			t.Errorf("%q is answered %d, want %d", text, got.status, want)
		}
	}
	h.wantRows(2)
}

func TestLookAlikeNames(t *testing.T) {
	h := newHarness(t, nil)
	h.send(`{"id":"A","ID":"B","type":"order.paid","data":{"order_id":"o","amount":1}}`)
	if h.store.row("A") == nil || h.store.row("B") != nil {
		t.Errorf("rows are %v", h.store.rows)
	}
}

func TestLargeIntegers(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Effects = []Effect{{Name: "ship", Always: true, HTTP: &HTTPEffect{Method: "POST", URL: []SettingPart{{Text: "https://example.com"}}}}}
		d.Events[0].Records = nil
		d.Events[0].Messages = []Message{{Effect: 0, Payload: &Payload{Object: []Member{{"ref", Payload{Value: ref(body("/ref"))}}}}}}
	})
	for _, id := range []string{"9007199254740992", "9007199254740993", "18446744073709551615", "123456789012345678901234567890"} {
		text := `{"id":` + id + `,"type":"order.paid","ref":9007199254740993}`
		h.want(h.send(text), Processed, 200)
		row := h.store.row(id)
		if row == nil || string(row.Messages[0].Payload) != `{"ref":9007199254740993}` {
			t.Errorf("row of %s is %+v", id, row)
		}
	}
}

func TestNULInText(t *testing.T) {
	h := newHarness(t, nil)
	h.want(h.send(`{"id":"e1","type":"order.paid","note":"a\u0000b","data":{"order_id":"o","amount":1}}`), Processed, 200)
	h.want(h.send(`{"id":"e2","type":"order.paid","note":"a\\u0000b","data":{"order_id":"a\\u0000b","amount":1}}`), Processed, 200)
	h.want(h.send(`{"id":"e3","type":"order.paid","data":{"order_id":"a\u0000b","amount":1}}`), Rejected, 202)
	row := h.store.row("e3")
	if row.Status != StatusRejected || row.Payload == nil || strings.Contains(row.Reason, "a") && strings.Contains(row.Reason, "\x00") {
		t.Errorf("row is %+v", row)
	}
}

func TestValuesThatNoColumnHolds(t *testing.T) {
	for _, amount := range []string{`"x"`, "true", "1.5", "9223372036854775808", "{}", "[1]"} {
		h := newHarness(t, nil)
		h.want(h.send(paid("e1", "o", amount)), Rejected, 202)
		h.want(h.send(paid("e1", "o", amount)), Duplicate, 202)
		h.wantRows(1)
	}
}

func TestKeyInAHeader(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Events[0].Key = []Selector{{Kind: Header, Name: "x-webhook-id"}}
	})
	send := func(lines ...string) int {
		r := h.signed(paid("-", "o", 1))
		r.Header["X-Webhook-Id"] = append(r.Header["X-Webhook-Id"], lines...)
		return h.do(r).status
	}
	for i, c := range []struct {
		lines []string
		want  int
	}{{[]string{"W1"}, 200}, {[]string{"W1"}, 200}, {nil, 400}, {[]string{""}, 400}, {[]string{"W1", "W2"}, 400}, {[]string{"\xff"}, 400}, {[]string{strings.Repeat("x", 513)}, 400}, {[]string{strings.Repeat("x", 512)}, 200}} {
		if got := send(c.lines...); got != c.want {
			t.Errorf("%d: answered %d, want %d", i, got, c.want)
		}
	}
	h.wantRows(2)
}

func TestDeepNesting(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Fingerprint = Members{Exclude: []string{"/attempt"}} })
	nest := func(id, open, end string, n int) string {
		return `{"id":"` + id + `","type":"order.paid","data":{"order_id":"o","amount":1},"x":` + strings.Repeat(open, n) + "1" + strings.Repeat(end, n) + `}`
	}
	h.want(h.send(nest("e1", "[", "]", 10001)), Malformed, 400)
	h.want(h.send(nest("e2", "[", "]", 9000)), Processed, 200)
	h.want(h.send(nest("e3", `{"a":`, "}", 5000)), Processed, 200)
	h.wantRows(2)
}

func TestVolatileMembers(t *testing.T) {
	h := newHarness(t, func(d *Definition) { d.Events[0].Fingerprint = Members{Exclude: []string{"/attempt", "/lines/*/sent"}} })
	text := func(attempt, sent string) string {
		return `{"id":"e1","type":"order.paid","attempt":` + attempt + `,"data":{"order_id":"o","amount":1},"lines":[{"a":1,"sent":` + sent + `},{"a":2}]}`
	}
	h.want(h.send(text("1", "1")), Processed, 200)
	h.want(h.send(text("2", "7")), Duplicate, 200)
	h.want(h.send(strings.Replace(text("3", "8"), `"attempt":3,`, "", 1)), Duplicate, 200)
	h.want(h.send(strings.Replace(text("3", "8"), `"a":2`, `"a":3`, 1)), Conflict, 409)
	h.want(h.send(strings.Replace(text("3", "8"), `"a":2`, `"a":2.0`, 1)), Conflict, 409)
}

func TestDerivedKey(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		m := Members{Exclude: []string{"/createdAt"}}
		d.Events[0].Key, d.Events[0].Derived, d.Events[0].Fingerprint = nil, &m, m
	})
	text := func(at, amount string) string {
		return `{"type":"order.paid","createdAt":"` + at + `","data":{"order_id":"o","amount":` + amount + `}}`
	}
	h.want(h.send(text("1", "1")), Processed, 200)
	h.want(h.send(text("2", "1")), Duplicate, 200)
	h.send(text("2", "2"))
	h.wantRows(2)
	sum := sha256.Sum256([]byte(`{"data":{"amount":1,"order_id":"o"},"type":"order.paid"}`))
	if h.store.row(hex.EncodeToString(sum[:])) == nil {
		t.Errorf("no row has the digest of the canonical members: %v", h.store.rows)
	}
}

func TestUnlistedTypes(t *testing.T) {
	unlisted := `{"id":"e1","type":"order.exploded"}`
	h := newHarness(t, nil)
	h.want(h.send(unlisted), Ignored, 203)
	h.want(h.send(unlisted), Duplicate, 203)
	row := h.store.row("e1")
	if row.Status != StatusIgnored || row.Event != -1 || string(row.Payload) != unlisted || row.Type != "order.exploded" {
		t.Errorf("row is %+v", row)
	}
	h.want(h.send(`{"type":"order.exploded"}`), Ignored, 203)
	h.wantRows(1)

	h.want(h.send(`{"id":"e1","type":"order.exploded","more":1}`), Conflict, 409)

	bare := newHarness(t, func(d *Definition) { // an endpoint declares no more than it has to
		d.Endpoints[0].Responses = Responses{Ignored: Response{Status: 203}, Failed: Response{Status: 500}}
		d.Endpoints[0].Timing.InProgressWait = time.Millisecond
	})
	bare.want(bare.send(unlisted), Ignored, 203)
	bare.want(bare.send(unlisted), Duplicate, 203)
	bare.want(bare.send(`{"id":"e1","type":"order.exploded","more":1}`), Conflict, 203)
	bare.store.held["e2"] = true
	bare.want(bare.send(`{"id":"e2","type":"order.exploded"}`), InProgress, 500)

	counted := newHarness(t, func(d *Definition) { d.Endpoints[0].UnknownKey = nil })
	counted.want(counted.send(unlisted), Ignored, 203)
	counted.wantRows(0)

	retried := newHarness(t, func(d *Definition) { d.Endpoints[0].Unknown = UnknownRetry })
	retried.want(retried.send(unlisted), Failed, 500)
	retried.wantRows(0)

	refused := newHarness(t, func(d *Definition) {
		d.Endpoints[0].Unknown = UnknownReject
		d.Endpoints[0].Responses[Ignored] = Response{Status: 422}
	})
	refused.want(refused.send(unlisted), Ignored, 422)
}

func TestPatternsOfTypes(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Endpoints[0].Type = []Selector{{Kind: Header, Name: "X-Event"}, body("/action")}
		d.Endpoints[0].Routes = []Route{{"a.*", 0}, {"a.b.*", 1}, {"a.b", 2}, {"a", 2}}
		second, third := d.Events[0], d.Events[0]
		second.Name, third.Name = "second", "third"
		d.Events = append(d.Events, second, third)
	})
	for i, c := range []struct{ header, action, want string }{
		{"a", "", "third"}, {"a", "b", "third"}, {"a", "c", "orderPaid"}, {"a", "b.c", "second"}, {"A", "b", ""},
	} {
		id := string(rune('a' + i))
		r := h.signed(paid(id, "o", 1))
		if c.action != "" {
			r = h.signed(strings.Replace(paid(id, "o", 1), `{"id"`, `{"action":"`+c.action+`","id"`, 1))
		}
		r.Header.Set("X-Event", c.header)
		h.do(r)
		row, got := h.store.row(id), ""
		if row != nil && row.Event >= 0 {
			got = h.def.Events[row.Event].Name
		}
		if got != c.want {
			t.Errorf("%s.%s goes to %q, want %q", c.header, c.action, got, c.want)
		}
	}
}

func TestWhenFalseIsIgnored(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Events[0].When = []Condition{{From: body("/data/amount"), Op: Equals, Values: []string{"1"}}}
	})
	h.want(h.send(paid("e1", "o", 2)), Ignored, 203)
	h.want(h.send(paid("e2", "o", "1.0")), Processed, 200)
	if row := h.store.row("e1"); row.Status != StatusIgnored || row.Records[0].On || row.Payload == nil {
		t.Errorf("row is %+v", row)
	}
}

func TestDeviationsAreCounted(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Events[0].Enums = []Enum{{Pointer: "/status", Values: []string{`"paid"`, `"refunded"`}}}
	})
	for i, status := range []string{`"paid"`, `"disputed"`, "null", "7"} {
		text := strings.Replace(paid(string(rune('a'+i)), "o", 1), `{"id"`, `{"risk":{},"status":`+status+`,"id"`, 1)
		h.want(h.send(text), Processed, 200)
	}
	if got := h.counters.Deviations("/status"); got != 2 {
		t.Errorf("%d deviations are counted, want 2", got)
	}
}

// TestDecodedDeviationsAreTold: what decoding for a handler meets is told once,
// with the answer, or with the late end of the work.
func TestDecodedDeviationsAreTold(t *testing.T) {
	for name, late := range map[string]bool{"in time": false, "late": true} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, func(d *Definition) {
				d.Events[0].Handler = true
				d.Events[0].Enums = []Enum{{Pointer: "/status", Values: []string{`"paid"`}}}
				if late {
					d.Events[0].Timing.AnswerWithin = time.Millisecond
				}
			})
			answered := make(chan struct{})
			h.store.handler = func(_ context.Context, d *Delivery) error {
				if late {
					<-answered
				}
				d.Deviations = []Deviation{{Pointer: "/data/amount", Kind: "type"}}
				return nil
			}
			text := strings.Replace(paid("e1", "o", 1), `{"id"`, `{"status":"disputed","id"`, 1)
			got := h.send(text)
			close(answered)
			if err := h.rcv.Drain(context.Background()); err != nil {
				t.Fatal(err)
			}
			if want := map[bool]int{false: 200, true: 503}[late]; got.status != want {
				t.Errorf("answer is %d, want %d", got.status, want)
			}
			for _, pointer := range []string{"/data/amount", "/status"} {
				if got := h.counters.Deviations(pointer); got != 1 {
					t.Errorf("%s: %d deviations are counted, want 1", pointer, got)
				}
			}
		})
	}
}

func TestForms(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Endpoints[0].Media = []string{"application/x-www-form-urlencoded"}
		d.Endpoints[0].Type = []Selector{{Kind: Form, Name: "event"}}
		d.Endpoints[0].UnknownKey = nil
		e := &d.Events[0]
		e.Key = []Selector{{Kind: Form, Name: "data[id]"}}
		e.Records[0].Columns = []Column{{Name: "n", From: Selector{Kind: Form, Name: "n"}, Type: IntegerColumn}}
	})
	send := func(text string) answered {
		r := h.signed(text)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return h.do(r)
	}
	h.want(send("event=order.paid&data%5Bid%5D=7&n=42"), Processed, 200)
	h.want(send("n=42&data[id]=7&event=order.paid"), Duplicate, 200)
	h.want(send("n=43&data[id]=7&event=order.paid"), Conflict, 409)
	h.want(send("n=43&data[id]=7&data[id]=8&event=order.paid"), Malformed, 400)
	h.want(send("n=%zz"), Malformed, 400)
	h.want(send("event=order.paid&data[id]=8;x&n=1"), Processed, 200)
	if h.store.row("8;x") == nil {
		t.Error("a semicolon parts fields")
	}
	if got := h.store.row("7").Records[0].Columns[0].Int; got != 42 {
		t.Errorf("n is %d", got)
	}
}

func TestAnswersFromTheBody(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		d.Events[0].Responses[Processed].Body = Text{{Text: `{"got":"`}, {From: ref(body("/id"))}, {Text: `"}`}}
		d.Events[0].Responses[Processed].Headers = []HeaderText{{"x-order", Text{{From: ref(body("/data/order_id"))}}}}
	})
	for range 2 {
		got := h.send(paid("e1", "o1", 1))
		if got.body != `{"got":"e1"}` || got.header.Get("X-Order") != "o1" {
			t.Errorf("answered %+v", got)
		}
	}
	// A conflict that answers as processed does not echo what is stored.
	h.def.Events[0].Responses[Conflict] = h.def.Events[0].Responses[Processed]
	h.rcv = h.start(Options{})
	if got := h.send(paid("e1", "o2", 1)); got.header.Get("X-Order") != "o2" {
		t.Errorf("conflict is answered %+v", got)
	}
}

func TestLongAnswersAreNotCut(t *testing.T) {
	long := strings.Repeat("x", maxStoredBody+1)
	h := newHarness(t, func(d *Definition) {
		d.Events[0].Responses[Processed].Body = Text{{Text: "x"}, {From: ref(body("/data/order_id"))}}
	})
	if got := h.send(paid("e1", long, 1)); got.body != "x"+long {
		t.Errorf("the first answer has %d bytes", len(got.body))
	}
	if row := h.store.row("e1"); row.Response.Status != 200 || row.Response.Body != nil {
		t.Errorf("stored is %d, %d bytes", row.Response.Status, len(row.Response.Body))
	}
	h.want(h.send(paid("e1", long, 1)), Duplicate, 200)
}

func TestProblemsNeverQuoteValues(t *testing.T) {
	h := newHarness(t, nil)
	var reasons []string
	h.rcv = h.start(Options{Observer: attempts(func(a Attempt) { reasons = append(reasons, a.Reason) })})
	h.send(`{"id":["VALUE"],"type":"order.paid"}`)
	h.send(`{"id":"e1","type":"order.paid","data":{"order_id":"VALUE","amount":"VALUE"}}`)
	h.send(`{"id":"e1","VALUE":1,"VALUE":2}`)
	if all := strings.Join(reasons, "\n"); strings.Contains(all, "VALUE") || len(reasons) != 3 {
		t.Errorf("reasons are %s", all)
	}
	if !strings.Contains(reasons[1], "/data/amount") || !strings.Contains(reasons[0], "/id") {
		t.Errorf("reasons do not name the place: %q", reasons)
	}
}
