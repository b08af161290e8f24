package acceptance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/outbox"
)

// outside is the downstream of every effect: a function for calls, an HTTP server
// of its own for requests. Between it and the receiver's store it notes which
// messages are on their way, and so which attempt it is that it sees.
type outside struct {
	whrt.Store                      // of the process that runs now
	plan       map[string][]Outside // by effect
	def        *whrt.Definition
	clock      *whrt.OffsetClock
	server     *httptest.Server
	direct     http.RoundTripper

	claims sync.Mutex // a claim, and a look at what is due: not at once

	mu     sync.Mutex
	leased map[int64]outbox.Message // claimed, and no end written yet
	story  map[int64]*story         // of every message
	turn   map[string]int           // messages of an effect seen so far
	docs   map[string]int           // what the outside has made, by effect and key
	wrong  []string
}

// story is what the outside has seen of one message.
type story struct {
	Outside
	keys, bodies []string
	reached      int
}

func newOutside(def *whrt.Definition, clock *whrt.OffsetClock, plan []Outside) *outside {
	o := &outside{
		plan: map[string][]Outside{}, def: def, clock: clock, direct: &http.Transport{},
		leased: map[int64]outbox.Message{}, story: map[int64]*story{}, turn: map[string]int{}, docs: map[string]int{},
	}
	for _, one := range plan {
		o.plan[one.Effect] = append(o.plan[one.Effect], one)
	}
	o.server = httptest.NewServer(http.HandlerFunc(o.serve))
	return o
}

// marker is the member of a request's query that tells which message it is of:
// two may look alike.
const marker = "whgen-message"

// ClaimMessages notes what is leased, and marks it. A claim from before time was
// moved leases nothing: its leases would be over.
func (o *outside) ClaimMessages(ctx context.Context, limit int, lease, skew time.Duration) ([]outbox.Message, error) {
	o.claims.Lock()
	defer o.claims.Unlock()
	if skew != o.clock.Offset() {
		return nil, nil
	}
	all, err := o.Store.ClaimMessages(ctx, limit, lease, skew)
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range all {
		m := &all[i]
		o.leased[m.ID] = *m
		if e := o.effect(m.Effect); e != nil && e.HTTP != nil {
			sep := "?"
			if strings.Contains(m.Target, "?") {
				sep = "&"
			}
			m.Target += sep + marker + "=" + strconv.FormatInt(m.ID, 10)
		}
	}
	return all, err
}

// FinishMessages notes what has ended.
func (o *outside) FinishMessages(ctx context.Context, ends []outbox.End, skew time.Duration) ([]int64, error) {
	ours, err := o.Store.FinishMessages(ctx, ends, skew)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		for _, e := range ends {
			delete(o.leased, e.ID)
		}
	}
	return ours, err
}

// idle reports whether nothing is on its way.
func (o *outside) idle() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.leased) == 0
}

// take notes an attempt and says what the outside does at it.
func (o *outside) take(m outbox.Message, key string, body []byte) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.story[m.ID]
	if s == nil {
		s = &story{}
		if plans := o.plan[m.Effect]; len(plans) > 0 {
			s.Outside = plans[o.turn[m.Effect]%len(plans)]
		}
		o.turn[m.Effect]++
		o.story[m.ID] = s
	}
	does := Acknowledged
	if n := len(s.keys); n < len(s.Attempts) {
		does = s.Attempts[n]
	} else {
		o.wrong = append(o.wrong, fmt.Sprintf("a message of %s was sent %d times; want %d", m.Effect, n+1, len(s.Attempts)))
	}
	s.keys, s.bodies = append(s.keys, key), append(s.bodies, string(body))
	if does != Down {
		s.reached++
		if key == "" {
			key = fmt.Sprintf("%d, attempt %d", m.ID, s.reached) // without a key each request makes another
		}
		o.docs[m.Effect+" "+key]++
	}
	return does
}

// errDown says that nothing has happened: no byte has left the process.
var errDown = errors.New("the outside is down")

func (o *outside) call(_ context.Context, m outbox.Message) error {
	switch o.take(m, m.IdempotencyKey, m.Payload) {
	case Down:
		return errDown
	case Lost:
		return outbox.Uncertain(errors.New("the acknowledgement is lost"))
	}
	return nil
}

// RoundTrip leads requests to the server, wherever they are meant to go.
func (o *outside) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	m, e, err := o.find(r)
	if err != nil {
		return nil, err
	}
	key := ""
	if !e.NoKey {
		key = r.Header.Get(cmp.Or(e.Header, "Idempotency-Key"))
	}
	does := o.take(m, key, body)
	if does == Down {
		return nil, errDown
	}
	to, err := url.Parse(o.server.URL)
	if err != nil {
		return nil, err
	}
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.Host = to.Scheme, to.Host, ""
	out.Body, out.ContentLength = http.NoBody, 0
	out.Header = http.Header{"Whgen-Does": {does}, "Whgen-Status": {strconv.Itoa(e.HTTP.Success[0][0])}}
	return o.direct.RoundTrip(out)
}

// serve answers, or hangs up on a request that it has read.
func (o *outside) serve(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Whgen-Does") == Lost {
		panic(http.ErrAbortHandler)
	}
	status := http.StatusOK
	_, _ = fmt.Sscan(r.Header.Get("Whgen-Status"), &status)
	w.WriteHeader(status)
}

func (o *outside) effect(name string) *whrt.Effect {
	for i := range o.def.Effects {
		if o.def.Effects[i].Name == name {
			return &o.def.Effects[i]
		}
	}
	return nil
}

// find is the message of a request, and its effect.
func (o *outside) find(r *http.Request) (outbox.Message, *whrt.Effect, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	id, err := strconv.ParseInt(r.URL.Query().Get(marker), 10, 64)
	if err != nil {
		return outbox.Message{}, nil, fmt.Errorf("read whose request it is: %w", err)
	}
	m, ok := o.leased[id]
	if !ok {
		return outbox.Message{}, nil, errors.New("a request of no message that is on its way")
	}
	return m, o.effect(m.Effect), nil
}
