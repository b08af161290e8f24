package pgxstore

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	whrt "github.com/whgen/whgen/runtime"
)

func TestClassify(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		commit bool
		want   whrt.StoreErrorClass
	}{
		"serialization":       {&pgconn.PgError{Code: "40001"}, true, whrt.ClassRetry},
		"killed in a COMMIT":  {&pgconn.PgError{Code: "57P01"}, true, whrt.ClassUnknown},
		"killed before":       {&pgconn.PgError{Code: "57P01"}, false, whrt.ClassUnavailable},
		"lost in a COMMIT":    {errors.New("unexpected EOF"), true, whrt.ClassUnknown},
		"lost before":         {errors.New("unexpected EOF"), false, whrt.ClassUnavailable},
		"classified already":  {&whrt.StoreError{Class: whrt.ClassNotCommitted, Err: errors.New("x")}, true, whrt.ClassNotCommitted},
		"a declared violated": {&pgconn.PgError{Code: "23505", ConstraintName: "c"}, true, whrt.ClassViolation},
	} {
		var got *whrt.StoreError
		if !errors.As(classify(nil, c.err, c.commit), &got) || got.Class != c.want {
			t.Errorf("%s: got %v, want %v", name, got.Class, c.want)
		}
		if c.want == whrt.ClassViolation && got.Constraint != "c" {
			t.Errorf("%s: got constraint %q", name, got.Constraint)
		}
	}
}

func TestCommitNeedsTheServersWord(t *testing.T) {
	if err := committed("COMMIT"); err != nil {
		t.Error(err)
	}
	var e *whrt.StoreError
	if err := committed("ROLLBACK"); !errors.As(err, &e) || e.Class != whrt.ClassNotCommitted {
		t.Errorf("a COMMIT answered ROLLBACK counts: %v", err)
	}
}

func TestRepeatedKeysAreOneClaim(t *testing.T) {
	ds := []*whrt.Delivery{{Key: "a"}, {Key: "b"}, {Key: "a"}}
	res, distinct := newResults(ds)
	if len(distinct) != 2 {
		t.Fatalf("got %d deliveries, want 2", len(distinct))
	}
	for _, d := range distinct {
		if err := res.set(d.Key, whrt.Result{Found: whrt.New}); err != nil {
			t.Fatal(err)
		}
	}
	if res.all[0].Found != whrt.New || res.all[1].Found != whrt.New || res.all[2].Found != whrt.Lost {
		t.Errorf("got %v", res.all)
	}
	if err := res.set("c", whrt.Result{}); err == nil {
		t.Error("an answer for a foreign key is taken")
	}
}
