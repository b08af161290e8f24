package storage

import (
	"errors"
	"strings"
	"testing"

	whrt "github.com/whgen/whgen/runtime"
)

func TestClassOf(t *testing.T) {
	for state, want := range map[string]whrt.StoreErrorClass{
		"40001": whrt.ClassRetry, "40P01": whrt.ClassRetry, "55P03": whrt.ClassRetry, "57014": whrt.ClassRetry,
		"23505": whrt.ClassViolation, "23503": whrt.ClassViolation, "22P02": whrt.ClassOther, "42P01": whrt.ClassOther,
		"53300": whrt.ClassUnavailable, "57P01": whrt.ClassUnavailable, "08006": whrt.ClassUnavailable,
		"25006": whrt.ClassUnavailable, "25P02": whrt.ClassNotCommitted,
	} {
		if got := ClassOf(state); got != want {
			t.Errorf("%s: got %v, want %v", state, got, want)
		}
	}
}

func TestQuietHidesValuesOfDataErrors(t *testing.T) {
	cause := errors.New(`invalid input syntax for type bigint: "4111 1111"`)
	got := Quiet(cause, "22P02")
	if strings.Contains(got.Error(), "4111") || !errors.Is(got, cause) {
		t.Errorf("got %q", got)
	}
	if got := Quiet(cause, "23505"); got != cause {
		t.Errorf("got %q, want the error itself", got)
	}
}

func TestShortKeepsWholeRunes(t *testing.T) {
	for text, want := range map[string]string{"a\x00b": "ab", "aaé": "aa", "abc": "abc", "\xff": "\uFFFD"} {
		if got := Short(text, 3); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestCheckNamesEveryProblem(t *testing.T) {
	tables := []Table{{Name: "a", Columns: []string{"x", "y"}, Unique: [][]string{{"y", "x"}}}, {Name: "b", Unique: [][]string{{"k"}}}, {Name: "c"}}
	var c Catalogue
	*c.Table("a") = TableFacts{IsTable: true, Persistence: "p", Allowed: true, Columns: []string{"x", "y"}}
	c.Table("a").Index("x,y", "C")
	if err := c.Check(tables[:1]); err != nil {
		t.Fatalf("a sound table is refused: %v", err)
	}
	*c.Table("b") = TableFacts{IsTable: true, Persistence: "u", RowSecurity: true, Triggers: "audit"}
	c.Table("b").Index("k,other", "de_DE")
	c.Server = Server{InRecovery: true, SynchronousCommit: "off", Fsync: "off", ReadOnly: "on"}
	err := c.Check(tables)
	for _, want := range []string{"standby", "synchronous_commit", "fsync", "read_only", "b has no valid UNIQUE over (k)", "unlogged",
		"row security", "lacks SELECT", "collation de_DE", "table c is missing", "triggers: audit"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told in %v", want, err)
		}
	}
}
