package conformance

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// warehouse is the outside of every effect: it acknowledges, and remembers what it was asked.
type warehouse struct {
	url    string
	mu     sync.Mutex
	bodies map[string][]string // by idempotency key
}

func newWarehouse(t *testing.T) *warehouse {
	w := &warehouse{bodies: map[string][]string{}}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	w.url = s.URL
	return w
}

func (w *warehouse) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		text = append(text, " cut off"...)
	}
	w.mu.Lock()
	key := r.Header.Get("Idempotency-Key")
	w.bodies[key] = append(w.bodies[key], string(text))
	w.mu.Unlock()
}

// calls are the requests so far, and the different keys among them.
func (w *warehouse) calls() (calls, keys int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, all := range w.bodies {
		calls += len(all)
	}
	return calls, len(w.bodies)
}
