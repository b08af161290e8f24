package orders_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// crm is the outside: it remembers what each key came with.
type crm struct {
	mu       sync.Mutex
	requests map[string]string // key -> method, path and body
	unstable []string
	calls    int
}

func (c *crm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the receiver was killed while it sent
	}
	key, request := r.Header.Get("Idempotency-Key"), r.Method+" "+r.URL.Path+" "+string(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	if before := cmp.Or(c.requests[key], request); key == "" || before != request {
		c.unstable = append(c.unstable, fmt.Sprintf("key %q came with %s, before with %s", key, request, before))
	}
	c.requests[key] = request
}

// check expects every message's key, and no other, with a request of its own.
func (c *crm) check(t *trial, events int) {
	t.Helper()
	keys := map[string]int{}
	t.rows(keys, "SELECT idempotency_key FROM shop_outbox_messages WHERE effect = 'crmDeal'")
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range c.unstable[:min(len(c.unstable), 10)] {
		t.Errorf("the CRM: %s", text)
	}
	requests, wrong := map[string]bool{}, 0
	for key, request := range c.requests {
		requests[request] = true
		if keys[key] != 1 {
			wrong++
			t.first(wrong, "the CRM got key %q of %d messages, want 1", key, keys[key])
		}
	}
	if len(c.requests) != events || len(requests) != events {
		t.Errorf("the CRM got %d keys and %d requests, want %d of both", len(c.requests), len(requests), events)
	}
}
