package project

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/generator/tree"
	"github.com/whgen/whgen/spec"
)

// Summary is what a person is told about one receiver.
type Summary struct {
	Source     string
	Contract   string // whgen.yaml's words
	Overlays   int
	Out        string
	Events     int
	Effects    int
	Key        string // such as "header:webhook-id (signed)"; "" where events differ
	Retention  string // such as "7d"; "" where events differ
	Wrote      int    // or would write, in a check
	Removed    int
	Migrations []string // among those written
	Scaffolds  []string // among those written
	Excepted   []string // endpoints that the acceptance test leaves out, and why
	Unchanged  int
}

func (w *work) summary() Summary {
	c := w.contract
	s := Summary{
		Source: c.Source, Contract: c.Receiver.Contract, Overlays: len(c.Receiver.Overlays), Out: w.plan.Out,
		Events: len(c.Events), Key: common(c.Events, keyText(c)), Unchanged: w.changes.Unchanged, Excepted: w.plan.Excepted,
		Retention: common(c.Events, func(e *spec.Event) string { return generator.Duration(e.Retention) }),
	}
	names := map[string]bool{}
	for _, e := range c.Events {
		for _, one := range e.Effects {
			names[one.Name] = true
		}
	}
	s.Effects = len(names)
	for _, e := range w.changes.Edits {
		switch {
		case e.Kind == tree.Remove:
			s.Removed++
			continue
		case e.Append:
			s.Migrations = append(s.Migrations, path.Base(e.Path))
		case e.Once:
			s.Scaffolds = append(s.Scaffolds, e.Path)
		}
		s.Wrote++
	}
	return s
}

// keyText says what identifies an event.
func keyText(c *spec.Contract) func(*spec.Event) string {
	return func(e *spec.Event) string {
		if e.Derived != nil {
			return "derived from the content"
		}
		var parts []string
		for _, s := range e.Key {
			text := s.Text()
			if s.Kind == spec.SelectSigned || isSignedID(c, s) {
				text += " (signed)"
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, " + ")
	}
}

func isSignedID(c *spec.Contract, s spec.Selector) bool {
	return s.Kind == spec.SelectHeader && slices.ContainsFunc(c.Endpoints, func(e *spec.Endpoint) bool {
		return e.Signature != nil && e.Signature.ID != nil && strings.EqualFold(e.Signature.ID.Text(), s.Text())
	})
}

func common(events []*spec.Event, text func(*spec.Event) string) string {
	said := ""
	for i, e := range events {
		if one := text(e); i > 0 && one != said {
			return ""
		} else {
			said = one
		}
	}
	return said
}

// String is the block that generate prints, without a final line end.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-9s %s%s -> %s\n", s.Source, s.Contract, overlays(s.Overlays), s.Out)
	fmt.Fprintf(&b, "%10s%s, %s", "", count(s.Events, "event"), count(s.Effects, "effect"))
	fmt.Fprintf(&b, ", key %s", cmp.Or(s.Key, "differs by event"))
	fmt.Fprintf(&b, ", retention %s\n", cmp.Or(s.Retention, "differs by event"))
	fmt.Fprintf(&b, "%10swrote %s", "", count(s.Wrote, "file"))
	for _, m := range s.Migrations {
		fmt.Fprintf(&b, ", migration %s", m)
	}
	if s.Removed > 0 {
		fmt.Fprintf(&b, ", removed %d", s.Removed)
	}
	fmt.Fprintf(&b, "; %d unchanged", s.Unchanged)
	for _, text := range s.Excepted {
		fmt.Fprintf(&b, "\n%10snot in the acceptance test: %s", "", text)
	}
	for _, name := range s.Scaffolds {
		fmt.Fprintf(&b, "\n%10syours from now on: %s", "", name)
	}
	return b.String()
}

func overlays(n int) string {
	if n == 0 {
		return ""
	}
	return " + " + count(n, "overlay")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
