package pgtest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// shared is the one server of this process. It is never stopped by hand: Main
// stops it, and otherwise the death of the process.
var shared struct {
	sync.Mutex
	server *Server
	err    error
	tried  bool
}

func server() (*Server, error) {
	shared.Lock()
	defer shared.Unlock()
	if !shared.tried {
		shared.tried = true
		shared.server, shared.err = Start()
	}
	return shared.server, shared.err
}

// Main runs the tests and stops the server that they shared. Call it from
// TestMain: os.Exit(pgtest.Main(m)). Without it the server ends with the process
// and its folder stays behind in the temporary folder.
func Main(m *testing.M) int {
	defer func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.server != nil {
			shared.server.Stop()
		}
	}()
	return m.Run()
}

// DSN returns the address of a new, empty database on the server that the tests
// of this process share. Where there is no server the test is skipped, or fails
// with WHGEN_TEST_REQUIRE=postgres.
func DSN(t testing.TB) string {
	t.Helper()
	if given := os.Getenv("WHGEN_TEST_POSTGRES_DSN"); given != "" {
		dsn, err := foreign(t, given)
		if err != nil {
			t.Fatal(err)
		}
		return dsn
	}
	s, err := server()
	if err != nil {
		if required() || !errors.Is(err, ErrNotInstalled) {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dsn, err := s.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return dsn
}

// Own starts a server for this test alone, for tests that stop it.
func Own(t testing.TB) *Server {
	t.Helper()
	s, err := Start()
	if err != nil {
		if required() || !errors.Is(err, ErrNotInstalled) {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(s.Stop)
	return s
}

func required() bool {
	for name := range strings.SplitSeq(os.Getenv("WHGEN_TEST_REQUIRE"), ",") {
		if strings.TrimSpace(name) == "postgres" {
			return true
		}
	}
	return false
}

// foreign creates a database on a server that somebody else runs, and drops it
// after the test.
func foreign(t testing.TB, given string) (string, error) {
	u, err := url.Parse(given)
	if err != nil || u.Scheme == "" {
		return "", errors.New("read WHGEN_TEST_POSTGRES_DSN: not of the form postgres://user@host/database")
	}
	createdb, err := client("createdb")
	if err != nil {
		return "", err
	}
	dropdb, err := client("dropdb")
	if err != nil {
		return "", err
	}
	name := newName()
	if err := exec.CommandContext(t.Context(), createdb, "--maintenance-db="+given, name).Run(); err != nil {
		return "", fmt.Errorf("create a database on the server of WHGEN_TEST_POSTGRES_DSN: %w", err)
	}
	t.Cleanup(func() { _ = exec.Command(dropdb, "--force", "--maintenance-db="+given, name).Run() })
	u.Path = "/" + name
	return u.String(), nil
}

// client finds one of PostgreSQL's client programs.
func client(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	if folder, err := binaries(); err == nil {
		return filepath.Join(folder, name), nil
	}
	return "", fmt.Errorf("find %s: install the PostgreSQL client programs", name)
}

func newName() string { return fmt.Sprintf("whgen_test_%s", strings.ToLower(rand.Text()[:16])) }

// Scratch reports whether a DSN names a database that may be filled with test
// rows: its name begins with whgen_test_ or ends in _test or _scratch.
func Scratch(dsn string) bool {
	name := ""
	if u, err := url.Parse(dsn); err == nil && u.Scheme != "" {
		name = strings.TrimPrefix(u.Path, "/")
	} else {
		for field := range strings.FieldsSeq(dsn) {
			if v, ok := strings.CutPrefix(field, "dbname="); ok {
				name = strings.Trim(v, "'")
			}
		}
	}
	return strings.HasPrefix(name, "whgen_test_") || strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_scratch")
}
