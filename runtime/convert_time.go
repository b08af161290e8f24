package runtime

import (
	"errors"
	"strings"
	"time"
)

var (
	errNoTime    = errors.New("is no time of the declared form")
	errTimeRange = errors.New("is a time that a column cannot hold")
)

// convertTimestamp gives UTC, cut to whole microseconds: what every engine keeps.
func convertTimestamp(v value, f TimeFormat) (Datum, error) {
	var t time.Time
	var err error
	switch f {
	case UnixSeconds:
		t, err = unixTime(v, 0)
	case UnixMillis:
		t, err = unixTime(v, -3)
	default:
		t, err = writtenTime(v, f == AssumeUTC)
	}
	if err != nil {
		return Datum{}, err
	}
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < 1 || t.Year() > 9999 {
		return Datum{}, errTimeRange
	}
	return Datum{Time: t}, nil
}

// layouts without an offset, for AssumeUTC only. Fractions are read by any of them.
var localLayouts = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02"}

// offsetLayouts are RFC 3339 and what is often meant by it.
var offsetLayouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00"}

func writtenTime(v value, assumeUTC bool) (time.Time, error) {
	if v.json != nil && v.json.Kind() != '"' {
		return time.Time{}, errWrongType
	}
	text := v.plain()
	if strings.Contains(text, ",") {
		return time.Time{}, errNoTime
	}
	layouts := offsetLayouts
	if assumeUTC {
		layouts = append(offsetLayouts[:len(offsetLayouts):len(offsetLayouts)], localLayouts...)
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errNoTime
}

// unixTime reads a count of seconds times 10^scale, fractions included, as
// exactly as the number is written.
func unixTime(v value, scale int) (time.Time, error) {
	text, err := number(v)
	if err != nil {
		return time.Time{}, err
	}
	negative, digits, exponent, ok := decimal(text)
	exponent += scale + 6 // in microseconds
	if !ok || exponent > 18 {
		return time.Time{}, errTimeRange
	}
	if exponent < 0 { // finer than a microsecond: cut
		digits = digits[:max(0, len(digits)+exponent)]
		exponent = 0
	}
	if digits == "" {
		digits = "0"
	}
	micros, err := integer(digits + strings.Repeat("0", exponent))
	if err != nil {
		return time.Time{}, errTimeRange
	}
	if negative {
		micros = -micros
	}
	return time.UnixMicro(micros), nil
}

func convertDate(v value) (Datum, error) {
	if v.json != nil && v.json.Kind() != '"' {
		return Datum{}, errWrongType
	}
	text := v.plain()
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Datum{}, errors.New("is no date")
	}
	if t.Year() < 1 {
		return Datum{}, errTimeRange
	}
	return Datum{Text: text, Time: t}, nil
}
