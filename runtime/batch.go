package runtime

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// batchWorkers is how many chains of one batch are worked on at once: enough
// that two shared transactions are full.
const batchWorkers = 2 * defaultBatch

// items is where a batch has its elements.
type items struct {
	root  *node // what is read of an element
	slots int
	array int      // slot of the (outermost) array in the whole body
	tail  []string // from an element of that array to the event; "*" is every element of another one
}

// compileItems reads a pointer with at least one "*" in it: /events/*, /*,
// /items/*/Item, /entry/*/changes/*.
func (c *compiler) compileItems(pointer string) (*items, error) {
	before, after, found := strings.Cut(pointer, "/*")
	if !found || after != "" && after[0] != '/' || !validPointer(before) || !validPointer(after) {
		return nil, fmt.Errorf("items %q is no pointer to the elements of an array", pointer)
	}
	out := &items{root: newNode(), array: c.root.add(before, &c.slots)}
	if after != "" {
		for token := range strings.SplitSeq(after[1:], "/") {
			out.tail = append(out.tail, unescapePointer(token))
		}
	}
	return out, nil
}

// bodySlot makes room for a pointer into the event: the whole body, or the
// element of a batch.
func (c *compiler) bodySlot(pointer string) int {
	if c.items != nil {
		return c.items.root.add(pointer, &c.items.slots)
	}
	return c.root.add(pointer, &c.slots)
}

// element is one event of a batch.
type element struct {
	rq *request
	d  *Delivery // nil: decided without the database
	v  verdict
}

// batch takes the elements of one request as events of their own, and folds
// what they come to into one answer: failed where any failed, else inProgress
// where any is, else processed, also for an empty batch.
//
// Elements with one key, or whose record effects write one business row, are
// worked on in their order; so are all of them where a handler is called. The
// others go at once and share transactions.
func (rq *request) batch() verdict {
	raw, p := rq.elements()
	if p != nil {
		return decided(p.outcome, p.reason)
	}
	if len(raw) == 0 { // acknowledged; nothing was processed
		rq.batched = []*element{{rq: rq, v: decided(Ignored, "the batch is empty")}}
		return decided(Processed, "the batch is empty")
	}
	all := make([]*element, len(raw))
	for i := range raw {
		all[i] = rq.element(raw[i])
	}
	var working sync.WaitGroup
	free := make(chan struct{}, batchWorkers)
	for _, chain := range chains(all) {
		free <- struct{}{}
		working.Go(func() {
			for _, e := range chain {
				e.work()
			}
			<-free
		})
	}
	working.Wait()
	rq.batched = all
	return fold(all)
}

// piece is an element of a batch as it came, and the event in it: nil where the
// tail leads nowhere.
type piece struct{ around, event jsontext.Value }

// elements are the raw events of the body.
func (rq *request) elements() ([]piece, *problem) {
	list := rq.slot(rq.endpoint.items.array)
	if len(list) == 0 || list[0] != '[' {
		return nil, malformed("the batch has no array of elements")
	}
	return gather(nil, list, rq.endpoint.items.tail), nil
}

// gather adds the events of an array, which scan has validated.
func gather(all []piece, list jsontext.Value, tail []string) []piece {
	dec := jsontext.NewDecoder(bytes.NewBuffer(list))
	if _, err := dec.ReadToken(); err != nil {
		return all
	}
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return all
		}
		end := dec.InputOffset()
		all = follow(all, list[end-int64(len(v)):end:end], tail)
	}
	return all
}

// follow goes from an element of an array to the event, or the events, in it.
func follow(all []piece, element jsontext.Value, tail []string) []piece {
	v := element
	for i, name := range tail {
		if name == "*" && v[0] == '[' {
			return gather(all, v, tail[i+1:])
		}
		if v = member(v, name); v == nil {
			break
		}
	}
	return append(all, piece{element, v})
}

// member is a member of an object; nil without.
func member(v jsontext.Value, name string) jsontext.Value {
	slots := make([]jsontext.Value, 1)
	root := newNode()
	root.step(name).slot = 0
	if v[0] != '{' || name == "*" || scan(root, v, slots) != nil {
		return nil
	}
	return slots[0]
}

// element judges one event up to the database. One that would be malformed
// alone is kept as rejected, under a key that no event has, so that it neither
// holds up the others nor is acknowledged and lost.
func (rq *request) element(raw piece) *element {
	own := *rq
	own.whole, own.slots, own.batched = rq.slots, nil, nil
	e := &element{rq: &own}
	own.body, own.doc, own.json = raw.event, raw.event, true
	p := malformed("the element has no event in it")
	if own.body != nil {
		own.slots = make([]jsontext.Value, rq.endpoint.items.slots)
		if err := scan(rq.endpoint.items.root, own.body, own.slots); err != nil {
			own.slots = nil
		}
		p = own.classify()
	}
	switch {
	case p == nil && own.event == nil:
		own.unlistedElement(e)
	case p == nil:
		e.d, p = own.delivery()
	}
	if p != nil && p.outcome == Malformed {
		if own.body == nil {
			own.body, own.doc = raw.around, raw.around
		}
		e.d = own.quarantined(p.reason)
	} else if p != nil {
		e.v = decided(p.outcome, p.reason)
	}
	return e
}

// unlistedElement applies the policy for types that nobody listed.
func (rq *request) unlistedElement(e *element) {
	if rq.endpoint.Unknown == UnknownRetry {
		e.v = verdict{outcome: Failed, class: "type", reason: "nobody listed the event type"}
		return
	}
	if e.d = rq.unlisted(); e.d == nil {
		e.v = decided(Ignored, "nobody listed the event type")
	}
}

// quarantined is an event without a usable key as a rejected row. `\!` is in
// no encoded key.
func (rq *request) quarantined(reason string) *Delivery {
	sum, _ := rq.digest(&members{raw: true}) // raw bytes have no problem
	var buf [128]byte
	key := appendHex(append(rq.scope(buf[:0]), `\!`...), sum)
	d := rq.newDelivery(string(key), sum)
	rq.seen.Key = d.Key
	d.Event, d.Deadline = -1, rq.start.Add(rq.timing().Deadline)
	rq.endAs(d, StatusRejected, reason)
	return d
}

// work brings the element into the database, unless the sender's patience has
// ended: then what has not begun is left to its next attempt.
func (e *element) work() {
	switch {
	case e.d == nil:
	case time.Since(e.rq.start) >= e.rq.timing().AnswerWithin:
		e.v = decided(InProgress, "the batch takes longer than the sender waits")
	default:
		e.v = e.rq.process(e.d)
	}
}

// chains groups elements that have to be worked on one after the other. A chain
// keeps the order of the batch.
func chains(all []*element) [][]*element {
	of := make([]int, len(all)) // chain of an element: index of its first
	last := map[string]int{}
	for i, e := range all {
		of[i] = i
		for _, name := range e.names() {
			if before, known := last[name]; known {
				join(of, before, i)
			}
			last[name] = i
		}
	}
	byFirst := make(map[int][]*element, len(all))
	var order []int
	for i, e := range all {
		first := find(of, i)
		if byFirst[first] == nil {
			order = append(order, first)
		}
		byFirst[first] = append(byFirst[first], e)
	}
	out := make([][]*element, len(order))
	for i, first := range order {
		out[i] = byFirst[first]
	}
	return out
}

func find(of []int, i int) int {
	for of[i] != i {
		of[i] = of[of[i]]
		i = of[i]
	}
	return i
}

func join(of []int, i, j int) {
	a, b := find(of, i), find(of, j)
	of[max(a, b)] = min(a, b)
}

// names are what an element shares with those it has to wait for.
func (e *element) names() []string {
	if e.d == nil {
		return nil
	}
	names := append(e.rq.businessRows(e.d), "\x00key\x00"+e.d.Key)
	if e.d.Status == StatusDone && e.rq.event != nil && e.rq.event.Handler {
		names = append(names, "\x00handler")
	}
	return names
}

// fold makes one answer of all elements.
func fold(all []*element) verdict {
	rank := []Outcome{Failed, InProgress}
	for _, o := range rank {
		i := slices.IndexFunc(all, func(e *element) bool { return e.v.outcome == o })
		if i < 0 {
			continue
		}
		v := verdict{outcome: o, reason: all[i].v.reason, class: all[i].v.class, err: all[i].v.err}
		for _, e := range all {
			if e.v.outcome == o {
				v.retryAfter = max(v.retryAfter, e.v.retryAfter)
			}
		}
		return v
	}
	return decided(Processed, "")
}
