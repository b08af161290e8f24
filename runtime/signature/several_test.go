package signature

import (
	"testing"
	"time"
)

func severalSchemes() (old, signed Scheme) {
	old = Scheme{Type: "basic", Secrets: []Secret{{Name: "PAIR"}, {Name: "OLD_PAIR", Until: now.Add(-time.Second)}}}
	signed = listed()
	signed.Secrets = []Secret{{Name: "HMAC"}}
	return old, signed
}

var severalKeys = map[string]string{"PAIR": "u:p", "OLD_PAIR": "u:old", "HMAC": key}

func compileAll(t *testing.T, s Scheme) Verifier {
	t.Helper()
	var texts []string
	for _, k := range s.Keys() {
		texts = append(texts, severalKeys[k.Name])
	}
	v, err := Compile(s, texts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAnyNeedsOne(t *testing.T) {
	old, signed := severalSchemes()
	v := compileAll(t, Scheme{Any: []Scheme{old, signed}})
	r := request("x")
	if err := Sign(signed, key, r, now); err != nil {
		t.Fatal(err)
	}
	res, err := v.Verify(r, now)
	if err != nil || res.Secret != 2 {
		t.Errorf("got %+v, %v; want the third key", res, err)
	}
	r = request("x")
	if err := SignAll(Scheme{Any: []Scheme{old, signed}}, severalKeys, r, now); err != nil {
		t.Fatal(err)
	}
	if res, err := v.Verify(r, now); err != nil || res.Secret != 0 {
		t.Errorf("got %+v, %v; want the first key", res, err)
	}
	if err := Sign(old, "u:old", r, now); err != nil {
		t.Fatal(err)
	}
	_, err = v.Verify(r, now)
	wantKind(t, "a key that has ended", err, Mismatch)
	r = request("x")
	if err := Sign(signed, key, r, now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	_, err = v.Verify(r, now)
	wantKind(t, "the nearest refusal", err, Expired)
}

func TestAllNeedsEvery(t *testing.T) {
	old, signed := severalSchemes()
	s := Scheme{All: []Scheme{old, signed}}
	v := compileAll(t, s)
	r := request("x")
	if err := SignAll(s, severalKeys, r, now); err != nil {
		t.Fatal(err)
	}
	res, err := v.Verify(r, now)
	if err != nil || res.Secret != 0 || res.Timestamp.IsZero() {
		t.Errorf("got %+v, %v", res, err)
	}
	r.Header.Del("Authorization")
	_, err = v.Verify(r, now)
	wantKind(t, "without the password", err, Missing)
	if err := SignAll(s, map[string]string{"PAIR": "u:p"}, request("x"), now); err == nil {
		t.Error("signs without a key")
	}
}

func TestSeveralStandAlone(t *testing.T) {
	old, signed := severalSchemes()
	for _, s := range []Scheme{
		{Type: "hmac", Any: []Scheme{old}}, {Any: []Scheme{old}, All: []Scheme{signed}}, {Any: []Scheme{{Type: "x"}}},
	} {
		if _, err := Compile(s, make([]string, len(s.Keys()))); err == nil {
			t.Errorf("compiles %+v", s)
		}
	}
}

// fixed is a verifier in Go.
type fixed struct{ res Result }

func (f fixed) Verify(*Request, time.Time) (Result, error) { return f.res, nil }

func TestPlugin(t *testing.T) {
	s := Scheme{Type: "plugin", Plugin: "own"}
	if _, err := Compile(s, nil); err == nil {
		t.Error("compiles without the verifier")
	}
	s.Verifier = fixed{Result{Secret: -1, SignedID: "7"}}
	v, err := Compile(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := v.Verify(request(""), now); err != nil || res.SignedID != "7" {
		t.Errorf("got %+v, %v", res, err)
	}
	if err := Sign(s, "", request(""), now); err == nil {
		t.Error("signs for a verifier in Go")
	}
}

func TestCompileRefusesWeakDeclarations(t *testing.T) {
	key := []Secret{{Name: "K"}}
	for name, s := range map[string]Scheme{
		"digest without secret": {Type: "digest", Secrets: key, From: header("X"), Encoding: "hex"},
		"rsa without padding":   {Type: "rsa", Secrets: key, From: header("X"), Encoding: "hex", Decode: Decoding{Encoding: "pem"}},
		"ecdsa without form":    {Type: "ecdsa", Secrets: key, From: header("X"), Encoding: "hex", Decode: Decoding{Encoding: "pem"}},
		"ed25519 without key":   {Type: "ed25519", From: header("X"), Encoding: "hex"},
		"item without items":    {Type: "hmac", Secrets: key, From: []Source{{In: "item", Name: "/a"}}, Encoding: "hex"},
		"fields without values": {Type: "hmac", Secrets: key, From: header("X"), Encoding: "hex", Content: []Part{{Fields: &Fields{From: "form", Each: "{k}"}}}},
		"fields of a query":     {Type: "hmac", Secrets: key, From: header("X"), Encoding: "hex", Content: []Part{{Fields: &Fields{From: "query", Each: "{v}"}}}},
		"URL form":              {Type: "hmac", Secrets: key, From: header("X"), Encoding: "hex", URLNormalize: "x"},
		"body hash encoding":    {Type: "hmac", Secrets: key, From: header("X"), Encoding: "hex", BodyHash: &Hashed{}},
		"networks":              {Type: "ip"},
		"jwt without library":   {Type: "jwt", Secrets: key, From: header("X"), Algs: []string{"HS256"}},
		"jwt without algs":      {Type: "jwt", Secrets: key, From: header("X")},
		"jwt with none":         {Type: "jwt", Secrets: key, From: header("X"), Algs: []string{"none"}},
		"jwt of both kinds":     {Type: "jwt", Secrets: key, From: header("X"), Algs: []string{"HS256", "RS256"}},
	} {
		if _, err := Compile(s, make([]string, len(s.Secrets))); err == nil {
			t.Errorf("%s: compiles with an empty key", name)
		}
		texts := []string{"text"}[:len(s.Secrets)]
		if _, err := Compile(s, texts); err == nil {
			t.Errorf("%s: compiles", name)
		}
	}
}

func TestPublicKeysThatAreRefused(t *testing.T) {
	rsaScheme := Scheme{Type: "rsa", Padding: "pss", From: header("X"), Encoding: "hex", Secrets: []Secret{{Name: "THE_KEY"}}}
	edScheme := Scheme{Type: "ed25519", From: header("X"), Encoding: "hex", Secrets: []Secret{{Name: "THE_KEY"}}, Decode: Decoding{Encoding: "pem"}}
	ed, private, err := NewKeys(edScheme)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		s              Scheme
		encoding, text string
	}{
		"of another type": {rsaScheme, "pem", ed},
		"private":         {edScheme, "pem", private},
		"no PEM":          {edScheme, "pem", "hello"},
		"no base64":       {edScheme, "raw-base64", "!"},
		"short":           {edScheme, "raw-hex", "00ff"},
		"no hex":          {edScheme, "raw-hex", "zz"},
		"no JWK":          {edScheme, "jwk", "{"},
		"empty set":       {edScheme, "jwk", `{"keys":[{"kty":"oct","k":"AA"}]}`},
		"no DER":          {edScheme, "spki-der-base64", "AAAA"},
		"encoding":        {edScheme, "utf8", "text"},
	} {
		c.s.Decode.Encoding = c.encoding
		_, err := Compile(c.s, []string{c.text})
		if err == nil {
			t.Errorf("%s: compiles", name)
		} else if text := err.Error(); c.text != "{" && len(c.text) > 3 && contains(text, c.text) || !contains(text, "THE_KEY") {
			t.Errorf("%s: the error shows the key or does not name it: %s", name, text)
		}
	}
}
