package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Recovery says how an earlier run was interrupted, and what came of it.
type Recovery struct {
	Ready bool     // all new texts were written: the run is completed, else taken back
	Done  int      // steps that this run has done, or, in a check, that wait
	Left  []string // files that somebody has changed since: they stay, and are compared as any
}

// Recover deals with a run that was killed or failed half-way in a folder: one
// that had all its new texts beside their places is completed, any other one is
// taken back, as it has changed nothing. Nobody's file is overwritten: a step is
// done only where its file is what the run had found. It is nil where there is
// nothing to do. With check it looks and changes nothing. Processes that write to
// the folder are waited for.
func Recover(root string, check bool) (*Recovery, error) {
	if !exists(journalPath(root)) && !exists(journalPath(root)+".tmp") {
		return nil, nil
	}
	defer exclusive(root)()
	j, err := readJournal(root)
	switch {
	case err != nil:
		return nil, err
	case j == nil && check && exists(journalPath(root)+".tmp"):
		return &Recovery{}, nil // it was killed while it wrote the journal
	case j == nil && check: // it has ended meanwhile
		return nil, nil
	case j == nil:
		return nil, endJournal(root)
	case check:
		return &Recovery{Ready: j.Ready, Done: len(j.Steps)}, nil
	case !j.Ready:
		return &Recovery{}, j.takeBack(root)
	}
	return j.complete(root)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// takeBack removes what a run has staged.
func (j *journal) takeBack(root string) error {
	for _, s := range j.Steps {
		target, err := resolve(filepath.Join(root, filepath.FromSlash(s.Path)))
		if err != nil || s.removes() || !exists(tempOf(target)) {
			continue
		}
		if err := os.Remove(tempOf(target)); err != nil {
			return fmt.Errorf("take back %s: %w", s.Path, err)
		}
	}
	for i := len(j.Folders) - 1; i >= 0; i-- {
		_ = os.Remove(filepath.Join(root, filepath.FromSlash(j.Folders[i]))) // goes only when it is empty
	}
	return endJournal(root)
}

// complete does the steps that are left.
func (j *journal) complete(root string) (*Recovery, error) {
	r := &Recovery{Ready: true}
	for _, s := range j.Steps {
		target, err := resolve(filepath.Join(root, filepath.FromSlash(s.Path)))
		if err != nil {
			return nil, fmt.Errorf("complete %s: %w", s.Path, err)
		}
		now, staged := fileDigest(target), fileDigest(tempOf(target))
		switch {
		case now == s.New:
			// Done before the kill.
		case now == s.Old && (s.removes() || staged == s.New):
			if err := s.finish(target); err != nil {
				return nil, err
			}
			r.Done++
			continue
		default:
			r.Left = append(r.Left, s.Path)
		}
		if staged != "" {
			_ = os.Remove(tempOf(target))
		}
	}
	return r, endJournal(root)
}

// fileDigest is "" where no file can be read.
func fileDigest(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return digestOf(text)
}

// endJournal says that nothing is half-way any more.
func endJournal(root string) error {
	for _, name := range []string{journalPath(root) + ".tmp", journalPath(root)} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", filepath.Base(name), err)
		}
	}
	return nil
}
