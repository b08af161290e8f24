package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/generator/lock"
	"github.com/whgen/whgen/spec"
)

// Target is what one receiver's folder should hold.
type Target struct {
	Root  string           // folder of whgen.yaml; paths are relative to it
	Out   string           // output folder, forward slashes
	Files []generator.File // all of them, also whgen.lock
	Old   *lock.Lock       // the lock that stands there; nil without
}

// Kind says what happens to a file.
type Kind int

// The kinds of edits.
const (
	Add Kind = iota
	Change
	Remove
)

// Edit is one file that differs.
type Edit struct {
	Kind   Kind
	Path   string // relative to Root, forward slashes
	Old    []byte
	New    []byte
	Append bool // a migration
	Once   bool // a scaffold
	Backup bool // the old text was edited by hand: it is kept beside
}

// Changes is the difference between a folder and its target.
type Changes struct {
	Edits     []Edit // sorted by Path
	Unchanged int    // generated files that are as they should be
	Findings  spec.Diagnostics
}

// Compare reads the folder. Files that stand in the way without being ours are
// Findings of severity Error: then nothing may be written. The error is of the
// file system.
func Compare(t Target) (*Changes, error) {
	c, want := &Changes{}, map[string]bool{}
	for _, f := range t.Files {
		want[f.Path] = true
		if err := c.compareFile(t, f); err != nil {
			return nil, err
		}
	}
	if err := c.findStale(t, want); err != nil {
		return nil, err
	}
	sort.Slice(c.Edits, func(i, j int) bool { return c.Edits[i].Path < c.Edits[j].Path })
	c.Findings.Sort()
	return c, nil
}

func (c *Changes) compareFile(t Target, f generator.File) error {
	old, found, err := readFile(t.Root, f.Path)
	var odd *notFileError
	switch {
	case errors.As(err, &odd):
		c.notOurs(f.Path, "is "+odd.what)
		return nil
	case err != nil:
		return err
	case !found:
		c.missing(t, f)
		return nil
	case f.Once:
		return nil
	case f.Append:
		c.Unchanged++ // never changed, whatever stands in it
		return nil
	case bytes.Equal(lock.Normal(old), lock.Normal(f.Data)):
		c.Unchanged++
		return nil
	}
	inside := t.inside(f.Path)
	digest := t.digest(inside)
	switch {
	case !IsOurs(inside, old):
		c.notOurs(f.Path, "was not written by whgen, and the generator needs its name")
	default:
		c.Edits = append(c.Edits, Edit{Kind: Change, Path: f.Path, Old: old, New: f.Data, Backup: edited(old, digest, inside)})
	}
	return nil
}

// missing adds a file that is not there. A scaffold that was written before and
// is gone was moved or deleted on purpose.
func (c *Changes) missing(t Target, f generator.File) {
	if f.Once && t.Old != nil && slices.Contains(t.Old.Scaffolds, f.Path) {
		return
	}
	c.Edits = append(c.Edits, Edit{Kind: Add, Path: f.Path, New: f.Data, Append: f.Append, Once: f.Once})
}

func (c *Changes) notOurs(file, why string) {
	c.Findings = append(c.Findings, spec.Diagnostic{
		Pos: spec.Pos{File: file}, Severity: spec.Error, Rule: "file-not-ours",
		Message: "the file " + why, Hint: "rename it, or choose another `out` in whgen.yaml; nothing was written",
	})
}

// edited reports whether somebody changed a generated file: it is not what the
// lock says. What a merge left half-done is no edit worth keeping, and the lock
// holds no digest of itself.
func edited(old []byte, digest, inside string) bool {
	return digest != "" && inside != lock.Name && lock.Digest(old) != digest && !lock.HasConflict(old)
}

func (t Target) inside(file string) string {
	if rest, ok := strings.CutPrefix(file, path.Clean(t.Out)+"/"); ok {
		return rest
	}
	if path.Clean(t.Out) == "." {
		return file
	}
	return ""
}

// digest is what the lock says of a file, "" where it says nothing.
func (t Target) digest(inside string) string {
	if t.Old == nil {
		return ""
	}
	return t.Old.Files[inside]
}

type notFileError struct{ what string }

func (e *notFileError) Error() string { return "path is " + e.what }

// readFile reads a regular file, through links.
func readFile(root, name string) (text []byte, found bool, err error) {
	full := filepath.Join(root, filepath.FromSlash(name))
	info, err := os.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(full); err == nil {
			return nil, false, &notFileError{"a link that leads nowhere"}
		}
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("look at %s: %w", name, err)
	case info.IsDir():
		return nil, false, &notFileError{"a folder"}
	case !info.Mode().IsRegular():
		return nil, false, &notFileError{"no regular file"}
	}
	if text, err = os.ReadFile(full); err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	return text, true, nil
}
