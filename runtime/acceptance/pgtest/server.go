package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Server is a running PostgreSQL. Its methods are safe for concurrent use.
type Server struct {
	folder  string
	bin     string // folder of the binaries
	as      *syscall.Credential
	process *exec.Cmd
	log     string
}

// ErrNotInstalled is returned by Start where no server binaries are found.
var ErrNotInstalled = errors.New("PostgreSQL is not installed: apt-get install postgresql, or set WHGEN_TEST_POSTGRES_DSN")

// Start makes a new data folder and runs a server on it: durable as it comes,
// no TCP. The caller stops it; it is also killed when this process dies.
func Start() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin}
	if s.folder, err = os.MkdirTemp("", "whgen-pg-"); err != nil {
		return nil, fmt.Errorf("make a folder for PostgreSQL: %w", err)
	}
	s.log = filepath.Join(s.folder, "log")
	if err := s.start(); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Server) start() error {
	if err := s.unprivileged(); err != nil {
		return err
	}
	data := filepath.Join(s.folder, "data")
	initdb := s.command(context.Background(), "initdb", "-D", data, "-U", "whgen", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if said, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("run initdb: %w: %s", err, bytes.TrimSpace(said))
	}
	log, err := os.Create(s.log)
	if err != nil {
		return fmt.Errorf("make PostgreSQL's log: %w", err)
	}
	defer log.Close()
	s.process = s.command(context.Background(), "postgres", "-D", data, "-k", s.folder, "-c", "listen_addresses=", "-c", "max_connections=300")
	s.process.Stdout, s.process.Stderr = log, log
	if err := startUntilDeath(s.process); err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	return s.ready()
}

// unprivileged prepares the folder and, for root, the user that the server runs
// as: PostgreSQL refuses root.
func (s *Server) unprivileged() error {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return fmt.Errorf("read the ids of user %s: %w", name, err)
		}
		s.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chmod(s.folder, 0o755); err != nil {
			return err
		}
		return os.Chown(s.folder, int(uid), int(gid))
	}
	return errors.New("start PostgreSQL: it refuses root, and there is neither a user postgres nor nobody")
}

func (s *Server) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	c.Dir = s.folder
	c.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC", "HOME="+s.folder)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	return c
}

// ready waits until the server answers, or has ended.
func (s *Server) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		if s.command(ctx, "pg_isready", "-q", "-h", s.folder, "-U", "whgen", "-d", "postgres").Run() == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			text, _ := os.ReadFile(s.log)
			return fmt.Errorf("wait for PostgreSQL: %w: %s", ctx.Err(), bytes.TrimSpace(text))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Stop ends the server at once and removes its folder.
func (s *Server) Stop() {
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Signal(syscall.SIGQUIT) // immediate shutdown: the data is thrown away
		_ = s.process.Wait()
	}
	_ = os.RemoveAll(s.folder)
}

// PID is the server's process.
func (s *Server) PID() int { return s.process.Process.Pid }

// Restart stops the server (fast, or as a crash) and starts it on the same
// data: what a test of a database that goes away needs.
func (s *Server) Restart(crash bool, while func()) error {
	signal := syscall.SIGINT
	if crash {
		signal = syscall.SIGQUIT
	}
	_ = s.process.Process.Signal(signal)
	_ = s.process.Wait()
	if while != nil {
		while()
	}
	log, err := os.OpenFile(s.log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("open PostgreSQL's log: %w", err)
	}
	defer log.Close()
	again := s.command(context.Background(), "postgres", s.process.Args[1:]...)
	again.Stdout, again.Stderr = log, log
	if err := startUntilDeath(again); err != nil {
		return fmt.Errorf("start PostgreSQL again: %w", err)
	}
	s.process = again
	return s.ready()
}

// Database creates an empty database and returns its DSN.
func (s *Server) Database(ctx context.Context) (string, error) {
	name := newName()
	created := s.command(ctx, "createdb", "-h", s.folder, "-U", "whgen", name)
	if said, err := created.CombinedOutput(); err != nil {
		return "", fmt.Errorf("create a database: %w: %s", err, bytes.TrimSpace(said))
	}
	return fmt.Sprintf("postgres://whgen@/%s?host=%s", name, s.folder), nil
}

// binaries finds the folder of the newest installed server.
func binaries() (string, error) {
	var folders []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			folders = append(folders, filepath.Dir(real))
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/pgsql-*/bin"} {
		found, _ := filepath.Glob(pattern)
		for i := len(found) - 1; i >= 0; i-- {
			folders = append(folders, found[i])
		}
	}
	for _, f := range folders {
		if complete(f) {
			return f, nil
		}
	}
	return "", ErrNotInstalled
}

func complete(folder string) bool {
	for _, name := range []string{"initdb", "postgres", "pg_isready", "createdb"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}
