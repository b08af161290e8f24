package senders

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whgen/whgen/golden/senders/check"
)

// TestSenders takes every folder of WHGEN_CONTRACTS as a sender: its document,
// untouched, with the folder's own whgen.yaml or ours. The receiver that is
// generated must build, pass vet and staticcheck, and take each payload once,
// at the right event, without losing a member or a digit.
func TestSenders(t *testing.T) {
	root := os.Getenv("WHGEN_CONTRACTS")
	if root == "" {
		t.Skip("senders: WHGEN_CONTRACTS names no folder of senders' documents")
	}
	m := newModule(t)
	all := m.senders(root)
	if len(all) == 0 {
		t.Fatalf("%s holds no sender", root)
	}
	for _, s := range all {
		s.prepare()
	}
	m.staticcheck(all)
	m.deliver(all)
	passed, failed := 0, 0
	for _, s := range all {
		fmt.Println(s.row())
		if len(s.faults) == 0 {
			passed++
			continue
		}
		failed++
		t.Errorf("sender %s:\n%s", s.name, strings.Join(s.faults, "\n"))
	}
	fmt.Printf("senders: %d passed, %d failed\n", passed, failed)
}

// sender is one folder of the check.
type sender struct {
	*module
	name      string
	receivers []receiver
	faults    []string
	result    check.Result
}

func (m *module) senders(root string) []*sender {
	entries, err := os.ReadDir(root)
	if err != nil {
		m.Fatal(err)
	}
	var all []*sender
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			all = append(all, &sender{module: m, name: e.Name()})
			m.copy(filepath.Join(root, e.Name()), filepath.Join(m.folder, e.Name()))
		}
	}
	return all
}

func (s *sender) fault(format string, args ...any) {
	s.faults = append(s.faults, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// prepare brings the sender from its document to packages that build.
func (s *sender) prepare() {
	folder := filepath.Join(s.folder, s.name)
	if _, err := os.Stat(filepath.Join(folder, "whgen.yaml")); errors.Is(err, fs.ErrNotExist) {
		ours := filepath.Join("testdata", "senders", s.name)
		if _, err := os.Stat(ours); err != nil {
			s.fault("neither the folder nor the project has a whgen.yaml for this sender")
			return
		}
		s.copy(ours, folder)
	}
	if err := s.configure(); err != nil {
		s.fault("%v", err)
		return
	}
	for _, verb := range []string{"lint", "generate"} {
		if out, err := s.run(folder, s.whgen, verb); err != nil {
			s.fault("whgen %s: %s", verb, findings(out))
			return
		}
	}
	if err := s.glue(); err != nil {
		s.fault("%v", err)
		return
	}
	for _, verb := range []string{"build", "vet"} {
		if out, err := s.run(s.folder, "go", verb, "./"+s.name+"/..."); err != nil {
			s.fault("go %s: %s", verb, out)
			return
		}
	}
}

// findings are the errors of the output of a verb, without warnings.
func findings(out string) string {
	var kept []string
	for _, line := range strings.Split(out, "\n") {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, " warning: ") && !strings.Contains(line, " information: ") && !strings.HasPrefix(line, "\t") {
			kept = append(kept, line)
		}
	}
	if len(kept) > 3 {
		kept = append(kept[:3], fmt.Sprintf("and %d more", len(kept)-3))
	}
	return strings.Join(kept, "\n")
}

// staticcheck runs once over everything that was generated.
func (m *module) staticcheck(all []*sender) {
	out, err := m.run(m.folder, "go", "run", "honnef.co/go/tools/cmd/staticcheck@v0.8.2", "./...")
	if err == nil {
		return
	}
	found := false
	for _, s := range all {
		if i := strings.Index(out, s.name+string(filepath.Separator)); i >= 0 && len(s.faults) == 0 {
			line, _, _ := strings.Cut(out[i:], "\n")
			s.fault("staticcheck: %s", line)
			found = true
		}
	}
	if !found {
		m.Errorf("staticcheck: %v\n%s", err, out)
	}
}

// deliver builds one program of all that builds, and reads what it says.
func (m *module) deliver(all []*sender) {
	ready := slices.DeleteFunc(slices.Clone(all), func(s *sender) bool { return len(s.receivers) == 0 || len(s.faults) > 0 })
	if err := m.program(ready); err != nil {
		m.Fatal(err)
	}
	out, err := m.run(m.folder, "go", "run", "./deliver", m.folder)
	if err != nil {
		m.Fatalf("deliver: %v\n%s", err, out)
	}
	var results []check.Result
	if err := json.Unmarshal([]byte(out), &results); err != nil {
		m.Fatalf("read the results: %v\n%s", err, out)
	}
	for i, s := range ready {
		s.result = results[i]
		s.faults = append(s.faults, results[i].Faults...)
	}
}

func (s *sender) row() string {
	word := "passed"
	if len(s.faults) > 0 {
		word = "FAILED"
	}
	r := s.result
	line := fmt.Sprintf("%-16s %s  events %3d  payloads %2d  routed %2d  lossless %2d  once %2d", s.name, word, r.Events, r.Payloads, r.Routed, r.Decoded, r.Once)
	for _, f := range s.faults {
		line += "\n    " + strings.ReplaceAll(f, "\n", "\n    ")
	}
	return line
}

func (m *module) run(folder, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return string(out) + errs.String(), err
	}
	return string(out), nil
}
