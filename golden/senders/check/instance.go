package check

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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
	taken    int64
}

type heard struct {
	whrt.NoObserver
	mu   sync.Mutex
	last whrt.Attempt
}

func (h *heard) Attempt(_ context.Context, a whrt.Attempt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = a
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
	one := &instance{Receiver: r, db: db, folder: folder, mux: http.NewServeMux()}
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

// deliver sends a payload and holds outcome and answer against the contract.
func (i *instance) deliver(x expectation, body []byte, id string, want whrt.Outcome) (whrt.Attempt, error) {
	req, err := i.request(x, body, id)
	if err != nil {
		return whrt.Attempt{}, err
	}
	w := httptest.NewRecorder()
	i.mux.ServeHTTP(w, req)
	i.heard.mu.Lock()
	defer i.heard.mu.Unlock()
	a := i.heard.last
	switch {
	case a.Outcome != want:
		return a, fmt.Errorf("the outcome is %s (%s, %v); want %s", a.Outcome, a.Reason, a.Err, want)
	case w.Code != a.Status || w.Code/100 != 2:
		return a, fmt.Errorf("%s is answered %d", want, w.Code)
	}
	if want == whrt.Processed {
		i.taken++
	}
	return a, nil
}

// counts holds the counters and the inbox against what was taken.
func (i *instance) counts(ctx context.Context) error {
	var rows int64
	if err := i.db.QueryRowContext(ctx, "SELECT count(*) FROM "+i.Definition.Table).Scan(&rows); err != nil {
		return fmt.Errorf("count the inbox: %w", err)
	}
	processed, repeated := i.counters.Outcome(whrt.Processed), i.counters.Outcome(whrt.Duplicate)
	if rows != i.taken || processed != i.taken || repeated != i.taken {
		return fmt.Errorf("%s: %d taken, but %d rows, %d counted as processed, %d as duplicate", i.Definition.Source, i.taken, rows, processed, repeated)
	}
	return nil
}
