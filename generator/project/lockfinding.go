package project

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/whgen/whgen/generator/lock"
	"github.com/whgen/whgen/spec"
)

func lockFinding(name string, err error) spec.Diagnostic {
	d := spec.Diagnostic{
		Pos: spec.Pos{File: name, Line: 1, Column: 1}, Severity: spec.Error, Rule: "lock-unreadable", Message: err.Error(),
		Hint: "delete it and generate again; files that were edited by hand are not recognised then",
	}
	switch {
	case errors.Is(err, lock.ErrConflict):
		d.Rule, d.Hint = "lock-conflict", "delete the file and generate again: it is written anew"
	case errors.Is(err, lock.ErrNewer):
		d.Rule, d.Hint = "lock-newer", "use the whgen that wrote it: go get -tool github.com/whgen/whgen/cmd/whgen@latest"
	}
	return d
}

// gained warns of what the document can send since the last generation, and this
// receiver does not take. What was left out before was left out knowingly.
func (w *work) gained() spec.Diagnostics {
	var found spec.Diagnostics
	for _, u := range w.contract.Uncovered {
		if !slices.Contains(w.old.Uncovered, u.Name) {
			found = append(found, spec.Diagnostic{
				Pos: u.Pos, Severity: spec.Warning, Rule: "entry-gained",
				Message: fmt.Sprintf("the document has %q since the last generation; this receiver does not take it", u.Name),
				Hint:    "write x-whgen on it, or an event of that type, if it shall be received; the next generation is silent about it",
			})
		}
	}
	return found
}

func (p *Project) onDisk(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }
