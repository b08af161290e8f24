package pgtest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestDSNsAreOfDifferentScratchDatabases(t *testing.T) {
	a, b := pgtest.DSN(t), pgtest.DSN(t)
	if a == b && os.Getenv("WHGEN_TEST_POSTGRES_DSN") == "" {
		t.Errorf("two tests share %s", a)
	}
	if !pgtest.Scratch(a) {
		t.Errorf("%s does not count as a scratch database", a)
	}
	psql, err := exec.LookPath("psql")
	if err != nil {
		return
	}
	out, err := exec.Command(psql, "-Atc", "SELECT 41 + 1", a).CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "42" {
		t.Errorf("psql says %q, %v, want 42", got, err)
	}
}

func TestOwnServerComesBackWithItsData(t *testing.T) {
	s := pgtest.Own(t)
	dsn, err := s.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := s.PID()
	if err := s.Restart(true, nil); err != nil {
		t.Fatal(err)
	}
	if s.PID() == before {
		t.Error("the server is the same process after a restart")
	}
	if _, err := s.Database(t.Context()); err != nil {
		t.Errorf("after the crash: %v (database %s)", err, dsn)
	}
}

func TestForeignServerGivesADatabaseOfItsOwn(t *testing.T) {
	s := pgtest.Own(t)
	given, err := s.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("WHGEN_TEST_POSTGRES_DSN", given)
	if got := pgtest.DSN(t); got == given || !pgtest.Scratch(got) {
		t.Errorf("got %s, want a new scratch database beside %s", got, given)
	}
}

func TestScratch(t *testing.T) {
	for dsn, want := range map[string]bool{
		"postgres://u@h/whgen_test_abc?host=/tmp": true,
		"postgres://u@h/shop_test":                true,
		"host=/tmp dbname=ci_scratch user=u":      true,
		"postgres://u@h/shop":                     false,
		"postgres://u@h/":                         false,
		"host=/tmp dbname=test_shop":              false,
	} {
		if got := pgtest.Scratch(dsn); got != want {
			t.Errorf("Scratch(%q) = %v, want %v", dsn, got, want)
		}
	}
}
