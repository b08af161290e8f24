// Package generator turns a resolved contract into the files of a receiver.
//
// NewPlan makes every choice: names in Go and SQL, payload types, tables, what
// the acceptance test is told. Generate writes the plan down: emitters (files
// named emit_*.go, one per output file) for Go whose shape follows the
// contract, templates for what is mostly constant. Both are pure: no files, no
// clock, no environment; the same contract gives the same bytes.
package generator
