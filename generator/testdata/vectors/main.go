// Command vectors drives the requests of a file of signature vectors over HTTP
// through receivers whose schemes the generator has written from declarations,
// and prints how many gave the stated answer. The test of package generator
// adds declared_gen.go and runs it.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/signature"
)

type sender struct {
	Name   string
	Scheme struct{ Type string }
	Key    struct {
		Parts    []struct{ In, Name, Path string }
		Items    string
		Volatile []string
	} `json:"event_key"`
	Vectors []vector
}

type vector struct {
	Name, Expect, Reason string
	Method, URL          string
	Headers              [][2]string
	Body                 string
	BodyBase64           string `json:"body_base64"`
	Secrets              []string
	PublicKeys           []json.RawMessage `json:"public_keys"`
	Params               map[string]string
	RemoteIP             string `json:"remote_ip"`
	Now                  int64
	Keys                 []string
	SameEventAs          string `json:"same_event_as"`
}

var passed, failed int

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	if len(os.Args) > 2 {
		runChallenges(data)
		report()
	}
	var file struct{ Senders []sender }
	if err := json.Unmarshal(data, &file); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	excepted := 0
	for _, s := range file.Senders {
		d, ok := declared[s.Name]
		if !ok {
			fmt.Printf("excepted: %s (%s), %d requests\n", s.Name, s.Scheme.Type, len(s.Vectors))
			excepted += len(s.Vectors)
			continue
		}
		s.run(d)
	}
	fmt.Printf("%d excepted\n", excepted)
	report()
}

// report prints the sum and ends.
func report() {
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
	os.Exit(0)
}

// run checks every request of a sender, and that another delivery of an event
// is one: equal keys whatever the bytes are, and equal fingerprints where the
// sender names what changes, or nothing has changed.
func (s sender) run(d declaration) {
	stored, bodies := map[string][]taken{}, map[string]string{}
	for _, v := range s.Vectors {
		bodies[v.Name] = string(v.body())
		why, events := s.judge(d, v)
		if len(d.key) == 0 || !v.isEvent() {
			events = nil
			for _, key := range s.recipe(v) {
				events = append(events, taken{key: key})
			}
		}
		stored[v.Name] = events
		first, again := stored[v.SameEventAs]
		switch {
		case why != "":
		case v.SameEventAs != "" && (!again || !sameEvents(first, events, len(s.Key.Volatile) > 0 || bodies[v.SameEventAs] == bodies[v.Name])):
			why = "it is another event than " + v.SameEventAs
		case len(v.Keys) > 0 && !slices.Equal(keysOf(events), slices.Sorted(slices.Values(v.Keys))):
			why = fmt.Sprintf("the keys are %q, want %q", keysOf(events), v.Keys)
		}
		if why == "" {
			passed++
			continue
		}
		failed++
		fmt.Printf("FAILED %s %s: %s (%s)\n", s.Name, v.Name, why, v.Reason)
	}
}

// keysOf is sorted, since the events of a batch are worked on at once.
func keysOf(events []taken) []string {
	var keys []string
	for _, e := range events {
		keys = append(keys, e.key)
	}
	slices.Sort(keys)
	return keys
}

func sameEvents(a, b []taken, fingerprints bool) bool {
	if !fingerprints {
		return slices.Equal(keysOf(a), keysOf(b))
	}
	order := func(x, y taken) int { return strings.Compare(x.key, y.key) }
	return slices.Equal(slices.SortedFunc(slices.Values(a), order), slices.SortedFunc(slices.Values(b), order))
}

// isEvent reports whether a receiver can read an event from the body: some
// vectors have a text or nothing, which is malformed after its verification.
func (v vector) isEvent() bool { return json.Valid(v.body()) }

// recipe evaluates the key recipe where receivers do not: of forms, and of
// bodies that are no event.
func (s sender) recipe(v vector) []string {
	r := &signature.Request{Body: v.body()}
	signature.JSONBody(r)
	items := []signature.Lookup{r.JSON}
	if s.Key.Items != "" {
		items, _ = r.Items(s.Key.Items)
	}
	form, _ := url.ParseQuery(string(r.Body))
	var keys []string
	for _, item := range items {
		var parts []string
		for _, p := range s.Key.Parts {
			text := form.Get(p.Name)
			switch p.In {
			case "item":
				text, _ = item(p.Path)
			case "json":
				text, _ = r.JSON(p.Path)
			case "header":
				text = v.header(p.Name)
			}
			parts = append(parts, text)
		}
		keys = append(keys, strings.Join(parts, "|"))
	}
	return keys
}

func (v vector) header(name string) string {
	for _, h := range v.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

func (v vector) body() []byte {
	if v.BodyBase64 == "" {
		return []byte(v.Body)
	}
	b, err := base64.StdEncoding.DecodeString(v.BodyBase64)
	if err != nil {
		panic(err)
	}
	return b
}

// judge sends one request to a receiver that is configured as the vector says.
func (s sender) judge(d declaration, v vector) (why string, events []taken) {
	base, query, _ := strings.Cut(v.URL, "?")
	st := &store{}
	rcv, err := whrt.NewReceiver(context.Background(), definition(d, v), st, options(v, base))
	if err != nil {
		return "the receiver does not start: " + err.Error(), nil
	}
	server := httptest.NewServer(rcv)
	defer server.Close()
	target := server.URL + "/in"
	if query != "" {
		target += "?" + query
	}
	answer, err := send(v, target)
	switch {
	case err != nil:
		return err.Error(), nil
	case answer.StatusCode != http.StatusUnauthorized && answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusBadRequest:
		return "the answer is " + answer.Status, nil
	case (answer.StatusCode != http.StatusUnauthorized) != (v.Expect == "accept"):
		return fmt.Sprintf("want %s, the answer is %s", v.Expect, answer.Status), nil
	}
	return "", st.taken
}

func options(v vector, base string) whrt.Options {
	secrets := whrt.SecretsMap{}
	for i, text := range v.keyTexts() {
		secrets[fmt.Sprintf("S%d", i)] = text
	}
	settings := whrt.SettingsMap{"PUBLIC_URL": base}
	for name, value := range v.Params {
		settings["P_"+strings.ToUpper(name)] = value
	}
	return whrt.Options{
		Secrets: secrets, Settings: settings, Clock: clock(v.Now), NoRelay: true,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
}

// keyTexts are the secrets, or the public keys: a JSON Web Key by its JSON text.
func (v vector) keyTexts() []string {
	texts := v.Secrets
	for _, raw := range v.PublicKeys {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		texts = append(texts, text)
	}
	return texts
}

func definition(d declaration, v vector) whrt.Definition {
	scheme := d.scheme
	if n := len(v.keyTexts()); n < len(scheme.Secrets) {
		scheme.Secrets = scheme.Secrets[:n]
	}
	key := d.key
	if len(key) == 0 {
		key = []whrt.Selector{{Kind: whrt.Const, Name: "none"}}
	}
	timing := whrt.Timing{AnswerWithin: time.Minute, Deadline: time.Minute, InProgressWait: time.Second}
	var settings []whrt.Setting
	for name := range v.Params {
		settings = append(settings, whrt.Setting{Name: "P_" + strings.ToUpper(name)})
	}
	return whrt.Definition{
		Source: "vectors", Table: "vectors_inbox_events", PublicURL: "PUBLIC_URL",
		Settings: append(settings, whrt.Setting{Name: "PUBLIC_URL"}),
		Endpoints: []whrt.Endpoint{{
			MaxBody: 1 << 20, Methods: []string{"GET", "POST", "PUT"}, Scheme: scheme, Timing: timing,
			Items:  d.items,
			Media:  []string{"application/json", "application/x-www-form-urlencoded", "text/plain"},
			Routes: []whrt.Route{{Event: 0}}, Responses: responses(),
		}},
		Events: []whrt.Event{{Name: "any", Key: key, Fingerprint: d.fingerprint, Responses: responses(), Timing: timing}},
	}
}

func responses() (all whrt.Responses) {
	for i := range all {
		all[i] = whrt.Response{Status: 200}
	}
	all[whrt.Unauthenticated].Status, all[whrt.Malformed].Status, all[whrt.Failed].Status = 401, 400, 500
	all[whrt.UnsupportedMedia].Status, all[whrt.MethodNotAllowed].Status = 415, 405
	return all
}

func send(v vector, target string) (*http.Response, error) {
	req, err := request(v, target)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res, err
}

// request writes the headers with the letter case and the lines of the vector.
func request(v vector, target string) (*http.Request, error) {
	req, err := http.NewRequest(v.Method, target, bytes.NewReader(v.body()))
	if err != nil {
		return nil, err
	}
	for _, h := range v.Headers {
		if strings.EqualFold(h[0], "Host") {
			req.Host = h[1]
			continue
		}
		req.Header[h[0]] = append(req.Header[h[0]], h[1])
	}
	if v.RemoteIP != "" { // as a proxy of ours adds it
		req.Header["X-Forwarded-For"] = append(req.Header["X-Forwarded-For"], v.RemoteIP)
	}
	return req, nil
}

type clock int64

func (c clock) Now() time.Time { return time.Unix(int64(c), 0) }
