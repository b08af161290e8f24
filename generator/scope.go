package generator

import (
	"slices"
	"strings"
)

// scope gives names out, each once.
type scope struct {
	taken map[string]bool
}

func newScope(reserved ...string) *scope {
	s := &scope{taken: map[string]bool{}}
	for _, name := range reserved {
		s.taken[name] = true
	}
	return s
}

// claim is one wish for a name.
type claim struct {
	wish   string // the name it would have
	origin string // what makes it another's: a wire name, a pointer
	give   func(name string)
}

// settle gives every claim of one rank a name. Where several want one, the one
// that is spelled so keeps it, else the first in the order of origins; the
// others get a suffix that follows from their own origin alone.
func (s *scope) settle(claims []claim) {
	claims = slices.Clone(claims)
	slices.SortStableFunc(claims, func(a, b claim) int {
		if c := strings.Compare(a.wish, b.wish); c != 0 {
			return c
		}
		if exactA, exactB := a.origin == a.wish, b.origin == b.wish; exactA != exactB {
			if exactA {
				return -1
			}
			return 1
		}
		return strings.Compare(a.origin, b.origin)
	})
	for _, c := range claims {
		c.give(s.take(c.wish, c.origin))
	}
}

// take gives wish, or wish with a suffix made of origin.
func (s *scope) take(wish, origin string) string {
	name := wish
	for salt := origin; s.taken[name]; salt += "'" {
		name = wish + "X" + hash4(salt)
	}
	s.taken[name] = true
	return name
}
