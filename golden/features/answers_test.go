package features_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/whgen/whgen/golden/features/answers"
	"github.com/whgen/whgen/golden/internal/deliver"
	whrt "github.com/whgen/whgen/runtime"
)

// call is one request to the receiver of answers.openapi.yaml.
type call struct {
	method, path, body string
	header             map[string]string
	status             int
	answer             string
	want               map[string]string // headers of the answer
}

func TestAnswers(t *testing.T) {
	db := deliver.SQLite(t)
	must(t, answers.Migrate(t.Context(), db))
	r, err := answers.New(t.Context(), answers.Config{DB: db, Secrets: whrt.SecretsMap(map[string]string{
		"ANSWERS_IN_SECRET": "token-of-the-inbound-endpoint", "ANSWERS_RECEIPT_SECRET": "token-of-the-receipt-endpoint",
	})})
	must(t, err)
	mux := http.NewServeMux()
	r.Handle(mux, "/hooks")
	in := map[string]string{"X-Token": "token-of-the-inbound-endpoint", "X-Version": "1"}
	receipt := map[string]string{"Authorization": "Bearer token-of-the-receipt-endpoint"}
	first := call{"PUT", "/hooks/in", `{"type":"put","id":"a","n":7}`, in, 201, `{"id":"a","n":7}`,
		map[string]string{"X-Echo": "a", "Location": "/orders/a", "Content-Type": "application/json"}}
	for _, c := range []call{
		first,
		first, // replay: the stored answer
		{"PUT", "/hooks/in", `{"type":"put","id":"a","n":8}`, in, 200, "a differs", nil},
		{"PATCH", "/hooks/in", `{"type":"patched","id":"p","n":1}`, in, 201, `{"id":"p","n":1}`, nil},
		// An event is told by its type, not by its method.
		{"POST", "/hooks/in", `{"type":"put","id":"x","n":1}`, in, 405, "other methods", map[string]string{"Allow": "PATCH, PUT"}},
		{"GET", "/hooks/in", "", in, 405, "other methods", map[string]string{"Allow": "PATCH, PUT"}},
		{"PATCH", "/hooks/receipt", `{"type":"put","id":"x","n":1}`, receipt, 405, "other methods", map[string]string{"Allow": "PUT"}},
		// Tokens: of this endpoint, with what the scheme requires.
		{"PUT", "/hooks/in", `{"type":"put","id":"x","n":1}`, map[string]string{"X-Token": "wrong", "X-Version": "1"}, 403, "no", nil},
		{"PUT", "/hooks/in", `{"type":"put","id":"x","n":1}`, map[string]string{"X-Token": in["X-Token"]}, 403, "no", nil},
		{"PUT", "/hooks/in", `{"type":"put","id":"x","n":1}`, receipt, 403, "no", nil},
		// The same id is another event at an endpoint that shares no keys, and the
		// source's own at one that does.
		{"PUT", "/hooks/receipt", `{"type":"put","id":"a","n":9}`, receipt, 201, `{"id":"a","n":9}`, nil},
		{"PUT", "/hooks/open", `{"type":"put","id":"a","n":9}`, nil, 201, `{"id":"a","n":9}`, nil},
		{"PUT", "/hooks/open", `{"type":"put","id":"` + strings.Repeat("b", 64) + `","n":9}`, nil, 413, "", nil},
		// Types that nobody listed.
		{"PUT", "/hooks/in", `{"type":"other","id":"u"}`, in, 422, "unknown", nil},
		{"PUT", "/hooks/receipt", `{"type":"other","id":"u"}`, receipt, 500, "", map[string]string{"Retry-After": "30"}},
		{"PUT", "/hooks/in", `{"type":"put","id":"m"}`, in, 422, "", nil},
		{"PUT", "/hooks/in", `{"type":"put","n":1}`, in, 422, "", nil},
	} {
		q := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		q.Header.Set("Content-Type", "application/json")
		for name, value := range c.header {
			q.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, q)
		if w.Code != c.status || w.Body.String() != c.answer {
			t.Errorf("%s %s %s: answered %d %q, want %d %q", c.method, c.path, c.body, w.Code, w.Body, c.status, c.answer)
		}
		for name, want := range c.want {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s %s %s: header %s is %q, want %q", c.method, c.path, c.body, name, got, want)
			}
		}
	}
	deliver.Value(t, db, "SELECT count(*) FROM rows", "4")
	deliver.Value(t, db, "SELECT group_concat(event_key, ' ') FROM (SELECT event_key FROM answers_inbox_events WHERE status = 'done' AND event_key LIKE '%a' ORDER BY 1)", "a inbound|a open|a")
}
