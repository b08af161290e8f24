package generator

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"hash"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// importedCase is a document that says in another tool's words how it is signed,
// with requests that were signed without any code of ours.
type importedCase struct {
	name      string
	extension map[string]any
	form      bool // the bodies are forms
	keys      string
	vectors   []importedVector
}

type importedVector struct {
	Name       string      `json:"name"`
	Expect     string      `json:"expect"`
	Method     string      `json:"method"`
	URL        string      `json:"url"`
	Headers    [][2]string `json:"headers"`
	Body       string      `json:"body"`
	Secrets    []string    `json:"secrets,omitempty"`
	PublicKeys []string    `json:"public_keys,omitempty"`
	Now        int64       `json:"now"`
}

const (
	importedNow    = 1_700_000_000
	importedBody   = `{"id":"evt_1"}`
	importedSecret = "a secret of the import"
)

// request is one that is accepted, for a case to change.
func (c *importedCase) request(name, expect, url, body string, headers ...string) *importedVector {
	media := "application/json"
	if c.form {
		media = "application/x-www-form-urlencoded"
	}
	v := importedVector{Name: name, Expect: expect, Method: "POST", URL: url, Body: body, Now: importedNow, Secrets: []string{importedSecret},
		Headers: [][2]string{{"Content-Type", media}}}
	for i := 0; i < len(headers); i += 2 {
		v.Headers = append(v.Headers, [2]string{headers[i], headers[i+1]})
	}
	c.vectors = append(c.vectors, v)
	return &c.vectors[len(c.vectors)-1]
}

func mac(h func() hash.Hash, text string) []byte {
	m := hmac.New(h, []byte(importedSecret))
	m.Write([]byte(text))
	return m.Sum(nil)
}

const hook = "https://shop.example/hook"

func fernTimed() *importedCase {
	c := &importedCase{name: "fern-timed", keys: "secrets", extension: map[string]any{"x-fern-webhook-signature": map[string]any{
		"type": "hmac", "header": "X-Signature", "algorithm": "sha512", "encoding": "hex", "signature-prefix": "v1=",
		"payload-format": map[string]any{"components": []string{"timestamp", "body"}, "delimiter": "."},
		"timestamp":      map[string]any{"header": "X-Time", "format": "unix-millis", "tolerance": 120},
	}}}
	const at = "1700000000000"
	signed := hex.EncodeToString(mac(sha512.New, at+"."+importedBody))
	c.request("right", "accept", hook, importedBody, "X-Time", at, "X-Signature", "v1="+signed)
	c.request("at the end of the tolerance", "accept", hook, importedBody, "X-Time", at, "X-Signature", "v1="+signed).Now += 120
	c.request("too old", "reject", hook, importedBody, "X-Time", at, "X-Signature", "v1="+signed).Now += 121
	c.request("from the future", "reject", hook, importedBody, "X-Time", at, "X-Signature", "v1="+signed).Now -= 121
	c.request("another time", "reject", hook, importedBody, "X-Time", "1700000000001", "X-Signature", "v1="+signed)
	c.request("without the prefix", "reject", hook, importedBody, "X-Time", at, "X-Signature", signed)
	c.request("changed", "reject", hook, importedBody+" ", "X-Time", at, "X-Signature", "v1="+signed)
	c.request("no time", "reject", hook, importedBody, "X-Signature", "v1="+hex.EncodeToString(mac(sha512.New, "."+importedBody)))
	return c
}

func fernBodyHash() *importedCase {
	c := &importedCase{name: "fern-body-hash", keys: "secrets", extension: map[string]any{"x-fern-webhook-signature": map[string]any{
		"type": "hmac", "header": "X-Signature", "algorithm": "sha1", "payload-format": map[string]any{"components": []string{"notification-url"}},
		"body-hash-binding": map[string]any{"algorithm": "sha256", "encoding": "hex", "location": map[string]any{"type": "query-parameter", "name": "h"}},
	}}}
	sum := sha256.Sum256([]byte(importedBody))
	url := hook + "?a=1&h=" + hex.EncodeToString(sum[:])
	signed := base64.StdEncoding.EncodeToString(mac(sha1.New, url))
	c.request("right", "accept", url, importedBody, "X-Signature", signed)
	c.request("changed", "reject", url, importedBody+" ", "X-Signature", signed)
	c.request("another URL", "reject", strings.Replace(url, "a=1", "a=2", 1), importedBody, "X-Signature", signed)
	c.request("no hash", "reject", hook, importedBody, "X-Signature", base64.StdEncoding.EncodeToString(mac(sha1.New, hook)))
	return c
}

// fernForm is signed as Twilio's documentation shows it, with its values.
func fernForm() *importedCase {
	c := &importedCase{name: "fern-form", keys: "secrets", form: true, extension: map[string]any{"x-fern-webhook-signature": map[string]any{
		"type": "hmac", "header": "X-Twilio-Signature", "algorithm": "sha1", "encoding": "base64",
		"payload-format": map[string]any{"components": []string{"notification-url", "body"}, "delimiter": "", "body-sort": "alphabetical"},
	}}}
	const url, signed = "https://mycompany.com/myapp.php?foo=1&bar=2", "RSOYDt4T1cUTdK1PDd93/VVr8B8="
	const body = "To=%2B18005551212&Digits=1234&CallSid=CA1234567890ABCDE&Caller=%2B14158675309&From=%2B14158675309"
	c.request("published", "accept", url, body, "X-Twilio-Signature", signed).Secrets = []string{"12345"}
	c.request("changed", "reject", url, body+"&x=1", "X-Twilio-Signature", signed).Secrets = []string{"12345"}
	return c
}

func fernPublicKey(t *testing.T) *importedCase {
	c := &importedCase{name: "fern-public-key", keys: "keys", extension: map[string]any{"x-fern-webhook-signature": map[string]any{
		"type": "asymmetric", "header": "X-Signature", "asymmetric-algorithm": "ecdsa-sha384",
	}}}
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum384([]byte(importedBody))
	sig, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	signed := base64.StdEncoding.EncodeToString(sig)
	c.request("right", "accept", hook, importedBody, "X-Signature", signed)
	c.request("changed", "reject", hook, importedBody+" ", "X-Signature", signed)
	for i := range c.vectors {
		c.vectors[i].Secrets = nil
		c.vectors[i].PublicKeys = []string{string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))}
	}
	return c
}

func speakeasyPlain() *importedCase {
	c := &importedCase{name: "speakeasy", keys: "secrets", extension: map[string]any{"x-speakeasy-webhooks": map[string]any{
		"security": map[string]any{"type": "signature", "algorithm": "hmac-sha256"},
	}}}
	signed := base64.StdEncoding.EncodeToString(mac(sha256.New, importedBody))
	c.request("right", "accept", hook, importedBody, "x-webhook-signature", signed)
	c.request("changed", "reject", hook, importedBody+" ", "x-webhook-signature", signed)
	c.request("unsigned", "reject", hook, importedBody)
	return c
}

// TestImportedSchemes drives requests through receivers whose schemes stand in
// the documents in Fern's and Speakeasy's words, not in x-whgen.
func TestImportedSchemes(t *testing.T) {
	f := jen.NewFilePathName("main", "main")
	f.ImportAlias(whrtPath, "whrt")
	var lines []jen.Code
	var file struct {
		Senders []map[string]any `json:"senders"`
	}
	for _, c := range []*importedCase{fernTimed(), fernBodyHash(), fernForm(), fernPublicKey(t), speakeasyPlain()} {
		policy := map[string]any{
			"version": 1, "source": "vectors", "publicUrl": "PUBLIC_URL", c.keys: []string{"S0"},
			"outcomes": map[string]any{"processed": 200, "duplicate": 200, "conflict": 200, "inProgress": 503, "failed": 500},
			"event":    map[string]any{"key": "/id", "replay": "process"},
		}
		if c.form {
			policy["event"] = map[string]any{"key": "form:CallSid"}
		}
		e := loadDocument(t, c.name, policy, c.extension).Endpoints[0]
		if c.extension[e.Signature.Imported] == nil {
			t.Errorf("%s: the scheme says that it is of %q", c.name, e.Signature.Imported)
		}
		lines = append(lines, jen.Id("declared").Index(jen.Lit(c.name)).Op("=").Id("declaration").Values(field("scheme", scheme(e.Signature))))
		file.Senders = append(file.Senders, map[string]any{"name": c.name, "scheme": map[string]any{"type": e.Signature.Type}, "event_key": map[string]any{}, "vectors": c.vectors})
	}
	f.Func().Id("init").Params().Block(lines...)
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "vectors.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := runDriver(t, f, name)
	if err != nil || !strings.Contains(out, "19 passed, 0 failed") {
		t.Errorf("%v\n%s", err, out)
	}
}
