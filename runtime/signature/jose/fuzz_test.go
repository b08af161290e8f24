package jose

import (
	"strings"
	"testing"

	"github.com/whgen/whgen/runtime/signature"
)

// FuzzToken: of all tokens only the one that was signed is accepted, in its one
// spelling.
func FuzzToken(f *testing.F) {
	v, err := JWS{}.Keys([]string{"ES256", "EdDSA"}, "jwk", []signature.JWSKey{{Name: "A", Text: rfcKey}, {Name: "B", Text: edKey}})
	if err != nil {
		f.Fatal(err)
	}
	head, rest, _ := strings.Cut(rfcToken, ".")
	for _, token := range []string{rfcToken, edToken, rfcToken + "=", rfcToken + ".", " " + rfcToken, rfcToken + "\n", head, "..", "e30.e30.", "eyJhbGciOiJub25lIn0." + rest,
		`{"payload":"e30","signatures":[]}`, "eyJhbGciOiJFUzI1NiIsImNyaXQiOlsiYjY0Il0sImI2NCI6ZmFsc2V9." + rest} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if _, i := v.Payload(token, now, func(int) bool { return true }); i >= 0 && token != rfcToken && token != edToken {
			t.Errorf("accepts %q", token)
		}
	})
}

// FuzzClaims: payloads of any form are judged without a panic, and never
// accepted without the claims that are declared.
func FuzzClaims(f *testing.F) {
	s := scheme("HS256")
	s.Decode.Encoding = "utf8"
	v, err := signature.Compile(s, []string{"k"})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{`{}`, `[]`, `null`, `{"iss":["shop"],"exp":1e9}`, `{"exp":{},"nbf":[],"iat":""}`, `{"iss":"shop"`, `{"iss":{"iss":"shop"}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		token, err := JWS{}.Sign("HS256", signature.JWSKey{Bytes: []byte("k")}, payload)
		if err != nil {
			return
		}
		r := request("x")
		r.Header.Set("X-Token", token)
		if _, err := v.Verify(r, now); err == nil && !strings.Contains(string(payload), "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881") {
			t.Errorf("accepts %q", payload)
		}
	})
}
