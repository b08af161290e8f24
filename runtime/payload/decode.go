package payload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

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
	start, depth := d.in.InputOffset(), d.in.StackDepth()
	if !codec(v, d) && !d.kept(reflect.ValueOf(v).Elem(), start, depth) && d.err == nil {
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

// Unmarshal is UnmarshalJSON of generated types: it copies body first. Its error
// is for what is not exactly one valid JSON value.
func Unmarshal[T any](body []byte, v *T) error {
	_, err := Decode(bytes.Clone(body), v, Read)
	return err
}

// keep reads the next value with a codec, and where it does not fit lets v itself
// hold it, if v can. False: v is empty, and the value has been passed over.
func keep(v reflect.Value, d *Decoder, c codec) bool {
	start, depth := d.in.InputOffset(), d.in.StackDepth()
	return c.read(v, d) || d.kept(v, start, depth)
}

// kept passes over the value that began behind start. A generated struct holds
// it in its Rest.
func (d *Decoder) kept(v reflect.Value, start int64, depth int) bool {
	raw := d.skip(start, depth)
	v.SetZero()
	if d.err != nil || !isObject(v.Type()) {
		return false
	}
	rest := v.FieldByName("Rest")
	if !rest.IsValid() {
		return false
	}
	rest.Addr().Interface().(*Rest).Whole = raw
	d.deviate()
	return true
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
