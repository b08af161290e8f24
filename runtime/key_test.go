package runtime

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// readOnly is a request with a parsed body, for units below the receiver.
func readOnly(t *testing.T, c *compiler, text string) *request {
	t.Helper()
	rq := &request{endpoint: &endpoint{Endpoint: &Endpoint{Name: "in"}, root: c.root, slots: c.slots}, body: []byte(text), json: true, media: mediaType{reads: jsonBody}}
	rq.http = httptest.NewRequest("POST", "/?q=1&q2=a&q2=b", nil)
	if p := rq.parse(); p != nil {
		t.Fatal(p)
	}
	return rq
}

func newCompiler() *compiler {
	return &compiler{def: &Definition{}, root: newNode(), settings: map[string]string{"P": "param"}}
}

func TestEventKeyEncoding(t *testing.T) {
	a, optional := body("/a"), Selector{Kind: Body, Name: "/b", Optional: true}
	cases := []struct {
		body, want string
		scoped     bool
	}{
		{`{"a":"x","b":"y"}`, "x|y", false},
		{`{"a":"x|y"}`, `x\|y|\-`, false},
		{`{"a":"x\\","b":"|"}`, `x\\|\|`, false},
		{`{"a":"x","b":""}`, "x|", false},
		{`{"a":"x","b":null}`, `x|\-`, false},
		{`{"a":"x","b":"\\-"}`, `x|\\-`, false},
		{`{"a":12,"b":true}`, "12|true", true},
		{`{"a":" X ","b":-0}`, " X |-0", false},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		comp := newCompiler()
		parts, err := comp.selectors([]Selector{a, optional})
		if err != nil {
			t.Fatal(err)
		}
		rq := readOnly(t, comp, c.body)
		rq.endpoint.scoped = c.scoped
		want := c.want
		if c.scoped {
			want = "in|" + want
		}
		got, p := rq.eventKey(parts)
		if p != nil || got != want || seen[got] {
			t.Errorf("%s gives %q, %v; want %q", c.body, got, p, want)
		}
		seen[got] = true
	}
}

func TestLongKeysTellBothLengths(t *testing.T) {
	comp := newCompiler()
	parts, _ := comp.selectors([]Selector{body("/a")})
	_, p := readOnly(t, comp, `{"a":"`+strings.Repeat("|", 300)+`"}`).eventKey(parts)
	if p == nil || p.outcome != Malformed || !strings.Contains(p.reason, "600") || !strings.Contains(p.reason, "512") {
		t.Errorf("got %v", p)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	long := strings.Repeat("k", 300)
	cases := [][4]string{
		{"shop", "mail", "evt_1", ""}, {"shop", "mail", "evt_1", "1"}, {"shop", "mail", "a|b", ""},
		{"shop", "mail", "a:b", ""}, {"shop", "mail", "é", ""}, {"shop", "mail", long, ""}, {"shop", "mail", long + "x", ""},
		{"shop", "mail", long, "2"}, {"shop", "mail", "", ""},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		got := IdempotencyKey(c[0], c[1], c[2], c[3])
		if got != IdempotencyKey(c[0], c[1], c[2], c[3]) || seen[got] {
			t.Errorf("%v gives %q, which is not its own", c, got)
		}
		seen[got] = true
		if len(got) > 255 || strings.Trim(got, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") != "" {
			t.Errorf("%v gives %q", c, got)
		}
	}
	if got, want := IdempotencyKey("shop", "mail", "evt_1", "3"), "shop:mail:evt_1:3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSelectors(t *testing.T) {
	cases := []struct {
		s    Selector
		want string
		ok   bool
		bad  bool
	}{
		{body("/a/0/b~1c"), "deep", true, false},
		{body("/a/1"), "", false, false},
		{body("/a/-"), "", false, false},
		{body("/n"), "1.10", true, false},
		{body("/é"), "e", true, false},
		{Selector{Kind: Body, Name: "/none", Default: `"d"`}, "d", true, false},
		{Selector{Kind: Query, Name: "q"}, "1", true, false},
		{Selector{Kind: Query, Name: "q2"}, "", false, true},
		{Selector{Kind: Const, Name: "c"}, "c", true, false},
		{Selector{Kind: Param, Name: "P"}, "param", true, false},
		{body("/o"), `{"x": 1}`, true, false},
	}
	for _, c := range cases {
		comp := newCompiler()
		s, err := comp.selector(c.s)
		if err != nil {
			t.Fatal(err)
		}
		v, p := readOnly(t, comp, `{"a":[{"b/c":"deep"}],"n":1.10,"\u00e9":"e","o":{"x": 1}}`).read(&s)
		if v.plain() != c.want && v.ok || v.ok != c.ok || (p != nil) != c.bad {
			t.Errorf("%s is %+v, %v", selectorText(c.s), v, p)
		}
	}
	for _, s := range []Selector{{Kind: Body, Name: "a"}, {Kind: Param, Name: "Q"}, {Kind: Body, Name: "/a", Default: "{"}, {Kind: 99}} {
		if _, err := newCompiler().selector(s); err == nil {
			t.Errorf("%+v compiles", s)
		}
	}
}
