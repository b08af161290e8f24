package sqlcrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whgen/whgen/generator"
)

// Version is the sqlc that is linked in. It is part of Digest, so that another
// sqlc compiles everything again.
const Version = "v1.31.1"

// Error says that sqlc refused what we gave it: a mistake of ours, not of the
// contract's author.
type Error struct {
	Output string // what sqlc printed
}

func (e *Error) Error() string {
	return "internal error: sqlc refused the generated queries; please report this with the contract:\n" + e.Output
}

// Inputs are the files of a package that sqlc reads, with paths relative to its
// folder: sqlc.yaml, queries/ and migrations/.
func Inputs(out string, files []generator.File) []generator.File {
	var inputs []generator.File
	for _, f := range files {
		inside, ok := strings.CutPrefix(f.Path, path.Clean(out)+"/")
		if !ok {
			continue
		}
		if folder := path.Dir(inside); inside == "sqlc.yaml" || folder == "queries" || folder == "migrations" {
			inputs = append(inputs, generator.File{Path: inside, Data: f.Data})
		}
	}
	return inputs
}

// Digest tells inputs apart: two with the same digest compile to the same Go.
func Digest(inputs []generator.File) string {
	sorted := slices.Clone(inputs)
	slices.SortFunc(sorted, func(a, b generator.File) int { return strings.Compare(a.Path, b.Path) })
	h := sha256.New()
	_, _ = io.WriteString(h, "sqlc "+Version+"\n")
	for _, f := range sorted {
		fmt.Fprintf(h, "%q %d\n", f.Path, len(f.Data))
		_, _ = h.Write(f.Data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Run compiles several packages in one go and returns the Go files of each, in
// the order of the packages, paths relative to the package's folder, sorted. The
// files carry no version. The error is an *Error when sqlc says no; nothing is
// left behind in any case. Safe for concurrent use.
func Run(ctx context.Context, packages [][]generator.File) (_ [][]generator.File, err error) {
	if len(packages) == 0 {
		return nil, nil
	}
	sweep()
	temp, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a folder for sqlc: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	folders := make([]string, len(packages))
	for i, inputs := range packages {
		folders[i] = filepath.Join(temp, strconv.Itoa(i))
		if err := writeInputs(folders[i], inputs); err != nil {
			return nil, err
		}
	}
	if err := start(ctx, temp, folders); err != nil {
		return nil, err
	}
	outputs := make([][]generator.File, len(packages))
	for i, folder := range folders {
		if outputs[i], err = readOutput(folder); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

const (
	tempPrefix = "whgen-sqlc-"
	abandoned  = time.Hour // longer than any run
)

// sweep removes the folders of runs that were killed.
func sweep() {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), tempPrefix+"*"))
	if err != nil {
		return
	}
	for _, folder := range left {
		if info, err := os.Lstat(folder); err == nil && info.IsDir() && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(folder)
		}
	}
}

func writeInputs(folder string, inputs []generator.File) error {
	for _, f := range inputs {
		full := filepath.Join(folder, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return fmt.Errorf("write %s for sqlc: %w", f.Path, err)
		}
		if err := os.WriteFile(full, f.Data, 0o600); err != nil {
			return fmt.Errorf("write %s for sqlc: %w", f.Path, err)
		}
	}
	return nil
}

func start(ctx context.Context, temp string, folders []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the own executable for sqlc: %w", err)
	}
	var said bytes.Buffer
	c := exec.CommandContext(ctx, self, folders...)
	c.Dir, c.Stdout, c.Stderr = temp, &said, &said
	c.Env = childEnvironment(os.Environ())
	err = c.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("run sqlc: %w", ctx.Err())
	case errors.As(err, &ended):
		return &Error{Output: readable(said.String(), temp)}
	default:
		return fmt.Errorf("run sqlc: %w", err)
	}
}

// childEnvironment leaves out what would switch something on in sqlc.
func childEnvironment(env []string) []string {
	kept := []string{childVariable + "=1"}
	for _, one := range env {
		if !strings.HasPrefix(one, "SQLC") && !strings.HasPrefix(one, childVariable) {
			kept = append(kept, one)
		}
	}
	return kept
}

// readable shortens the lists of every keyword that sqlc's SQLite parser expected,
// and takes the temporary folder out.
func readable(said, temp string) string {
	var b strings.Builder
	for line := range strings.Lines(said) {
		line = strings.TrimRight(strings.ReplaceAll(line, temp+string(filepath.Separator), ""), "\r\n")
		if before, _, ok := strings.Cut(line, " expecting {"); ok {
			line = before
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func readOutput(folder string) ([]generator.File, error) {
	var files []generator.File
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		files = append(files, generator.File{Path: filepath.ToSlash(inside), Data: withoutVersion(text)})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what sqlc wrote: %w", err)
	}
	if len(files) == 0 {
		return nil, errors.New("read what sqlc wrote: it wrote nothing")
	}
	return files, nil
}

// withoutVersion drops the lines "// versions:" and "//   sqlc v1.2.3" of the
// header: the same queries give the same bytes.
func withoutVersion(text []byte) []byte {
	var b bytes.Buffer
	head := true
	for line := range bytes.Lines(text) {
		head = head && !bytes.HasPrefix(line, []byte("package "))
		said := strings.TrimSpace(string(line))
		if head && (said == "// versions:" || strings.HasPrefix(said, "//   sqlc v")) {
			continue
		}
		b.Write(line)
	}
	return b.Bytes()
}
