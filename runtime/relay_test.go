package runtime

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/outbox"
)

func httpEffect(private bool) *Effect {
	return &Effect{Name: "deal", HTTP: &HTTPEffect{
		Method: "PUT", URL: []SettingPart{{Setting: "CRM_URL"}}, Private: private,
		Headers: []HeaderParts{{"Authorization", []SettingPart{{Text: "Bearer "}, {Setting: "CRM_TOKEN"}}}},
		Success: [][2]int{{200, 299}}, RetryOn: [][2]int{{429, 429}, {500, 599}},
	}}
}

func TestHTTPSender(t *testing.T) {
	cases := map[string]func(error) bool{
		"200": func(err error) bool { return err == nil },
		"204": func(err error) bool { return err == nil },
		"302": outbox.IsPermanent,
		"409": outbox.IsPermanent,
		"500": func(err error) bool { return err != nil && !outbox.IsPermanent(err) && !outbox.IsUncertain(err) },
		"429": func(err error) bool { d, ok := outbox.AsRetryAfter(err); return ok && d == 7*time.Second },
		"cut": outbox.IsUncertain,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.Header.Get("Idempotency-Key") != "shop:deal:e1" || r.Header.Get("Authorization") != "Bearer TOKEN" || string(b) != `{"a":1}` || r.Method != "PUT" {
			t.Errorf("the outside got %v %s", r.Header, b)
		}
		name := strings.TrimPrefix(r.URL.Path, "/v1/")
		if name == "cut" {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Location", "/v1/200")
		w.WriteHeader(map[string]int{"200": 200, "204": 204, "302": 302, "409": 409, "500": 500, "429": 429}[name])
	}))
	defer server.Close()
	settings := map[string]string{"CRM_URL": server.URL + "/v1/", "CRM_TOKEN": "TOKEN"}
	s, err := newHTTPSender(httpEffect(true), settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range cases {
		err := s.Send(context.Background(), outbox.Message{Target: "/" + name, Payload: []byte(`{"a":1}`), IdempotencyKey: "shop:deal:e1"})
		if !want(err) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	guarded, err := newHTTPSender(httpEffect(false), settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := guarded.Send(context.Background(), outbox.Message{Target: "/200"}); !outbox.IsPermanent(err) {
		t.Errorf("a private address gives %v", err)
	}
	server.Close()
	// A connection of its own: one that the server has closed meanwhile may take
	// the request's first bytes, and its fate is unknown then.
	s, err = newHTTPSender(httpEffect(true), settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Send(context.Background(), outbox.Message{Target: "/200"})
	if err == nil || outbox.IsUncertain(err) || outbox.IsPermanent(err) || strings.Contains(err.Error(), "/v1") {
		t.Errorf("a refused connection gives %v", err)
	}
}

func TestEffectsAreCheckedAtStart(t *testing.T) {
	for name, e := range map[string]Effect{
		"call without sender": {Name: "mail"},
		"no address":          {Name: "deal", HTTP: &HTTPEffect{Method: "POST", URL: []SettingPart{{Text: "ftp://x"}}}},
		"unknown setting":     {Name: "deal", HTTP: &HTTPEffect{Method: "POST", URL: []SettingPart{{Setting: "NONE"}}}},
	} {
		def := definition()
		def.Effects = []Effect{e}
		_, err := NewReceiver(context.Background(), def, newMemory(), Options{Secrets: SecretsMap{"SHOP_SECRET": testSecret}})
		if err == nil || !strings.Contains(err.Error(), "effect "+e.Name) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

// outboxMemory hands each message of the rows out once.
type outboxMemory struct {
	*memory
	given map[string]bool
	ends  []outbox.End
}

func (m *outboxMemory) ClaimMessages(context.Context, int, time.Duration, time.Duration) ([]outbox.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []outbox.Message
	for key, d := range m.rows {
		for _, row := range d.Messages {
			if !m.given[row.IdempotencyKey] {
				m.given[row.IdempotencyKey] = true
				out = append(out, outbox.Message{ID: int64(len(m.given)), EventKey: key, Effect: row.Effect, IdempotencyKey: row.IdempotencyKey, Payload: row.Payload, Attempt: 1})
			}
		}
	}
	return out, nil
}

func (m *outboxMemory) FinishMessages(_ context.Context, ends []outbox.End, _ time.Duration) ([]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ends = append(m.ends, ends...)
	var ids []int64
	for _, e := range ends {
		ids = append(ids, e.ID)
	}
	return ids, nil
}

func TestRunSendsWhatDeliveriesStore(t *testing.T) {
	h := newHarness(t, nil)
	h.def.Effects = []Effect{{Name: "mail", Remembers: 24 * time.Hour, Timeout: time.Second}}
	h.def.Events[0].Messages = []Message{{Effect: 0}}
	store := &outboxMemory{memory: h.store, given: map[string]bool{}}
	got := make(chan outbox.Message, 1)
	sender := outbox.SenderFunc(func(_ context.Context, m outbox.Message) error { got <- m; return nil })
	rcv, err := NewReceiver(context.Background(), h.def, store, Options{
		Secrets: SecretsMap{"SHOP_SECRET": testSecret}, Observer: h.counters, Senders: map[string]outbox.Sender{"mail": sender},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.rcv = rcv
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- rcv.Run(ctx) }()
	h.want(h.send(paid("e1", "o1", 1)), Processed, 200)
	m := <-got
	if m.IdempotencyKey != "shop:mail:e1" || string(m.Payload) != paid("e1", "o1", 1) {
		t.Errorf("sent is %+v", m)
	}
	eventually(t, "the observer", func() bool { return h.counters.Sent("sent") == 1 })
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
