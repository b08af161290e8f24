package runtime

import (
	"fmt"
	"testing"
	"time"
)

func row(fingerprint string) Result {
	return Result{Found: Stored, Fingerprint: []byte(fingerprint), Status: StatusDone, Response: StoredResponse{Status: 200}}
}

func TestARepeatNeedsNoDatabaseForAMinute(t *testing.T) {
	h := newHarness(t, nil)
	h.want(h.send(paid("e1", "o1", 5)), Processed, 200)
	asked := h.store.asked()
	got := h.send(paid("e1", "o1", 5))
	h.want(got, Duplicate, 200)
	if got.body != `{"ok":true}` || h.store.asked() != asked {
		t.Errorf("body %q, database asked %d times more; want the stored answer without the database", got.body, h.store.asked()-asked)
	}
	h.want(h.send(paid("e1", "o1", 6)), Conflict, 409)
	if h.store.conflicts["e1"] != 1 {
		t.Errorf("conflicts are %v, want one recorded", h.store.conflicts)
	}
}

func TestWithoutTheCacheTheDatabaseIsAsked(t *testing.T) {
	h := newHarness(t, nil)
	h.rcv = h.start(Options{AnswerBytes: -1})
	h.want(h.send(paid("e1", "o1", 5)), Processed, 200)
	asked := h.store.asked()
	h.want(h.send(paid("e1", "o1", 5)), Duplicate, 200)
	if h.store.asked() == asked {
		t.Error("the database was not asked")
	}
}

func TestWhatFailedIsNotRemembered(t *testing.T) {
	c := newAnswerCache(0)
	if _, ok := c.find(&Delivery{Key: "a", Fingerprint: []byte("x")}); ok {
		t.Error("found what nobody kept")
	}
	c.keep("a", row("x"))
	if _, ok := c.find(&Delivery{Key: "a", Fingerprint: []byte("y")}); ok {
		t.Error("another body is no repeat")
	}
	if got, ok := c.find(&Delivery{Key: "a", Fingerprint: []byte("x")}); !ok || got.Response.Status != 200 {
		t.Errorf("got %+v, %v; want the stored answer", got, ok)
	}
	old := c.young["a"]
	old.born = old.born.Add(-answerAge - time.Second)
	c.young["a"] = old
	if _, ok := c.find(&Delivery{Key: "a", Fingerprint: []byte("x")}); ok {
		t.Error("an old answer is given without the database")
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	const limit = 100_000
	c := newAnswerCache(limit)
	for i := range 10_000 {
		c.keep(fmt.Sprint("key", i), row("x"))
		c.find(&Delivery{Key: "key0", Fingerprint: []byte("x")}) // what is asked for stays
	}
	if n := len(c.young) + len(c.old); n > limit/answerOverhead || n < limit/answerOverhead/4 {
		t.Errorf("%d entries in %d bytes", n, limit)
	}
	if _, ok := c.find(&Delivery{Key: "key0", Fingerprint: []byte("x")}); !ok {
		t.Error("the entry that was asked for all the time is gone")
	}
	if _, ok := c.find(&Delivery{Key: "key1", Fingerprint: []byte("x")}); ok {
		t.Error("an entry that nobody asked for is still there")
	}
}
