package signature

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// The published vectors of real senders are not part of this repository.
// WHGEN_VECTORS names the file that holds them.
func TestSendersVectors(t *testing.T) {
	file := os.Getenv("WHGEN_VECTORS")
	if file == "" {
		t.Skip("set WHGEN_VECTORS to a file of signature vectors to check against real senders")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Senders []vectorSender }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, s := range doc.Senders {
		if _, ok := compilers[s.Scheme.Type]; ok && s.Coverage == "core" {
			t.Run(s.Name, func(t *testing.T) { checked += s.check(t) })
		}
	}
	if checked < 300 {
		t.Errorf("only %d vectors were checked", checked)
	}
}

type vectorSource struct {
	In, Name, Path, Equals string
	Format                 string
	Tolerance              *int `json:"tolerance_s"`
	Future                 *int `json:"future_tolerance_s"`
}

type vectorSender struct {
	Name, Coverage string
	Scheme         struct {
		Type, Hash string
		Key        struct {
			Encoding string
			Strip    string `json:"strip_prefix"`
		}
		Signature struct {
			From     json.RawMessage
			Format   string
			Prefix   string
			Optional bool            `json:"prefix_optional"`
			Item     string          `json:"item_sep"`
			Kv       string          `json:"kv_sep"`
			Tag      json.RawMessage `json:"tag"`
			Skip     int
			Trim     bool
			Encoding string
			Case     string
			Repeat   string
		}
		Timestamp *vectorSource
		ID        *vectorSource
		Content   json.RawMessage
		Require   []vectorSource
	}
	Vectors []vector
}

type vector struct {
	Name, Expect, Reason, Method, URL string
	Headers                           [][2]string
	Body                              string
	Base64                            string `json:"body_base64"`
	Secrets                           []string
	Params                            map[string]string
	Now                               int64
}

func (v vectorSource) source() Source {
	in := map[string]string{"signature": "element"}[v.In]
	if in == "" {
		in = v.In
	}
	return Source{In: in, Name: v.Name + v.Path}
}

func (s vectorSender) scheme(v vector) Scheme {
	sig := s.Scheme.Signature
	out := Scheme{
		Type: s.Scheme.Type, Hash: s.Scheme.Hash, Encoding: sig.Encoding, Prefix: sig.Prefix,
		PrefixOptional: sig.Optional, AnyCase: sig.Case == "any", RepeatAny: sig.Repeat == "any",
		Decode: Decoding{Encoding: s.Scheme.Key.Encoding, StripPrefix: s.Scheme.Key.Strip},
	}
	for i := range v.Secrets {
		out.Secrets = append(out.Secrets, Secret{Name: "S" + string(rune('0'+i))})
	}
	var one vectorSource
	var many []vectorSource
	if json.Unmarshal(sig.From, &many) != nil && json.Unmarshal(sig.From, &one) == nil {
		many = []vectorSource{one}
	}
	for _, src := range many {
		out.From = append(out.From, src.source())
	}
	if sig.Format == "list" {
		out.List = &List{Separator: sig.Item, Name: sig.Kv, Skip: sig.Skip, Trim: sig.Trim}
		var tag string
		if json.Unmarshal(sig.Tag, &tag) == nil {
			out.List.Tags = []string{tag}
		}
	}
	if t := s.Scheme.Timestamp; t != nil {
		out.Timestamp = &Timestamp{From: t.source(), Format: t.Format, NoTolerance: t.Tolerance == nil, FutureTolerance: -1}
		if t.Tolerance != nil {
			out.Timestamp.Tolerance = time.Duration(*t.Tolerance) * time.Second
		}
		if t.Future != nil {
			out.Timestamp.FutureTolerance = time.Duration(*t.Future) * time.Second
		}
	}
	if s.Scheme.ID != nil {
		id := s.Scheme.ID.source()
		out.ID = &id
	}
	for _, q := range s.Scheme.Require {
		if name, ok := strings.CutPrefix(q.Equals, "{param:"); ok {
			q.Equals = v.Params[strings.TrimSuffix(name, "}")]
		}
		out.Require = append(out.Require, Requirement{q.source(), q.Equals})
	}
	var content string
	if len(s.Scheme.Content) > 0 && json.Unmarshal(s.Scheme.Content, &content) == nil {
		out.Content = parts(content)
	}
	return out
}

func parts(text string) []Part {
	var out []Part
	for text != "" {
		before, rest, ok := strings.Cut(text, "{")
		if before != "" {
			out = append(out, Part{Text: before})
		}
		if !ok {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		text = after
		if in, at, ok := strings.Cut(name, ":"); ok && in != "crc32" && in != "sha256" {
			out = append(out, Part{Source: &Source{In: in, Name: at}})
		} else {
			out = append(out, Part{Placeholder: name})
		}
	}
	return out
}

func (s vectorSender) check(t *testing.T) int {
	for _, v := range s.Vectors {
		verifier, err := Compile(s.scheme(v), v.Secrets)
		if err == nil {
			_, err = verifier.Verify(v.request(t), time.Unix(v.Now, 0))
		}
		if got := err == nil; got != (v.Expect == "accept") {
			t.Errorf("%s: want %s (%s), got %v", v.Name, v.Expect, v.Reason, err)
		}
	}
	return len(s.Vectors)
}

func (v vector) request(t *testing.T) *Request {
	u, err := url.Parse(v.URL)
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{Method: v.Method, Path: u.EscapedPath(), RawQuery: u.RawQuery, URL: v.URL, Header: http.Header{}, Body: []byte(v.Body)}
	if v.Base64 != "" {
		if r.Body, err = base64.StdEncoding.DecodeString(v.Base64); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range v.Headers {
		r.Header.Add(h[0], h[1])
	}
	r.Param = func(name string) (string, bool) { p, ok := v.Params[name]; return p, ok }
	r.JSON = func(pointer string) (string, bool) { return lookupJSON(r.Body, pointer) }
	return r
}

func lookupJSON(body []byte, pointer string) (string, bool) {
	raw := json.RawMessage(body)
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			return "", false
		}
		raw = members[token]
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	return string(raw), len(raw) > 0 && raw[0] != '{' && raw[0] != '['
}
