package pgsqlstore

import (
	"database/sql/driver"
	"errors"
	"testing"

	whrt "github.com/whgen/whgen/runtime"
)

// serverError has its constraint where lib/pq has it.
type serverError struct{ Code, Constraint string }

func (e *serverError) Error() string    { return e.Code }
func (e *serverError) SQLState() string { return e.Code }

func TestClassify(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		commit bool
		want   whrt.StoreErrorClass
	}{
		"deadlock":           {&serverError{Code: "40P01"}, true, whrt.ClassRetry},
		"killed in a COMMIT": {&serverError{Code: "57P01"}, true, whrt.ClassUnknown},
		"nothing was sent":   {driver.ErrBadConn, true, whrt.ClassUnavailable},
		"lost in a COMMIT":   {errors.New("unexpected EOF"), true, whrt.ClassUnknown},
		"lost before":        {errors.New("unexpected EOF"), false, whrt.ClassUnavailable},
		"violation":          {&serverError{Code: "23505", Constraint: "c"}, true, whrt.ClassViolation},
	} {
		var got *whrt.StoreError
		if !errors.As(classify(c.err, c.commit), &got) || got.Class != c.want {
			t.Errorf("%s: got %v, want %v", name, got.Class, c.want)
		}
		if c.want == whrt.ClassViolation && got.Constraint != "c" {
			t.Errorf("%s: got constraint %q", name, got.Constraint)
		}
	}
}

func TestMessagesKeepTheirBytes(t *testing.T) {
	got, err := encode([]whrt.MessageRow{{Effect: "e", IdempotencyKey: "k", Payload: []byte{0, 255}}})
	want := `[{"effect":"e","element":"","key":"k","target":null,"payload":"AP8="}]`
	if err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
