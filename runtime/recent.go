package runtime

import (
	"container/list"
	"sync"
)

// recent holds the last few values by name: when it is full, what was not asked
// for the longest is dropped. It is safe for concurrent use.
type recent[V any] struct {
	mu     sync.Mutex
	most   int
	order  *list.List // of *recentEntry[V], the newest in front
	byName map[string]*list.Element
}

type recentEntry[V any] struct {
	name  string
	value V
}

func newRecent[V any](most int) *recent[V] {
	return &recent[V]{most: most, order: list.New(), byName: map[string]*list.Element{}}
}

func (r *recent[V]) get(name string) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.byName[name]
	if !ok {
		return v, false
	}
	r.order.MoveToFront(e)
	return e.Value.(*recentEntry[V]).value, true
}

// getOr gives what is held, or holds what fresh gives.
func (r *recent[V]) getOr(name string, fresh func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.byName[name]; ok {
		r.order.MoveToFront(e)
		return e.Value.(*recentEntry[V]).value
	}
	v := fresh()
	r.add(name, v)
	return v
}

func (r *recent[V]) put(name string, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.byName[name]; ok {
		e.Value.(*recentEntry[V]).value = v
		r.order.MoveToFront(e)
		return
	}
	r.add(name, v)
}

func (r *recent[V]) add(name string, v V) {
	r.byName[name] = r.order.PushFront(&recentEntry[V]{name, v})
	for r.order.Len() > r.most {
		last := r.order.Back()
		r.order.Remove(last)
		delete(r.byName, last.Value.(*recentEntry[V]).name)
	}
}

func (r *recent[V]) drop(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.byName[name]; ok {
		r.order.Remove(e)
		delete(r.byName, name)
	}
}
