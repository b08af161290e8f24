package signature

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// signedSchemes are one of each kind that signs a text, written in each way.
func signedSchemes() map[string]Scheme {
	from, when := header("X-Sig"), &Timestamp{From: Source{In: "header", Name: "X-Time"}, Format: "unix_ms", Tolerance: time.Minute, FutureTolerance: time.Minute}
	text := []Part{{Placeholder: "timestamp"}, {Text: "|"}, {Placeholder: "body"}}
	all := map[string]Scheme{
		"digest":         {Type: "digest", Hash: "sha512", Encoding: "base64url", Content: []Part{{Placeholder: "secret"}, {Placeholder: "body"}, {Placeholder: "timestamp"}}},
		"hmac pre-hash":  {Type: "hmac", Encoding: "hex", Decode: Decoding{PreHash: "sha256"}},
		"rsa pss":        {Type: "rsa", Padding: "pss", Hash: "sha384", Encoding: "base64"},
		"rsa pkcs1v15":   {Type: "rsa", Padding: "pkcs1v15", Hash: "sha1", Encoding: "hex", Decode: Decoding{Encoding: "jwk"}},
		"ecdsa p1363":    {Type: "ecdsa", Form: "p1363", Curve: "p521", Hash: "sha512", Encoding: "base64url", Decode: Decoding{Encoding: "jwk"}},
		"ecdsa raw":      {Type: "ecdsa", Form: "der", Curve: "p384", Encoding: "base64", Decode: Decoding{Encoding: "raw-base64"}},
		"ed25519 pem":    {Type: "ed25519", Encoding: "base64"},
		"ed25519 jwk":    {Type: "ed25519", Encoding: "base64", Decode: Decoding{Encoding: "jwk"}},
		"ed25519 prefix": {Type: "ed25519", Encoding: "hex", Decode: Decoding{Encoding: "raw-hex", StripPrefix: "pk_"}},
	}
	for name, s := range all {
		s.From, s.Timestamp = from, when
		if s.Content == nil {
			s.Content = text
		}
		if s.public() && s.Decode.Encoding == "" {
			s.Decode.Encoding = "pem"
		}
		all[name] = s
	}
	return all
}

// TestSignIsTheInverse: what Sign makes is accepted, and nothing near it.
func TestSignIsTheInverse(t *testing.T) {
	for name, s := range signedSchemes() {
		s.Secrets = []Secret{{Name: "K"}}
		public, private, err := NewKeys(s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		v, err := Compile(s, []string{public})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fresh := func() *Request {
			r := request(`{"a":1}`)
			if err := SignAll(s, map[string]string{"K": private}, r, now); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return r
		}
		if _, err := v.Verify(fresh(), now); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for what, change := range map[string]func(*Request){
			"another body": func(r *Request) { r.Body = []byte(`{"a":2}`) },
			"another time": func(r *Request) { r.Header.Set("X-Time", fmt.Sprint(now.UnixMilli()+1)) },
			"half a signature": func(r *Request) {
				sig := r.Header.Get("X-Sig")
				r.Header.Set("X-Sig", sig[:len(sig)/2])
			},
			"no signature": func(r *Request) { r.Header.Del("X-Sig") },
			"a signature in other letters": func(r *Request) {
				r.Header.Set("X-Sig", hex.EncodeToString([]byte(r.Header.Get("X-Sig"))))
			},
			"two signatures": func(r *Request) { r.Header.Add("X-Sig", r.Header.Get("X-Sig")) },
		} {
			r := fresh()
			change(r)
			if _, err := v.Verify(r, now); err == nil {
				t.Errorf("%s: accepts %s", name, what)
			}
		}
		_, err = v.Verify(fresh(), now.Add(61*time.Second))
		wantKind(t, name+" late", err, Expired)
		if other, _, err := NewKeys(s); err != nil {
			t.Fatal(err)
		} else if v, err := Compile(s, []string{other}); err != nil {
			t.Fatal(err)
		} else if _, err := v.Verify(fresh(), now); err == nil {
			t.Errorf("%s: accepts another key", name)
		}
	}
}

// TestSignIntoTheBody: signatures and times that stand inside the body.
func TestSignIntoTheBody(t *testing.T) {
	at := &Timestamp{From: Source{In: "json", Name: "/sig/time"}, Format: "unix", Tolerance: time.Minute}
	for name, c := range map[string]struct {
		s          Scheme
		body, want string
	}{
		"json": {Scheme{Type: "hmac", From: []Source{{In: "json", Name: "/sig/value"}}, Encoding: "hex", Timestamp: at,
			Content: []Part{{Placeholder: "timestamp"}, {Source: &Source{In: "json", Name: "/sig/token"}}}},
			`{"a": 1, "sig": {"token":"x","time":"1"} }`, `{"a": 1, "sig": {"value":"`},
		"items": {Scheme{Type: "hmac", From: []Source{{In: "item", Name: "/s"}}, Encoding: "hex", Items: "/list/*", Content: joined(":", "/a", "/none")},
			`{"list":[{"a":1},{"a":"two","s":"old"}]}`, `{"list":[{"s":"`},
		"form": {Scheme{Type: "hmac", From: []Source{{In: "form", Name: "sign"}}, Encoding: "hex",
			Content: []Part{{Fields: &Fields{From: "form", Each: "{k}={v}", Sep: "&", Exclude: []string{"sign"}}}}},
			`b=2&a=1+1`, `b=2&a=1+1&sign=`},
		"secret among the fields": {Scheme{Type: "digest", From: []Source{{In: "json", Name: "/Token"}}, Encoding: "hex",
			Content: []Part{{Fields: &Fields{From: "json", Each: "{v}", Exclude: []string{"Token"}, SecretAs: "Password"}}}},
			`{"TerminalKey":"T","Success":true,"Data":{"x":1},"Amount":100}`, `{"Token":"`},
		"body hash": {Scheme{Type: "hmac", From: header("X-Sig"), Encoding: "hex", Content: []Part{{Placeholder: "url"}},
			BodyHash: &Hashed{From: Source{In: "query", Name: "h"}, Hash: "sha256", Encoding: "hex"}}, `{}`, `{}`},
	} {
		c.s.Secrets = []Secret{{Name: "K"}}
		r := request(c.body)
		r.URL = "https://shop.example/hook"
		if err := Sign(c.s, key, r, now); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(string(r.Body), c.want) {
			t.Errorf("%s: the body is %s", name, r.Body)
		}
		v, err := Compile(c.s, []string{key})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		JSONBody(r)
		if _, err := v.Verify(r, now); err != nil {
			t.Errorf("%s: %v of %s", name, err, r.Body)
		}
		r.Body = []byte(strings.NewReplacer("1", "3", "x", "y", "{}", "{ }").Replace(string(r.Body)))
		if _, err := v.Verify(r, now); err == nil {
			t.Errorf("%s: accepts %s", name, r.Body)
		}
	}
}

// The secret takes part as a field: at its place by name, or where it is listed.
func TestFieldsWithSecret(t *testing.T) {
	w := &message{}
	f := &Fields{From: "json", Each: "{v}", SecretAs: "Password"}
	f.write(w, []pair{{"Amount", "19200"}, {"Description", "Gift"}, {"OrderId", "21090"}, {"TerminalKey", "Merchant"}}, "secret")
	if got := string(w.bytes); got != "19200Gift21090secretMerchant" {
		t.Errorf("got %s", got)
	}
	w = &message{}
	f = &Fields{Names: []string{"b", "Password", "a"}, Each: "<{k}:{v}>", Sep: ";", SecretAs: "Password"}
	named, err := f.named([]pair{{"a", "1"}, {"b", "2"}})
	if err != nil {
		t.Fatal(err)
	}
	f.write(w, named, "s")
	if got := string(w.bytes); got != "<b:2>;<Password:s>;<a:1>" {
		t.Errorf("got %s", got)
	}
}

func TestNetworks(t *testing.T) {
	v, err := Compile(Scheme{Type: "ip", Networks: []string{"185.71.76.0/27", "2a02:5180::/32", "192.0.2.7"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"185.71.76.31": true, "185.71.76.32": false, "2a02:5180:0:1509::1": true, "192.0.2.7": true,
		"192.0.2.8": false, "::ffff:185.71.76.1": true, "fe80::1%eth0": false} {
		_, err := v.Verify(&Request{Remote: netip.MustParseAddr(text)}, now)
		if (err == nil) != want {
			t.Errorf("%s: got %v, want accepted %v", text, err, want)
		}
	}
	if _, err := v.Verify(&Request{}, now); err == nil {
		t.Error("accepts a request from nowhere")
	}
	for _, bad := range []string{"10.0.0.1/8", "10.0.0.0/33", "x", "::ffff:10.0.0.0/104", ""} {
		if _, err := Compile(Scheme{Type: "ip", Networks: []string{bad}}, nil); err == nil {
			t.Errorf("takes the network %q", bad)
		}
	}
}
