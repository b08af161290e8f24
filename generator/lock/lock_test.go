package lock

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func full() *Lock {
	return &Lock{
		Source: "shop", Engine: "postgres/pgx", Queries: Digest([]byte("q")),
		Inputs:    map[string]string{"contracts/b c@1.yaml": "sha256:2", "contracts/a.yaml": "sha256:1", "..": "x"},
		Files:     map[string]string{"db/db.go": "sha256:3"},
		Scaffolds: []string{"cmd/z/main.go", "cmd/a/main.go"},
		Kept:      []string{"local_orders.note", "archive"},
	}
}

func TestEncodeAndParseAreInverse(t *testing.T) {
	want := full()
	text := want.Encode()
	got, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want.Scaffolds = []string{"cmd/a/main.go", "cmd/z/main.go"}
	want.Kept = []string{"archive", "local_orders.note"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v\n%s", got, want, text)
	}
	if again := string(full().Encode()); again != string(text) {
		t.Errorf("two encodings differ:\n%s\n%s", text, again)
	}
}

func TestParseReadsWindowsLineEnds(t *testing.T) {
	text := strings.ReplaceAll(string(full().Encode()), "\n", "\r\n")
	if got, err := Parse([]byte(text)); err != nil || got.Source != "shop" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	good := string(full().Encode())
	for name, one := range map[string]struct {
		text string
		want error
	}{
		"conflict": {good + "<<<<<<< HEAD\n=======\n>>>>>>> topic\n", ErrConflict},
		"newer":    {strings.Replace(good, "version: 1", "version: 2\nlater: 1", 1), ErrNewer},
		"typo":     {strings.Replace(good, "files:", "file:", 1), nil},
		"empty":    {"", nil},
	} {
		got, err := Parse([]byte(one.text))
		if err == nil || one.want != nil && !errors.Is(err, one.want) {
			t.Errorf("%s: got %+v, %v; want %v", name, got, err, one.want)
		}
	}
}

func TestDigestIgnoresLineEnds(t *testing.T) {
	if got, want := Digest([]byte("a\r\nb\r\n")), Digest([]byte("a\nb\n")); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if Digest([]byte("a\nb\n")) == Digest([]byte("a\nb")) {
		t.Error("a missing last line end has the same digest")
	}
}
