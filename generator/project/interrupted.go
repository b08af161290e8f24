package project

import (
	"fmt"

	"github.com/whgen/whgen/generator/tree"
	"github.com/whgen/whgen/spec"
)

// interrupted is a check's finding about what a killed run has left.
func (p *Project) interrupted(r *tree.Recovery) spec.Diagnostic {
	d := spec.Diagnostic{
		Pos: spec.Pos{File: p.path(tree.JournalName)}, Severity: spec.Error, Rule: "run-interrupted",
		Message: "an earlier run was interrupted before it changed anything; its unfinished files are still there",
		Hint:    "run whgen generate: it removes them",
	}
	if r.Ready {
		d.Message = fmt.Sprintf("an earlier run was interrupted while it put %s in place: the folder may hold old and new ones", count(r.Done, "file"))
		d.Hint = "run whgen generate: it completes that run first"
	}
	return d
}
