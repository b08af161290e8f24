package tree

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/whgen/whgen/generator/lock"
)

// Drift reports whether Apply would change anything that is the generator's.
// A scaffold that is missing is no drift: it is the user's to delete.
func (c *Changes) Drift() bool {
	for _, e := range c.Edits {
		if !e.Once {
			return true
		}
	}
	return c.Findings.HasErrors()
}

// Diff is the difference as a unified diff, sorted by path, with \n line ends.
func (c *Changes) Diff() []byte {
	var b bytes.Buffer
	for _, e := range c.Edits {
		from, to := "a/"+e.Path, "b/"+e.Path
		switch {
		case e.Once:
			continue
		case e.Kind == Add:
			from = "/dev/null"
		case e.Kind == Remove:
			to = "/dev/null"
		}
		b.Write(diff.Diff(from, lock.Normal(e.Old), to, lock.Normal(e.New)))
	}
	return b.Bytes()
}
