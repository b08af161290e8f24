package runtime

import (
	"bytes"
	"sync"
	"time"
)

const (
	// defaultAnswerBytes bounds the cache of committed answers.
	defaultAnswerBytes = 16 << 20
	// answerAge is how long an answer is given without a look into the database:
	// longer than a storm of retries, short enough that what an operator does to
	// a row shows soon.
	answerAge = time.Minute
	// answerOverhead is about what an entry costs beside its texts, in bytes.
	answerOverhead = 200
)

// answerCache remembers committed answers, so that an exact repeat needs no
// database. It only ever holds what a COMMIT has confirmed, and a settled row
// keeps its answer until its retention ends, on whatever node: that makes it
// right with several of them. Another body under a known key is not its
// business: conflicts are recorded in the database.
//
// It is two generations of maps: when the young one has half of the budget, the
// old one goes.
type answerCache struct {
	mu         sync.Mutex
	young, old map[string]answer
	size       int64 // of the young ones
	limit      int64
}

type answer struct {
	row  Result
	born time.Time
}

// newAnswerCache is nil where nothing is remembered.
func newAnswerCache(limit int64) *answerCache {
	switch {
	case limit < 0:
		return nil
	case limit == 0:
		limit = defaultAnswerBytes
	}
	return &answerCache{young: map[string]answer{}, limit: limit}
}

// find gives the row of a repeat.
func (a *answerCache) find(d *Delivery) (Result, bool) {
	if a == nil {
		return Result{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	got, ok := a.young[d.Key]
	if !ok {
		if got, ok = a.old[d.Key]; ok {
			a.put(d.Key, got)
		}
	}
	if !ok || time.Since(got.born) > answerAge || !bytes.Equal(got.row.Fingerprint, d.Fingerprint) {
		return Result{}, false
	}
	return got.row, true
}

// keep remembers a committed row.
func (a *answerCache) keep(key string, row Result) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.put(key, answer{row: row, born: time.Now()})
}

func (a *answerCache) put(key string, n answer) {
	if _, known := a.young[key]; !known {
		a.size += int64(len(key)+len(n.row.Fingerprint)+len(n.row.Response.ContentType)+len(n.row.Response.Body)) + answerOverhead
	}
	a.young[key] = n
	if a.size > a.limit/2 {
		a.old, a.young, a.size = a.young, map[string]answer{}, 0
	}
}
