package project

import (
	"errors"
	"path/filepath"

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

func (p *Project) onDisk(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }
