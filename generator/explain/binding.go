package explain

import "github.com/whgen/whgen/spec"

// Binding is what a verified signature proves about a request.
type Binding interface {
	// Body reports whether every byte of the body is covered.
	Body() bool
	// Value reports whether a selected value cannot be changed.
	Value(s spec.Selector) bool
	// Fresh reports whether a request stops being valid by its age.
	Fresh() bool
	// Weak says why the scheme protects less than one would think, if it does.
	Weak() []string
}

// Declared is the Binding of a scheme as package spec analyses it: nothing is
// covered where there is none.
func Declared(s *spec.Scheme) Binding { return declared{s} }

type declared struct{ *spec.Scheme }

func (d declared) Body() bool { return d.Scheme.Body() == spec.BoundWhole }

func (d declared) Value(v spec.Selector) bool { return v.Kind == spec.SelectConst || d.Covers(v) }

func (d declared) Weak() []string {
	if d.Scheme == nil {
		return []string{"No signature is declared: anybody can deliver events."}
	}
	var all []string
	for _, doubt := range d.Doubts() {
		all = append(all, capital(doubt)+".")
	}
	if d.Binds() && !d.Fresh() {
		all = append(all, "No signed time limits how long a captured request stays valid: only the kept event key refuses it.")
	}
	return all
}
