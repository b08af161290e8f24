package sqlitestore

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"

	whrt "github.com/whgen/whgen/runtime"
)

// classify tells what an error means. Drivers differ in their error types; what
// they share is SQLite's own text, and some a Code method.
func classify(err error) error {
	if err == nil {
		return nil
	}
	var known *whrt.StoreError
	if errors.As(err, &known) {
		return err
	}
	e := &whrt.StoreError{Class: classOf(err), Err: err}
	if e.Class == whrt.ClassViolation {
		e.Constraint = constraint(err.Error())
	}
	return e
}

// Primary result codes, https://www.sqlite.org/rescode.html.
const (
	codeBusy, codeLocked, codeInterrupt             = 5, 6, 9
	codeReadonly, codeIOErr, codeFull, codeCantOpen = 8, 10, 13, 14
	codeConstraint                                  = 19
)

func classOf(err error) whrt.StoreErrorClass {
	var coded interface{ Code() int }
	if errors.As(err, &coded) {
		switch coded.Code() & 0xff {
		case codeBusy, codeLocked, codeInterrupt:
			return whrt.ClassRetry
		case codeReadonly, codeIOErr, codeFull, codeCantOpen:
			return whrt.ClassUnavailable
		case codeConstraint:
			return whrt.ClassViolation
		}
		return whrt.ClassOther
	}
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return whrt.ClassUnavailable
	}
	text := err.Error()
	for class, words := range texts {
		for _, w := range words {
			if strings.Contains(text, w) {
				return class
			}
		}
	}
	return whrt.ClassOther
}

var texts = map[whrt.StoreErrorClass][]string{
	whrt.ClassRetry:       {"database is locked", "database table is locked", "interrupted", "SQLITE_BUSY"},
	whrt.ClassViolation:   {"constraint failed"},
	whrt.ClassUnavailable: {"database or disk is full", "disk I/O error", "unable to open database file", "readonly database"},
}

// constraint is the columns of a UNIQUE constraint, as in "t.a, t.b".
func constraint(text string) string {
	const mark = "UNIQUE constraint failed: "
	i := strings.LastIndex(text, mark)
	if i < 0 {
		return ""
	}
	text = text[i+len(mark):]
	if i := strings.Index(text, " ("); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}
