package payload

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Union is a value that is one of several: it keeps the text and never fails to
// decode; generated types embed it and add an accessor for each variant.
type Union struct{ raw Raw }

// NewUnion makes a Union of a JSON text.
func NewUnion(text Raw) Union { return Union{raw: text} }

// Raw is the value as received, whatever it is.
func (u Union) Raw() Raw { return u.raw }

// DecodePayload takes whatever stands there.
func (u *Union) DecodePayload(d *Decoder) bool { return AnyRaw(&u.raw, d) }

// AppendPayload writes the value as it was received.
func (u Union) AppendPayload(b []byte) []byte { return PutRaw(u.raw, b) }

// MarshalJSON writes the value as it was received.
func (u Union) MarshalJSON() ([]byte, error) { return u.AppendPayload(nil), nil }

// UnmarshalJSON takes any value.
func (u *Union) UnmarshalJSON(b []byte) error {
	u.raw = bytes.Clone(b)
	return nil
}

// Member is the text of a member of the value; "" where it is no object, or the
// member is no text, number or boolean.
func (u Union) Member(name string) string {
	d := jsontext.NewDecoder(bytes.NewBuffer(u.raw), jsontext.AllowDuplicateNames(true))
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return ""
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return ""
		}
		if token.String() != name {
			if d.SkipValue() != nil {
				return ""
			}
			continue
		}
		token, err = d.ReadToken()
		if k := token.Kind(); err != nil || k == 'n' || k == '{' || k == '[' {
			return ""
		}
		return token.String()
	}
	return ""
}

// As reads the value as a variant; ok tells whether it fits it in full.
func As[T any](u Union) (v T, ok bool) {
	if len(u.raw) == 0 {
		return v, false
	}
	deviations, err := Decode(u.raw, &v, Value)
	return v, err == nil && len(deviations) == 0
}

// AsNamed reads the value as a variant that its discriminator has named; ok is
// false only where the value cannot be read at all.
func AsNamed[T any](u Union) (v T, ok bool) {
	if len(u.raw) == 0 {
		return v, false
	}
	_, err := Decode(u.raw, &v, Value)
	return v, err == nil
}
