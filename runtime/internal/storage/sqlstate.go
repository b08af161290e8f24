package storage

import (
	"strings"

	whrt "github.com/whgen/whgen/runtime"
)

// ClassOf says what a server error means for the transaction that it ended.
// Appendix A of PostgreSQL's manual lists the codes.
func ClassOf(state string) whrt.StoreErrorClass {
	switch state {
	case "40001", "40P01", "55P03", "57014":
		return whrt.ClassRetry
	case "25006", "25P03", "57P01", "57P02", "57P03", "57P05":
		return whrt.ClassUnavailable // another server, or the session is gone
	case "25P02":
		return whrt.ClassNotCommitted // somebody went on after a failed statement
	}
	switch {
	case strings.HasPrefix(state, "23"):
		return whrt.ClassViolation
	case strings.HasPrefix(state, "08"), strings.HasPrefix(state, "53"), strings.HasPrefix(state, "58"):
		return whrt.ClassUnavailable
	}
	return whrt.ClassOther
}

// EndsSession reports whether the server closes the connection with this error,
// so that what it had done by then is not known from the error alone.
func EndsSession(state string) bool {
	return strings.HasPrefix(state, "57P") || strings.HasPrefix(state, "08") || state == "25P03" || state == "XX000"
}

// quiet tells an error without the values that its message quotes.
type quiet struct {
	text string
	err  error
}

func (q *quiet) Error() string { return q.text }
func (q *quiet) Unwrap() error { return q.err }

// Quiet hides the message of data errors (class 22), the only ones of
// PostgreSQL that quote values outside of their detail.
func Quiet(err error, state string) error {
	if !strings.HasPrefix(state, "22") {
		return err
	}
	if state == "22012" {
		return &quiet{"a trigger or rule dropped the row of a record effect, or a division by zero (SQLSTATE 22012)", err}
	}
	return &quiet{"the database refused a value (SQLSTATE " + state + ")", err}
}

// Short cuts text to at most n bytes of whole runes, without NUL, which no text
// column of PostgreSQL takes.
func Short(text string, n int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
