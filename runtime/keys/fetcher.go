package keys

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/whgen/whgen/runtime/internal/dial"
)

const (
	fetchLimit   = 5 * time.Second // of one fetch
	afterFailure = 5 * time.Second // before the next fetch of an address
	renewal      = time.Minute     // between fetches because of signatures that do not fit
	named        = 30              // fetches a minute of addresses that requests name
	mostHeld     = 128             // addresses
	mostBytes    = 512 << 10       // of one answer
)

// Fetcher fetches and holds public keys. It is safe for concurrent use.
type Fetcher struct {
	open, guarded *http.Client // for addresses of the contract, and of requests
	mu            sync.Mutex
	held          map[string]*entry
	window        time.Time // the minute in which started is counted
	started       int
}

// entry is one address.
type entry struct {
	text    string // "" before the first success
	fetched time.Time
	until   time.Time
	begun   time.Time // of the last fetch
	failed  error     // of the last fetch
	flight  chan struct{}
	used    time.Time
}

// New makes a fetcher. nil is a client that refuses private addresses where a
// request names the address; a client of one's own does all calls.
func New(client *http.Client) *Fetcher {
	f := &Fetcher{held: map[string]*entry{}}
	if client != nil {
		f.open = plain(client)
		f.guarded = f.open
		return f
	}
	f.open = plain(&http.Client{Transport: dial.Transport(true, 1)})
	f.guarded = plain(&http.Client{Transport: dial.Transport(false, 1)})
	return f
}

// plain is a client that follows no redirect and keeps no cookies.
func plain(c *http.Client) *http.Client {
	return &http.Client{
		Transport: c.Transport, Timeout: fetchLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Get gives the keys at an address: held ones, or fetched ones. address is
// Source.URL, or what the request names. The error is *Refused or *Unavailable.
func (f *Fetcher) Get(ctx context.Context, s Source, address string, now time.Time) (string, error) {
	if s.URL == "" {
		if err := s.allow(address); err != nil {
			return "", err
		}
	}
	f.mu.Lock()
	e := f.entry(address, now)
	fresh := e.text != "" && now.Before(e.until)
	paused := e.failed != nil && now.Sub(e.begun) < afterFailure
	if fresh {
		if now.Sub(e.fetched) > s.age()/2 && e.flight == nil && !paused {
			f.begin(e, s, address, now)
		}
		text := e.text
		f.mu.Unlock()
		return text, nil
	}
	if e.flight == nil {
		switch {
		case paused:
			err := e.failed
			f.mu.Unlock()
			return "", err
		case s.URL == "" && !f.mayStart(now):
			f.mu.Unlock()
			return "", &Unavailable{errors.New("requests name too many addresses of keys")}
		}
		f.begin(e, s, address, now)
	}
	return f.await(ctx, e)
}

// Renew fetches keys again, at most once a minute an address, because a
// signature fits none of those that are held. It gives what is held then.
func (f *Fetcher) Renew(ctx context.Context, s Source, address string, now time.Time) (string, error) {
	f.mu.Lock()
	e := f.entry(address, now)
	if e.flight == nil {
		if e.text == "" || now.Sub(e.begun) < renewal && !now.Before(e.begun) {
			text := e.text
			f.mu.Unlock()
			return text, nil
		}
		f.begin(e, s, address, now)
	}
	return f.await(ctx, e)
}

// entry finds or makes the entry of an address; the mutex is held.
func (f *Fetcher) entry(address string, now time.Time) *entry {
	e := f.held[address]
	if e == nil {
		f.makeRoom()
		e = &entry{}
		f.held[address] = e
	}
	e.used = now
	return e
}

// makeRoom drops the address that was not asked for the longest.
func (f *Fetcher) makeRoom() {
	if len(f.held) < mostHeld {
		return
	}
	oldest := ""
	for address, e := range f.held {
		if e.flight == nil && (oldest == "" || e.used.Before(f.held[oldest].used)) {
			oldest = address
		}
	}
	delete(f.held, oldest)
}

// mayStart counts fetches that requests cause; the mutex is held.
func (f *Fetcher) mayStart(now time.Time) bool {
	if d := now.Sub(f.window); d < 0 || d >= time.Minute {
		f.window, f.started = now, 0
	}
	f.started++
	return f.started <= named
}

// begin starts a fetch that outlives the request; the mutex is held.
func (f *Fetcher) begin(e *entry, s Source, address string, now time.Time) {
	e.flight, e.begun = make(chan struct{}), now
	client := f.open
	if s.URL == "" {
		client = f.guarded
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), fetchLimit)
		defer cancel()
		text, until, err := fetch(ctx, client, s, address, now)
		f.mu.Lock()
		defer f.mu.Unlock()
		if err == nil {
			e.text, e.fetched, e.until, e.failed = text, now, until, nil
		} else {
			e.failed = &Unavailable{err}
		}
		close(e.flight)
		e.flight = nil
	}()
}

// await waits for the running fetch; the mutex is held, and let go.
func (f *Fetcher) await(ctx context.Context, e *entry) (string, error) {
	flight := e.flight
	f.mu.Unlock()
	select {
	case <-flight:
	case <-ctx.Done():
		return "", &Unavailable{ctx.Err()}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.failed != nil {
		return "", e.failed
	}
	return e.text, nil
}
