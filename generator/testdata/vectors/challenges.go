package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"

	whrt "github.com/whgen/whgen/runtime"
)

// handshake is the challenge of a sender, with its requests.
type handshake struct {
	Name      string
	Challenge *struct {
		Vectors []struct {
			vector
			Response struct {
				Status      int
				ContentType string `json:"content_type"`
				Headers     map[string]string
				Body        string
				JSON        any
			}
		}
	}
}

// runChallenges sends the requests of every challenge that was declared.
func runChallenges(data []byte) {
	var file struct{ Senders []handshake }
	if err := json.Unmarshal(data, &file); err != nil {
		fmt.Println(err)
		failed++
		return
	}
	for _, s := range file.Senders {
		if s.Challenge == nil {
			continue
		}
		for _, by := range []string{"", "preset "} {
			d, ok := declared[by+s.Name]
			if !ok {
				continue
			}
			for i := range s.Challenge.Vectors {
				if why := s.judge(d, i); why != "" {
					failed++
					fmt.Printf("FAILED %s%s %s: %s\n", by, s.Name, s.Challenge.Vectors[i].Name, why)
					continue
				}
				passed++
			}
		}
	}
}

// judge compares one answer with what the sender expects. Nothing may reach the
// store, and an event beside the challenge still has to.
func (s handshake) judge(d declaration, i int) string {
	v := s.Challenge.Vectors[i]
	if len(v.keyTexts()) == 0 && len(d.scheme.Secrets) > 0 {
		v.Secrets = []string{"a made-up secret of a challenge without a signature"}
	}
	base, query, _ := strings.Cut(v.URL, "?")
	def := definition(d, v.vector)
	def.Endpoints[0].Challenges, def.Endpoints[0].Methods = d.challenges, nil
	def.Endpoints[0].Media = []string{"application/json"}
	st, seen := &store{}, &whrt.Counters{}
	o := options(v.vector, base)
	o.Observer = seen
	rcv, err := whrt.NewReceiver(context.Background(), def, st, o)
	if err != nil {
		return "the receiver does not start: " + err.Error()
	}
	server := httptest.NewServer(rcv)
	defer server.Close()
	target := server.URL + "/in"
	if query != "" {
		target += "?" + query
	}
	res, body, err := exchange(v.vector, target)
	want := v.Response
	switch {
	case err != nil:
		return err.Error()
	case res.StatusCode != want.Status:
		return fmt.Sprintf("the answer is %s, want %d", res.Status, want.Status)
	case want.JSON != nil && !sameJSON(body, want.JSON):
		return fmt.Sprintf("the answer is %s, want %v", body, want.JSON)
	case want.JSON == nil && string(body) != want.Body:
		return fmt.Sprintf("the answer is %q, want %q", body, want.Body)
	case len(st.taken) > 0:
		return "it was taken for an event"
	case (seen.Outcome(whrt.Challenged) == 1) != (want.Status < 300):
		return fmt.Sprintf("the outcomes are %v", seen.Outcomes())
	}
	if want.ContentType != "" {
		if got, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); got != want.ContentType {
			return fmt.Sprintf("the content type is %q, want %q", got, want.ContentType)
		}
	}
	for name, value := range want.Headers {
		if got := res.Header.Get(name); got != value {
			return fmt.Sprintf("header %s is %q, want %q", name, got, value)
		}
	}
	return ""
}

func sameJSON(body []byte, want any) bool {
	var got any
	return json.Unmarshal(body, &got) == nil && reflect.DeepEqual(got, want)
}

func exchange(v vector, target string) (*http.Response, []byte, error) {
	req, err := request(v, target)
	if err != nil {
		return nil, nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, body, err
}
