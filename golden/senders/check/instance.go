package check

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"

	whrt "github.com/whgen/whgen/runtime"
	_ "modernc.org/sqlite" // the engine of the check
)

// instance is a receiver on a database of its own.
type instance struct {
	*Receiver
	db       *sql.DB
	folder   string
	mux      *http.ServeMux
	counters whrt.Counters
	heard    heard
	taken    map[string]int64 // outcomes so far
}

type heard struct {
	whrt.NoObserver
	mu  sync.Mutex
	all []whrt.Attempt // of the request: one, or one an element
}

// take is what was heard since the last time.
func (h *heard) take() []whrt.Attempt {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.all
	h.all = nil
	return all
}

func (h *heard) Attempt(_ context.Context, a whrt.Attempt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, a)
}

func (r *Receiver) start(ctx context.Context) (*instance, error) {
	folder, err := os.MkdirTemp("", "senders")
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(folder, "check.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err != nil {
		return nil, err
	}
	one := &instance{Receiver: r, db: db, folder: folder, mux: http.NewServeMux(), taken: map[string]int64{}}
	if err := r.Migrate(ctx, db); err != nil {
		return nil, errors.Join(err, one.close())
	}
	secrets := whrt.SecretsMap{}
	for _, e := range r.Definition.Endpoints {
		for _, s := range e.Scheme.Secrets {
			secrets[s.Name] = secret(e.Scheme)
		}
	}
	receiver, err := whrt.NewReceiver(ctx, r.Definition, r.Store(db), whrt.Options{
		Secrets: secrets, Observer: whrt.Observers(&one.counters, &one.heard), NoRelay: true, PublicURL: "https://receiver.invalid" + mount,
	})
	if err != nil {
		return nil, errors.Join(err, one.close())
	}
	receiver.Handle(one.mux, mount)
	return one, nil
}

func (i *instance) close() error { return errors.Join(i.db.Close(), os.RemoveAll(i.folder)) }

// send delivers a payload and gives the answer and what was heard.
func (i *instance) send(x expectation, body []byte, id string) (*httptest.ResponseRecorder, []whrt.Attempt, error) {
	req, err := i.request(x, body, id)
	if err != nil {
		return nil, nil, err
	}
	w := httptest.NewRecorder()
	i.mux.ServeHTTP(w, req)
	all := i.heard.take()
	for _, a := range all {
		i.taken[a.Outcome.String()]++
	}
	return w, all, nil
}

// deliver sends a payload and holds outcome and answer against the contract.
func (i *instance) deliver(x expectation, body []byte, id string, want whrt.Outcome) (whrt.Attempt, error) {
	w, all, err := i.send(x, body, id)
	if err != nil {
		return whrt.Attempt{}, err
	}
	if len(all) != 1 {
		return whrt.Attempt{}, fmt.Errorf("%d attempts were heard; want one", len(all))
	}
	switch a := all[0]; {
	case a.Outcome != want:
		return a, fmt.Errorf("the outcome is %s (%s, %v); want %s", a.Outcome, a.Reason, a.Err, want)
	case w.Code != a.Status || w.Code/100 != 2:
		return a, fmt.Errorf("%s is answered %d", want, w.Code)
	default:
		return a, nil
	}
}

// counts holds the counters and the inbox against what was heard.
func (i *instance) counts(ctx context.Context) error {
	var rows int64
	if err := i.db.QueryRowContext(ctx, "SELECT count(*) FROM "+i.Definition.Table).Scan(&rows); err != nil {
		return fmt.Errorf("count the inbox: %w", err)
	}
	// Types that nobody listed have a row only where they have a key.
	least := i.taken["processed"] + i.taken["rejected"]
	if rows < least || rows > least+i.taken["ignored"] {
		return fmt.Errorf("%s: %v, but %d rows", i.Definition.Source, i.taken, rows)
	}
	if counted := i.counters.Outcomes(); !maps.Equal(counted, i.taken) {
		return fmt.Errorf("%s: counted %v; want %v", i.Definition.Source, counted, i.taken)
	}
	return nil
}
