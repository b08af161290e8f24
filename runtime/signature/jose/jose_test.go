package jose

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

var now = time.Unix(1_700_000_000, 0)

func scheme(algs ...string) signature.Scheme {
	return signature.Scheme{
		Type: "jwt", JWS: JWS{}, Algs: algs, Secrets: []signature.Secret{{Name: "K"}},
		From: []signature.Source{{In: "header", Name: "X-Token"}}, Decode: signature.Decoding{Encoding: "pem"},
		Claims: signature.Claims{
			BodyHash: &signature.Hashed{Claim: "body", Hash: "sha256", Encoding: "hex", AbsentWhenEmpty: true},
			URLHash:  &signature.Hashed{Claim: "url", Hash: "sha256", Encoding: "base64url"},
			MaxAge:   &signature.MaxAge{Claim: "iat", Tolerance: time.Minute, FutureTolerance: time.Minute},
			Expires:  true, NotBefore: true, Equals: []signature.Claim{{Name: "iss", Value: "shop"}},
		},
	}
}

func request(body string) *signature.Request {
	return &signature.Request{Method: "POST", URL: "https://shop.example/hook?a=1", Header: http.Header{}, Body: []byte(body)}
}

func signed(t *testing.T, s signature.Scheme, key, body string) *signature.Request {
	t.Helper()
	r := request(body)
	if err := signature.Sign(s, key, r, now); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryAlgorithm signs and verifies with each, and takes nothing near it.
func TestEveryAlgorithm(t *testing.T) {
	for _, alg := range signature.Algorithms {
		s := scheme(alg)
		if strings.HasPrefix(alg, "HS") {
			s.Decode.Encoding = "utf8"
		}
		public, private, err := signature.NewKeys(s)
		if err != nil {
			t.Fatalf("%s: %v", alg, err)
		}
		v, err := signature.Compile(s, []string{public})
		if err != nil {
			t.Fatalf("%s: %v", alg, err)
		}
		res, err := v.Verify(signed(t, s, private, "x"), now)
		if err != nil || res.Secret != 0 || !res.Timestamp.Equal(now) {
			t.Errorf("%s: got %+v, %v", alg, res, err)
		}
		if _, err := v.Verify(signed(t, s, private, ""), now); err != nil {
			t.Errorf("%s: without a body: %v", alg, err)
		}
		for what, change := range map[string]func(*signature.Request){
			"another body": func(r *signature.Request) { r.Body = []byte("y") },
			"no body":      func(r *signature.Request) { r.Body = nil },
			"another URL":  func(r *signature.Request) { r.URL += "&b=2" },
			"no signature": func(r *signature.Request) {
				r.Header.Set("X-Token", r.Header.Get("X-Token")[:strings.LastIndexByte(r.Header.Get("X-Token"), '.')+1])
			},
			"two tokens":        func(r *signature.Request) { r.Header.Add("X-Token", r.Header.Get("X-Token")) },
			"padding":           func(r *signature.Request) { r.Header.Set("X-Token", r.Header.Get("X-Token")+"=") },
			"another algorithm": func(r *signature.Request) { r.Header.Set("X-Token", relabelled(t, r.Header.Get("X-Token"))) },
		} {
			r := signed(t, s, private, "x")
			change(r)
			if _, err := v.Verify(r, now); err == nil {
				t.Errorf("%s: accepts %s", alg, what)
			}
		}
	}
}

// relabelled is a token that says alg none, the signature as it was.
func relabelled(t *testing.T, token string) string {
	t.Helper()
	_, rest, _ := strings.Cut(token, ".")
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + rest
}

func TestClaims(t *testing.T) {
	s := scheme("HS256")
	s.Decode.Encoding = "utf8"
	v, err := signature.Compile(s, []string{"short"})
	if err != nil {
		t.Fatal(err)
	}
	right := map[string]any{}
	body, _, _ := strings.Cut(strings.SplitN(signed(t, s, "short", "x").Header.Get("X-Token"), ".", 2)[1], ".")
	text, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(text, &right) != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for name, change := range map[string]func(map[string]any){
		"issuer": func(c map[string]any) { c["iss"] = "other" }, "no issuer": func(c map[string]any) { delete(c, "iss") },
		"expired": func(c map[string]any) { c["exp"] = now.Unix() }, "no end": func(c map[string]any) { delete(c, "exp") },
		"early": func(c map[string]any) { c["nbf"] = now.Unix() + 1 }, "no beginning": func(c map[string]any) { delete(c, "nbf") },
		"old": func(c map[string]any) { c["iat"] = now.Unix() - 61 }, "from the future": func(c map[string]any) { c["iat"] = now.Unix() + 61 },
		"time as text": func(c map[string]any) { c["iat"] = "1700000000" }, "negative time": func(c map[string]any) { c["iat"] = -1 },
		"endless time": func(c map[string]any) { c["exp"] = 1e300 },
		"no body":      func(c map[string]any) { delete(c, "body") }, "body as number": func(c map[string]any) { c["body"] = 1 },
		"URL in hex": func(c map[string]any) { c["url"] = strings.Repeat("0", 64) },
		"":           func(map[string]any) {}, "issuer in a list": func(c map[string]any) { c["iss"] = []any{"a", "shop"} },
		"fraction": func(c map[string]any) { c["iat"] = 1699999999.5 },
	} {
		claims := map[string]any{}
		for k, value := range right {
			claims[k] = value
		}
		change(claims)
		payload, err := json.Marshal(claims)
		if err != nil {
			t.Fatal(err)
		}
		token, err := JWS{}.Sign("HS256", signature.JWSKey{Bytes: []byte("short")}, payload)
		if err != nil {
			t.Fatal(err)
		}
		r := request("x")
		r.Header.Set("X-Token", token)
		_, err = v.Verify(r, now)
		if want := name == "" || name == "issuer in a list" || name == "fraction"; (err == nil) != want {
			t.Errorf("%q: got %v, want accepted %v", name, err, want)
		}
	}
}

// Keys of RFC 7515, A.3 and RFC 8037, A: published values.
const (
	rfcKey     = `{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}`
	rfcToken   = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
	edKey      = `{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`
	edToken    = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
	rfcPayload = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
)

func payloadOf(t *testing.T, algs []string, key, token string, at time.Time) (string, int) {
	t.Helper()
	v, err := JWS{}.Keys(algs, "jwk", []signature.JWSKey{{Name: "K", Text: key}})
	if err != nil {
		t.Fatal(err)
	}
	payload, i := v.Payload(token, at, func(int) bool { return true })
	return string(payload), i
}

func TestPublishedTokens(t *testing.T) {
	if got, i := payloadOf(t, []string{"ES256"}, rfcKey, rfcToken, now); i != 0 || got != rfcPayload {
		t.Errorf("RFC 7515: got %q, %d", got, i)
	}
	if got, i := payloadOf(t, []string{"EdDSA"}, edKey, edToken, now); i != 0 || got != "Example of Ed25519 signing" {
		t.Errorf("RFC 8037: got %q, %d", got, i)
	}
	set := `{"keys":[{"kty":"oct","k":"AA"},` + edKey + `,` + rfcKey + `]}`
	if got, i := payloadOf(t, []string{"ES256"}, set, rfcToken, now); i != 0 || got != rfcPayload {
		t.Errorf("of a set: got %q, %d", got, i)
	}
	for name, key := range map[string]string{
		"kid":     strings.Replace(rfcKey, "{", `{"kid":"1",`, 1),
		"alg":     strings.Replace(rfcKey, "{", `{"alg":"ES384",`, 1),
		"expired": strings.Replace(rfcKey, "{", `{"expired_at":1700000000,`, 1),
		"other":   edKey,
	} {
		if _, i := payloadOf(t, []string{"ES256", "EdDSA"}, key, rfcToken, now); i >= 0 {
			t.Errorf("%s: the key counts", name)
		}
	}
	if _, i := payloadOf(t, []string{"ES256"}, strings.Replace(rfcKey, "{", `{"expired_at":1700000000,`, 1), rfcToken, now.Add(-time.Second)); i != 0 {
		t.Error("a key counts until it expires")
	}
	if _, i := payloadOf(t, []string{"ES384"}, rfcKey, rfcToken, now); i >= 0 {
		t.Error("an algorithm counts that is not declared")
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ encoding, text string }{
		"private":        {"jwk", strings.Replace(rfcKey, "{", `{"d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",`, 1)},
		"symmetric":      {"jwk", `{"kty":"oct","k":"AAAA"}`},
		"for encryption": {"jwk", strings.Replace(rfcKey, "{", `{"use":"enc",`, 1)},
		"off the curve":  {"jwk", strings.Replace(rfcKey, "f83O", "f83P", 1)},
		"no JSON":        {"jwk", "x"}, "empty set": {"jwk", `{"keys":[]}`}, "no PEM": {"pem", "x"},
	} {
		if _, err := (JWS{}).Keys([]string{"ES256"}, c.encoding, []signature.JWSKey{{Name: "K", Text: c.text}}); err == nil {
			t.Errorf("%s: the key is taken", name)
		}
	}
}

// A private JSON Web Key signs, and the token names its kid.
func TestSignWithJWK(t *testing.T) {
	private := strings.Replace(rfcKey, "{", `{"kid":"one","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",`, 1)
	token, err := JWS{}.Sign("ES256", signature.JWSKey{Name: "K", Text: private}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, i := payloadOf(t, []string{"ES256"}, strings.Replace(rfcKey, "{", `{"kid":"one",`, 1), token, now); i != 0 {
		t.Error("the token does not verify under its kid")
	}
	if _, err := (JWS{}).Sign("ES256", signature.JWSKey{Name: "K", Text: rfcKey}, nil); err == nil {
		t.Error("signs with a public key")
	}
}
