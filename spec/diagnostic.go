package spec

import (
	"fmt"
	"sort"
	"strings"
)

// Pos is a place in a file that the user wrote. Line and Column count from 1;
// zero is unknown. Columns count bytes.
type Pos struct {
	File   string
	Line   int
	Column int
}

// String is file:line:column, without the parts that are unknown.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// Severity ranks a diagnostic.
type Severity int

// Error is what loses or doubles events or cannot be generated, Warning what
// surprises, Info the rest.
const (
	Error Severity = iota
	Warning
	Info
)

// String is "error", "warning" or "information".
func (s Severity) String() string {
	return [...]string{"error", "warning", "information"}[s]
}

// Diagnostic is one finding about a contract.
type Diagnostic struct {
	Pos      Pos
	Severity Severity
	Message  string // without a final full stop; names the subject first, such as `event "order.paid": ...`
	Hint     string // what to write instead; may be empty
	Rule     string // stable identifier, kebab-case
}

// String is the line that a user sees, and the hint on a line of its own.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.Pos.String())
	b.WriteString(": ")
	if d.Severity != Error {
		b.WriteString(d.Severity.String())
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "%s [%s]", d.Message, d.Rule)
	if d.Hint != "" {
		b.WriteString("\n\thint: ")
		b.WriteString(d.Hint)
	}
	return b.String()
}

// Diagnostics are findings; Sort puts them in the order that users see.
type Diagnostics []Diagnostic

// Sort orders by file, line, column, severity, rule and message, and drops
// exact repeats.
func (d *Diagnostics) Sort() {
	sort.SliceStable(*d, func(i, j int) bool {
		a, b := (*d)[i], (*d)[j]
		switch {
		case a.Pos.File != b.Pos.File:
			return a.Pos.File < b.Pos.File
		case a.Pos.Line != b.Pos.Line:
			return a.Pos.Line < b.Pos.Line
		case a.Pos.Column != b.Pos.Column:
			return a.Pos.Column < b.Pos.Column
		case a.Severity != b.Severity:
			return a.Severity < b.Severity
		case a.Rule != b.Rule:
			return a.Rule < b.Rule
		default:
			return a.Message < b.Message
		}
	})
	kept := (*d)[:0]
	for i, one := range *d {
		if i == 0 || one != kept[len(kept)-1] {
			kept = append(kept, one)
		}
	}
	*d = kept
}

// HasErrors reports whether any finding is an Error.
func (d Diagnostics) HasErrors() bool {
	for _, one := range d {
		if one.Severity == Error {
			return true
		}
	}
	return false
}
