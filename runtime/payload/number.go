package payload

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Int is an integer of any size, by its text. The zero value is 0. Equal
// numbers in different spellings (1 and 1.0) are different Ints.
type Int struct{ text string }

// NewInt makes an Int.
func NewInt(n int64) Int { return Int{text: strconv.FormatInt(n, 10)} }

// String is the text as received.
func (i Int) String() string { return textOr0(i.text) }

// Int64 is the number; an error where it has a fraction or needs more than 64 bits.
func (i Int) Int64() (int64, error) { return integer(i.String()) }

// Big is the number in full; an error where it has a fraction or more than a
// thousand digits.
func (i Int) Big() (*big.Int, error) { return bigInt(i.String()) }

// DecodePayload reads a number.
func (i *Int) DecodePayload(d *Decoder) bool {
	text, ok := d.number()
	i.text = text
	return ok
}

// AppendPayload writes the number as it was received.
func (i Int) AppendPayload(b []byte) []byte { return append(b, i.String()...) }

// MarshalJSON writes the number as it was received.
func (i Int) MarshalJSON() ([]byte, error) { return i.AppendPayload(nil), nil }

// UnmarshalJSON reads a number.
func (i *Int) UnmarshalJSON(b []byte) error { return strict(b, i, (*Int).DecodePayload) }

// Number is a decimal number by its text: nothing is rounded. The zero value is 0.
type Number struct{ text string }

// NewNumber makes a Number of a JSON number's text, such as "19.90".
func NewNumber(text string) (Number, error) {
	var n Number
	err := n.UnmarshalJSON([]byte(text))
	return n, err
}

// String is the text as received.
func (n Number) String() string { return textOr0(n.text) }

// Int64 is the number; an error where it has a fraction or needs more than 64 bits.
func (n Number) Int64() (int64, error) { return integer(n.String()) }

// Float64 is the nearest double; an error where it is out of range.
func (n Number) Float64() (float64, error) { return strconv.ParseFloat(n.String(), 64) }

// Rat is the number exactly; an error where its exponent is beyond a thousand.
func (n Number) Rat() (*big.Rat, error) { return rational(n.String()) }

// DecodePayload reads a number.
func (n *Number) DecodePayload(d *Decoder) bool {
	text, ok := d.number()
	n.text = text
	return ok
}

// AppendPayload writes the number as it was received.
func (n Number) AppendPayload(b []byte) []byte { return append(b, n.String()...) }

// MarshalJSON writes the number as it was received.
func (n Number) MarshalJSON() ([]byte, error) { return n.AppendPayload(nil), nil }

// UnmarshalJSON reads a number.
func (n *Number) UnmarshalJSON(b []byte) error { return strict(b, n, (*Number).DecodePayload) }

func textOr0(text string) string {
	if text == "" {
		return "0"
	}
	return text
}

func integer(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	n, err := bigInt(text)
	if err != nil {
		return 0, err
	}
	if !n.IsInt64() {
		return 0, errors.New("integer needs more than 64 bits")
	}
	return n.Int64(), nil
}

func bigInt(text string) (*big.Int, error) {
	if len(text) > maxDigits {
		return nil, errTooLong
	}
	r, err := rational(text)
	if err != nil {
		return nil, err
	}
	if !r.IsInt() {
		return nil, errors.New("number has a fraction")
	}
	return r.Num(), nil
}

// maxDigits bounds what a few bytes such as 1e999999999 can cost.
const maxDigits = 1000

var errTooLong = fmt.Errorf("number has more than %d digits", maxDigits)

func rational(text string) (*big.Rat, error) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e > maxDigits || e < -maxDigits {
			return nil, errTooLong
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, errors.New("text is no number")
	}
	return r, nil
}

// strict is UnmarshalJSON of scalars: there is nowhere to keep what does not fit.
func strict[T any](b []byte, v *T, codec func(*T, *Decoder) bool) error {
	deviations, err := Decode(b, v, codec)
	if err == nil && len(deviations) > 0 {
		err = errors.New("decode payload: the value is of another type")
	}
	return err
}
