package runtime

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/whgen/whgen/runtime/signature"
)

func method(m string) Condition {
	return Condition{From: Selector{Kind: Method}, Values: []string{m}, AsText: true}
}

func there(k Kind, name string) Condition {
	return Condition{From: Selector{Kind: k, Name: name}, Op: Present, Want: true}
}

// withChallenges is a receiver whose only endpoint has challenges.
func withChallenges(t *testing.T, list ...Challenge) *harness {
	t.Helper()
	return newHarness(t, func(d *Definition) { d.Endpoints[0].Challenges = list })
}

func (h *harness) ask(method, target, contentType, text string) answered {
	h.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(text))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return h.do(r)
}

func TestChallengeInAForm(t *testing.T) {
	h := withChallenges(t, Challenge{Match: []Condition{there(Form, "webhook_id")}, Authenticate: AuthenticateNone, Response: Response{Status: 200}})
	const form = "application/x-www-form-urlencoded"
	h.want(h.ask("POST", "/", form, "webhook_id=535"), Challenged, 200)
	for text, status := range map[string]int{"other=1": 415, "webhook_id=1&webhook_id=2": 415, "webhook_id=%zz": 415, "": 415} {
		if got := h.ask("POST", "/", form, text); got.status != status {
			t.Errorf("%q is answered %d, want %d", text, got.status, status)
		}
	}
	if got := h.ask("POST", "/", "text/xml", "webhook_id=535"); got.status != 415 {
		t.Errorf("as XML it is answered %d", got.status)
	}
	if got := h.ask("POST", "/", form, strings.Repeat("x", 2<<20)); got.status != 413 {
		t.Errorf("one that is too long is answered %d", got.status)
	}
	compressed := httptest.NewRequest("POST", "/", strings.NewReader("webhook_id=535"))
	compressed.Header.Set("Content-Type", form)
	compressed.Header.Set("Content-Encoding", "gzip")
	if got := h.do(compressed); got.status != 415 {
		t.Errorf("compressed it is answered %d", got.status)
	}
	h.want(h.send(paid("e1", "o1", 1)), Processed, 200) // beside it, deliveries
	h.wantRows(1)
}

func TestFirstChallengeThatFits(t *testing.T) {
	h := withChallenges(t,
		Challenge{Match: []Condition{method("HEAD")}, Authenticate: AuthenticateNone, Response: Response{Status: 204}},
		Challenge{Match: []Condition{method("GET"), there(Query, "a")}, Authenticate: AuthenticateNone, Response: Response{Status: 200, Body: Text{{From: ref(Selector{Kind: Query, Name: "a"})}}}},
		Challenge{Match: []Condition{method("GET")}, Authenticate: AuthenticateNone, Response: Response{Status: 201, ContentType: "text/plain", Body: literal("hello")}})
	for target, want := range map[string]answered{"/?a=1": {status: 200, body: "1"}, "/": {status: 201, body: "hello"}, "/?a=1&a=2": {status: 201, body: "hello"}} {
		if got := h.ask("GET", target, "", ""); got.status != want.status || got.body != want.body {
			t.Errorf("%s is answered %d %q", target, got.status, got.body)
		}
	}
	if got := h.ask("HEAD", "/", "", ""); got.status != 204 || got.body != "" {
		t.Errorf("HEAD is answered %+v", got)
	}
	if got := h.ask("PUT", "/", "", ""); got.status != 405 || got.header.Get("Allow") != "POST, HEAD, GET" {
		t.Errorf("PUT is answered %+v", got)
	}
	h.wantRows(0)
}

// A header of an answer cannot be split by what it quotes.
func TestChallengeQuotedInAHeader(t *testing.T) {
	echo := Response{Status: 200, Headers: []HeaderText{{Name: "X-Echo", Value: Text{{From: ref(Selector{Kind: Query, Name: "a"})}}}}}
	h := withChallenges(t, Challenge{Match: []Condition{method("GET")}, Authenticate: AuthenticateNone, Response: echo})
	got := h.ask("GET", "/?a=x%0d%0aSet-Cookie:%20b", "", "")
	if got.status != 200 || got.header.Get("X-Echo") != "xSet-Cookie: b" || got.header.Get("Set-Cookie") != "" {
		t.Errorf("the answer is %+v", got)
	}
	if got := h.ask("GET", "/", "", ""); got.status != 400 {
		t.Errorf("without the value it is answered %d", got.status)
	}
}

func TestSignedChallengeOfABatch(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		e := &d.Endpoints[0]
		e.Items = "/events/*"
		e.Responses[Processed].Status = 200
		e.Challenges = []Challenge{{Match: []Condition{there(Body, "/entropy")}, Response: Response{Status: 200, Body: Text{{From: ref(body("/entropy"))}}}, Refuse: 403}}
	})
	text := `{"events":[],"entropy":"HSPG"}`
	if got := h.send(text); got.status != 200 || got.body != "HSPG" {
		t.Errorf("it is answered %+v", got)
	}
	wrong := h.signed(text)
	wrong.Header.Set("X-Sig", strings.Repeat("0", 64))
	h.want(h.do(wrong), Unauthenticated, 403)
	wrong = h.signed(`{"events":[]}`)
	wrong.Header.Set("X-Sig", strings.Repeat("0", 64))
	h.want(h.do(wrong), Unauthenticated, 401)
	h.want(h.send(`{"events":[`+paid("e1", "o1", 1)+`]}`), Processed, 200)
	h.wantRows(1)
}

func TestChallengeWithoutItsSecret(t *testing.T) {
	p := &changing{value: testSecret}
	h := withChallenges(t, Challenge{
		Match: []Condition{there(Query, "t")}, Authenticate: AuthenticateNone,
		Response: Response{Status: 200, Body: Text{{Digest: &Digest{Func: "hmac_sha256_hex", Of: []Selector{{Kind: Query, Name: "t"}}}}}},
	})
	h.rcv = h.start(Options{Secrets: p})
	h.want(h.ask("GET", "/?t=a", "", ""), Challenged, 200)
	p.err = errors.New("vault is sealed")
	h.want(h.ask("GET", "/?t=a", "", ""), Failed, 500)

	h.def.Endpoints[0].Scheme = signature.Scheme{Type: "none"}
	h.rcv = h.start(Options{})
	h.want(h.ask("GET", "/?t=a", "", ""), Malformed, 400)
}

func TestChallengeOfATenant(t *testing.T) {
	h := newTenants(t, Options{})
	h.def.Endpoints[0].Challenges = []Challenge{{
		Match: []Condition{there(Query, "t")}, Authenticate: AuthenticateNone,
		Response: Response{Status: 200, Body: Text{{Digest: &Digest{Func: "hmac_sha256_base64", Of: []Selector{{Kind: Query, Name: "t"}}}}}},
	}}
	h.rcv = h.start(Options{Secrets: SecretsMap{"SHOP_ACME_SECRET": acmeSecret, "SHOP_GLOBEX_SECRET": globexSecret}})
	seen := map[string]bool{}
	for tenant, status := range map[string]int{"acme": 200, "globex": 200, "initech": 401} {
		got := h.ask("GET", "/"+tenant+"?t=a", "", "")
		if got.status != status || seen[got.body] {
			t.Errorf("%s: answered %d %q", tenant, got.status, got.body)
		}
		seen[got.body] = true
	}
}

func TestChallengesThatCannotWork(t *testing.T) {
	for name, ch := range map[string]Challenge{
		"everything": {Response: Response{Status: 200}},
		"status":     {Match: []Condition{method("GET")}},
		"check":      {Match: []Condition{method("GET")}, Authenticate: AuthenticateParams, Response: Response{Status: 200}},
		"parameter":  {Match: []Condition{method("GET")}, Authenticate: AuthenticateParams, Check: []Check{{From: body("/a"), Param: "NONE"}}, Response: Response{Status: 200}},
		"refusal":    {Match: []Condition{method("GET")}, Refuse: 200, Response: Response{Status: 200}},
		"body":       {Match: []Condition{there(Form, "a"), there(Body, "/a")}, Response: Response{Status: 200}},
		"function":   {Match: []Condition{method("GET")}, Response: Response{Status: 200, Body: Text{{Digest: &Digest{Func: "md5_hex"}}}}},
		"pointer":    {Match: []Condition{there(Body, "a")}, Response: Response{Status: 200}},
	} {
		def := definition()
		def.Endpoints[0].Challenges = []Challenge{ch}
		if _, err := NewReceiver(t.Context(), def, newMemory(), Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret}}); err == nil || !strings.Contains(err.Error(), "challenge 1") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestTokensOfAnswers(t *testing.T) {
	for text, want := range map[string]bool{
		"qgg8vlvZRS6UYooatFL8Aw": true, "dG9r==": true, "a-b._c~+/": true,
		"": false, "=": false, "a=b": false, "{}": false, "a b": false, "é": false, "a\n": false, "a&b": false, "a:b": false, strings.Repeat("a", 257): false,
	} {
		if isTokenText(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}
