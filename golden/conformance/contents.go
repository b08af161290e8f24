package conformance

import (
	"context"
	"fmt"
	"strings"

	whrt "github.com/whgen/whgen/runtime"
)

// contents are about bodies.
var contents = []caseOf{
	{name: "bodies and what becomes of them", run: bodies},
	{name: "an unknown type is acknowledged", run: unknownType},
	{name: "large numbers keep their digits", run: largeNumbers},
	{name: "deep nesting", run: deepNesting},
	{name: "new values are taken", run: newValues},
}

// bodies: bodies and what becomes of them.
func bodies(b *bench) {
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
		{"byte order mark", "\xEF\xBB\xBF" + b.body("bom", "o", 1), 400, 0, 0},
		{"line end", b.body("line", "o", 1) + "\n", 200, 1, 1},
		{"no type", `{"id":"t1","data":{"order_id":"o","amount":1}}`, 400, 0, 0},
		{"numeric type", `{"id":"t2","type":5,"data":{"order_id":"o","amount":1}}`, 400, 0, 0},
		{"unknown type", `{"id":"evt_60","type":"order.exploded"}`, 200, 1, 0},
	}
	var seen string
	b.work = func(ctx context.Context, o Order) error {
		seen = string(o.Meta.Body)
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
}

// unknownType: a type that nobody listed is acknowledged and counted.
func unknownType(b *bench) {
	for i := range 10 {
		b.want(fmt.Sprintf(`{"id":"evt_60_%d","type":"order.exploded"}`, i), 200)
	}
	b.rows(10, 0, 0)
	b.outcome(whrt.Ignored, 10)
	first := b.want(`{"id":"evt_60","type":"order.exploded"}`, 200)
	for range 9 {
		if got := b.deliver(`{"id":"evt_60","type":"order.exploded"}`); got != first {
			b.Errorf("got %v, want %v", got, first)
		}
	}
	b.want(`{"id":"evt_60","type":"order.exploded","more":1}`, 200)
	b.rows(11, 0, 0)
	b.outcome(whrt.Duplicate, 9)
	b.outcome(whrt.Conflict, 1)
}

// largeNumbers: numbers beyond what a float64 tells apart.
func largeNumbers(b *bench) {
	for i, id := range []string{"9007199254740992", "9007199254740993", "18446744073709551615", "123456789012345678901234567890"} {
		b.want(`{"id":`+id+`,"type":"order.paid","data":{"order_id":"o","amount":1,"ref":9007199254740993}}`, 200)
		b.rows(i+1, i+1, i+1)
	}
	var text []byte
	b.must(b.db.QueryRowContext(b.Context(), "SELECT payload FROM credits_outbox_messages ORDER BY id LIMIT 1").Scan(&text))
	if got, want := string(text), `{"order":"o","ref":9007199254740993}`; got != want {
		b.Errorf("message %s, want %s", got, want)
	}
}

// deepNesting: nesting up to the limit, and over it.
func deepNesting(b *bench) {
	nested := func(id, open, end string, n int) string {
		return `{"id":"` + id + `","type":"order.paid","data":{"order_id":"o","amount":1,"x":` +
			strings.Repeat(open, n) + "1" + strings.Repeat(end, n) + `}}`
	}
	b.want(nested("deep", "[", "]", 10_001), 400)
	b.rows(0, 0, 0)
	b.want(nested("lists", "[", "]", 9_000), 200)
	b.want(nested("objects", `{"a":`, "}", 5_000), 200)
	b.rows(2, 2, 2)
}

// newValues: what the document does not list yet.
func newValues(b *bench) {
	status := ""
	b.work = func(ctx context.Context, o Order) error {
		status = o.Status
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
}
