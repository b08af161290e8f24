package signature

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

var units = map[string]time.Duration{"unix": time.Second, "unix_ms": time.Millisecond, "unix_us": time.Microsecond,
	"rfc3339": time.Second, "http_date": time.Second}

// parseTime reads a time strictly: plain digits, or a date of the exact form.
func parseTime(format, text string) (time.Time, bool) {
	switch format {
	case "rfc3339":
		return parseRFC3339(text)
	case "http_date":
		t, err := time.Parse(http.TimeFormat, text)
		return t, err == nil && t.Format(http.TimeFormat) == text
	}
	n, ok := digits(text)
	if !ok {
		return time.Time{}, false
	}
	switch format {
	case "unix":
		return time.Unix(n, 0), n <= 1<<40
	case "unix_ms":
		return time.UnixMilli(n), n <= 1<<50
	default:
		return time.UnixMicro(n), n <= 1<<60
	}
}

func digits(text string) (int64, bool) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// parseRFC3339 refuses what time.Parse lets pass beyond RFC 3339: one-digit
// hours and a comma before the fraction.
func parseRFC3339(text string) (time.Time, bool) {
	if len(text) < len("2006-01-02T15:04:05Z") || text[10] != 'T' || text[13] != ':' || strings.Contains(text, ",") {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	return t, err == nil
}

// formatTime is the inverse of parseTime.
func formatTime(format string, t time.Time) string {
	switch format {
	case "unix":
		return strconv.FormatInt(t.Unix(), 10)
	case "unix_ms":
		return strconv.FormatInt(t.UnixMilli(), 10)
	case "unix_us":
		return strconv.FormatInt(t.UnixMicro(), 10)
	case "http_date":
		return t.UTC().Format(http.TimeFormat)
	default:
		return t.UTC().Format(time.RFC3339)
	}
}

// fresh judges a signed time. The receiver's time is cut to the format's own
// resolution first, so that an age of exactly the tolerance is inside whatever
// fraction of a second the receiver's clock shows.
func (t *Timestamp) fresh(signed, now time.Time) *Error {
	age := now.Sub(signed)
	if unit := units[t.Format]; unit > 0 {
		age = now.Truncate(unit).Sub(signed)
	}
	switch {
	case age > t.Tolerance && !t.NoTolerance:
		return &Error{Kind: Expired, Reason: "the signed time is too old", Offset: age}
	case t.FutureTolerance > 0 && -age > t.FutureTolerance, t.FutureTolerance == 0 && age < 0 && !t.NoTolerance:
		return &Error{Kind: Expired, Reason: "the signed time is in the future", Offset: age}
	}
	return nil
}
