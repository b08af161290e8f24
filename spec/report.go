package spec

import "fmt"

// report collects findings; every reader below carries the same one, so that
// a user sees all of them at once.
type report struct {
	found Diagnostics
	items string // event.items of the endpoint that is being read
}

func (r *report) add(at Pos, s Severity, rule, hint, format string, args ...any) {
	r.found = append(r.found, Diagnostic{
		Pos: at, Severity: s, Rule: rule, Hint: hint, Message: fmt.Sprintf(format, args...),
	})
}

func (r *report) err(at Pos, rule, hint, format string, args ...any) {
	r.add(at, Error, rule, hint, format, args...)
}

func (r *report) warn(at Pos, rule, hint, format string, args ...any) {
	r.add(at, Warning, rule, hint, format, args...)
}

func (r *report) info(at Pos, rule, hint, format string, args ...any) {
	r.add(at, Info, rule, hint, format, args...)
}

// later reports something of the vocabulary that this version does not generate.
func (r *report) later(at Pos, format string, args ...any) {
	r.err(at, "not-supported-yet", "", "%s is not supported yet", fmt.Sprintf(format, args...))
}
