package initial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// batchNames are members that hold the events of a batch at the senders that
// are known to batch.
var batchNames = []string{"events", "notificationItems", "notifications", "webhookEvents", "entry", "records", "messages"}

// items finds out whether a body is a batch: an array of objects of such a
// name, beside which nothing tells what happened.
func (p *proposer) items() {
	if items := p.facts[p.sender.preset].Items; items != "" {
		before, _, _ := strings.Cut(items, "/*")
		p.pointer, p.batch = items, true // the preset brings it
		p.split(before + "/*")
		return
	}
	for _, name := range batchNames {
		pointer := "/" + name + "/*"
		if !p.split(pointer) {
			continue
		}
		p.pointer, p.batch = pointer+wrapper(p.taken, pointer), spec.Generated("event", "items")
		if p.batch {
			p.note("event.items %s: an array of objects in the body of %s, beside which nothing tells type or id", p.pointer, each(len(p.taken)))
		}
		return
	}
}

// split takes the entries that hold a batch and leaves out the others, where
// most of them do.
func (p *proposer) split(pointer string) bool {
	var batch, other []*entry
	for _, e := range p.taken {
		if holdsBatch(e, pointer) {
			batch = append(batch, e)
		} else {
			other = append(other, e)
		}
	}
	if len(batch) <= len(other) {
		return false
	}
	p.taken = batch
	for _, e := range other {
		p.left = append(p.left, leftOut{e.Name, "because they hold no batch while the others do"})
	}
	return true
}

// holdsBatch reports whether a body has an array of objects, and beside it
// neither a type nor an id.
func holdsBatch(e *entry, pointer string) bool {
	i := slices.IndexFunc(e.Members, func(m spec.Member) bool { return m.Pointer == pointer })
	return i >= 0 && slices.Contains(e.Members[i].Kinds, "object") && !slices.ContainsFunc(e.Members, func(m spec.Member) bool {
		return depth(m) == 1 && (rank(m, typeNames) >= 0 || rank(m, idNames) >= 0)
	})
}

// wrapper is the only member that every element has, where that is an object:
// the event stands in it.
func wrapper(batch []*entry, pointer string) string {
	name := ""
	for i, e := range batch {
		var own []spec.Member
		for _, m := range e.Members {
			if rest, ok := strings.CutPrefix(m.Pointer, pointer+"/"); ok && !strings.Contains(rest, "/") {
				own = append(own, m)
			}
		}
		if len(own) != 1 || !slices.Contains(own[0].Kinds, "object") || i > 0 && own[0].Pointer != name {
			return ""
		}
		name = own[0].Pointer
	}
	return strings.TrimPrefix(name, pointer)
}

func each(n int) string {
	if n == 1 {
		return "the entry"
	}
	return fmt.Sprintf("each of %d entries", n)
}
