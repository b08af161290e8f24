package payload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Decoder reads one JSON value into generated types. A codec, which is a
// function of the form func(*T, *Decoder) bool, reads the next value; false
// means that it does not fit T, and whoever called keeps it in another way.
type Decoder struct {
	body       []byte
	in         *jsontext.Decoder
	deviations []Deviation
	err        error
}

// Decode reads body with a codec. What does not fit is kept and reported; the
// error is for bodies that are not exactly one valid JSON value. The result
// aliases body.
func Decode[T any](body []byte, v *T, codec func(*T, *Decoder) bool) ([]Deviation, error) {
	d := &Decoder{
		body: body,
		in:   jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true)),
	}
	if !keep(v, d, codec) && d.err == nil {
		d.deviate()
	}
	if d.err == nil {
		if _, err := d.in.ReadToken(); !errors.Is(err, io.EOF) {
			d.err = errors.New("more follows after the value")
		}
	}
	if d.err != nil {
		return nil, fmt.Errorf("decode payload: %w", d.err)
	}
	return d.deviations, nil
}

// Unmarshal is UnmarshalJSON of generated types: it copies body first.
func Unmarshal[T any](body []byte, v *T, codec func(*T, *Decoder) bool) error {
	_, err := Decode(bytes.Clone(body), v, codec)
	return err
}

// Object reads an object member by member into r and the fields behind member,
// which tells whether it knows the name and whether the value fitted. False:
// the value is no object, and nothing was read.
func (d *Decoder) Object(r *Rest, required []string, member func(name string) (known, fits bool)) bool {
	*r = Rest{}
	if !d.open('{') {
		return false
	}
	var room [32]bool
	seen := append(room[:0], make([]bool, len(required))...)
	for d.more('}') {
		token, err := d.in.ReadToken()
		if d.failed(err) {
			return false
		}
		name := token.String()
		if i := slices.Index(required, name); i >= 0 {
			seen[i] = true
		}
		start, depth := d.in.InputOffset(), d.in.StackDepth()
		known, fits := member(name)
		if fits || d.err != nil {
			continue
		}
		r.Members = append(r.Members, Member{Name: name, Value: d.skip(start, depth), Odd: known})
		if known {
			d.deviate()
		}
	}
	return d.close() && d.missing(r, required, seen)
}

// missing is called behind the object's end, where the stack pointer is the object's.
func (d *Decoder) missing(r *Rest, required []string, seen []bool) bool {
	for i, name := range required {
		if !seen[i] {
			r.Missing = append(r.Missing, name)
			at := d.in.StackPointer().AppendToken(name)
			d.deviations = append(d.deviations, Deviation{Pointer: string(at), Kind: "missing"})
		}
	}
	return true
}

// keeper is a type that can hold a value that does not fit it.
type keeper interface{ KeepPayload(Raw) }

// keep reads the next value with codec, and where it does not fit lets v itself
// hold it, if v can. False: v is empty, and the value has been passed over.
func keep[T any](v *T, d *Decoder, codec func(*T, *Decoder) bool) bool {
	start, depth := d.in.InputOffset(), d.in.StackDepth()
	if codec(v, d) {
		return true
	}
	raw := d.skip(start, depth)
	if k, ok := any(v).(keeper); ok && d.err == nil {
		k.KeepPayload(raw)
		d.deviate()
		return true
	}
	return false
}

// skip ends the value that began behind start, however much of it was read, and
// gives its text.
func (d *Decoder) skip(start int64, depth int) Raw {
	if d.err == nil && d.in.InputOffset() == start {
		d.failed(d.in.SkipValue())
	}
	for d.err == nil && d.in.StackDepth() > depth {
		if k := d.in.PeekKind(); k != '}' && k != ']' {
			d.failed(d.in.SkipValue())
			continue
		}
		_, err := d.in.ReadToken()
		d.failed(err)
	}
	if d.err != nil {
		return nil
	}
	end := d.in.InputOffset()
	return Raw(bytes.TrimLeft(d.body[start:end:end], " \t\r\n:,"))
}

func (d *Decoder) open(bracket jsontext.Kind) bool {
	if d.err != nil || d.in.PeekKind() != bracket {
		return false
	}
	_, err := d.in.ReadToken()
	return !d.failed(err)
}

func (d *Decoder) more(end jsontext.Kind) bool {
	return d.err == nil && d.in.PeekKind() != end
}

func (d *Decoder) close() bool {
	if d.err != nil {
		return false
	}
	_, err := d.in.ReadToken()
	return !d.failed(err)
}

func (d *Decoder) null() bool {
	if d.err != nil || d.in.PeekKind() != 'n' {
		return false
	}
	_, err := d.in.ReadToken()
	return !d.failed(err)
}

// deviate notes that the value just passed is of another type.
func (d *Decoder) deviate() {
	d.deviations = append(d.deviations, Deviation{Pointer: string(d.in.StackPointer()), Kind: "type"})
}

func (d *Decoder) failed(err error) bool {
	if err != nil && d.err == nil {
		d.err = err
	}
	return d.err != nil
}
