package payload

import "github.com/go-json-experiment/json/jsontext"

// Raw is a JSON value as it came.
type Raw = jsontext.Value

// Rest is what an object held beside its typed fields. Written back, it gives
// the object its unknown members and odd values again. A typed field that is
// set after decoding wins over an odd value of the same name.
type Rest struct {
	// Members are the unknown and the odd ones, in the order received.
	Members []Member
	// Missing are required members that were not there.
	Missing []string
	// Whole is set where the value was no object at all; then the typed fields
	// are empty, and Whole is what is written back.
	Whole Raw
}

// Member is a member of an object that no typed field holds.
type Member struct {
	Name  string
	Value Raw
	Odd   bool // the document lists the member, but with another type of value
}

// Get is the value of an unknown or odd member.
func (r *Rest) Get(name string) (Raw, bool) {
	for i := range r.Members {
		if r.Members[i].Name == name {
			return r.Members[i].Value, true
		}
	}
	return nil, false
}

// Odd reports whether anything deviated from the document in this very object.
func (r *Rest) Odd() bool {
	if r.Whole != nil || len(r.Missing) > 0 {
		return true
	}
	for i := range r.Members {
		if r.Members[i].Odd {
			return true
		}
	}
	return false
}

// deviates reports whether the named member was missing or odd.
func (r *Rest) deviates(name string) bool {
	for _, m := range r.Missing {
		if m == name {
			return true
		}
	}
	for i := range r.Members {
		if r.Members[i].Odd && r.Members[i].Name == name {
			return true
		}
	}
	return false
}

// Deviation is a place where a body differs from the document.
type Deviation struct {
	Pointer string // JSON Pointer
	Kind    string // "type", "missing", or the runtime's "enum"
}
