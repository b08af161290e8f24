package payload

import (
	"errors"
	"strings"
	"time"
)

// Time is a point in time by its text, which is written back as it was
// received. The zero value is the empty text.
type Time struct{ text string }

// NewTime makes a Time in RFC 3339, to the nanosecond.
func NewTime(t time.Time) Time { return Time{text: t.Format(time.RFC3339Nano)} }

// String is the text as received.
func (t Time) String() string { return t.text }

// Time is the point in time. Texts that RFC 3339 does not allow but senders use
// are read too: a blank for the T, offsets without a colon, and no offset at
// all, which is taken as UTC. Anything else is an error.
func (t Time) Time() (time.Time, error) {
	text := strings.ToUpper(strings.TrimSpace(t.text))
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, errors.New("text is no RFC 3339 time")
}

var layouts = []string{
	time.RFC3339Nano,
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00",
	"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05 Z0700",
	"2006-01-02T15:04:05Z07", "2006-01-02 15:04:05Z07",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04",
	time.DateOnly,
}

// DecodePayload reads a text.
func (t *Time) DecodePayload(d *Decoder) bool { return String(&t.text, d) }

// AppendPayload writes the text as it was received.
func (t Time) AppendPayload(b []byte) []byte { return PutString(t.text, b) }

// MarshalJSON writes the text as it was received.
func (t Time) MarshalJSON() ([]byte, error) { return t.AppendPayload(nil), nil }

// UnmarshalJSON reads a text.
func (t *Time) UnmarshalJSON(b []byte) error { return strict(b, t, (*Time).DecodePayload) }

// Date is a calendar day by its text, which is written back as it was received.
type Date struct{ text string }

// NewDate makes the Date of t in t's own time zone.
func NewDate(t time.Time) Date { return Date{text: t.Format(time.DateOnly)} }

// String is the text as received.
func (d Date) String() string { return d.text }

// Time is midnight UTC at the start of the day.
func (d Date) Time() (time.Time, error) {
	at, err := time.Parse(time.DateOnly, d.text)
	if err != nil {
		return time.Time{}, errors.New("text is no date")
	}
	return at, nil
}

// DecodePayload reads a text.
func (d *Date) DecodePayload(in *Decoder) bool { return String(&d.text, in) }

// AppendPayload writes the text as it was received.
func (d Date) AppendPayload(b []byte) []byte { return PutString(d.text, b) }

// MarshalJSON writes the text as it was received.
func (d Date) MarshalJSON() ([]byte, error) { return d.AppendPayload(nil), nil }

// UnmarshalJSON reads a text.
func (d *Date) UnmarshalJSON(b []byte) error { return strict(b, d, (*Date).DecodePayload) }
