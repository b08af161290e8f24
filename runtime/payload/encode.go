package payload

import (
	"bytes"
	"slices"
)

// Writer writes one object: the typed fields by Put, then what Rest holds.
type Writer struct {
	b     []byte
	rest  *Rest
	start int
	set   []string // odd members that a typed field has taken the place of
}

// Begin starts an object behind b. rest may be nil.
func Begin(b []byte, rest *Rest) *Writer {
	if rest == nil {
		rest = &Rest{}
	}
	return &Writer{b: append(b, '{'), rest: rest, start: len(b)}
}

// Put writes a member. One that was missing or odd when it was read, and that
// nobody has set since, is left to Rest.
func Put[T any](w *Writer, name string, v T, put func(T, []byte) []byte) {
	before := len(w.b)
	w.name(name)
	from := len(w.b)
	w.b = put(v, w.b)
	if !w.rest.deviates(name) {
		return
	}
	var zero T
	if bytes.Equal(put(zero, nil), w.b[from:]) {
		w.b = w.b[:before]
		return
	}
	w.set = append(w.set, name)
}

// PutSome writes a member if it is there.
func PutSome[T any](w *Writer, name string, there bool, v T, put func(T, []byte) []byte) {
	if !there {
		return
	}
	w.name(name)
	w.b = put(v, w.b)
	if w.rest.deviates(name) {
		w.set = append(w.set, name)
	}
}

// End closes the object and gives the text.
func (w *Writer) End() []byte {
	if w.rest.Whole != nil {
		return append(w.b[:w.start], w.rest.Whole...)
	}
	for _, m := range w.rest.Members {
		if !slices.Contains(w.set, m.Name) {
			w.name(m.Name)
			w.b = PutRaw(m.Value, w.b)
		}
	}
	return append(w.b, '}')
}

func (w *Writer) name(name string) {
	if len(w.b) > w.start+1 {
		w.b = append(w.b, ',')
	}
	w.b = append(PutString(name, w.b), ':')
}

func sortedNames[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
