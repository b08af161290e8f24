package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// staged is one step together with what it needs on this machine.
type staged struct {
	step
	target string // Path, links followed
	text   []byte
	mode   fs.FileMode
}

// stage is a run's journal and the texts that belong to it.
type stage struct {
	root    string
	journal journal
	steps   []staged
	backups []string
}

// prepare plans an edit and checks that the old file may be replaced. It writes
// nothing.
func (s *stage) prepare(e Edit) error {
	target, err := resolve(filepath.Join(s.root, filepath.FromSlash(e.Path)))
	if err != nil {
		return fmt.Errorf("write %s: %w", e.Path, err)
	}
	s.planFolder(path.Dir(e.Path))
	mode, err := writable(e.Path, target)
	if err != nil {
		return err
	}
	if err := unchanged(e, target); err != nil {
		return err
	}
	if e.Backup {
		s.prepareBackup(e, target, mode)
	}
	one := staged{step: step{Path: e.Path}, target: target, text: e.New, mode: mode}
	if e.Kind != Add {
		one.Old = digestOf(e.Old)
	}
	if e.Kind != Remove {
		one.New = digestOf(e.New)
	}
	s.steps = append(s.steps, one)
	return nil
}

// prepareBackup plans the copy of an edited file, before the file itself goes.
func (s *stage) prepareBackup(e Edit, target string, mode fs.FileMode) {
	suffix := editedSuffix
	for i := 2; ; i++ {
		if _, err := os.Lstat(target + suffix); errors.Is(err, fs.ErrNotExist) {
			break
		}
		suffix = fmt.Sprintf("%s%d", editedSuffix, i)
	}
	name := e.Path + suffix
	s.backups = append(s.backups, name)
	s.steps = append(s.steps, staged{
		step: step{Path: name, New: digestOf(e.Old)}, target: target + suffix, text: e.Old, mode: mode,
	})
}

// planFolder notes the folders that are missing, outer ones first.
func (s *stage) planFolder(folder string) {
	if slices.Contains(s.journal.Folders, folder) {
		return
	}
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(folder))); err == nil || folder == "." || folder == "/" {
		return
	}
	s.planFolder(path.Dir(folder))
	s.journal.Folders = append(s.journal.Folders, folder)
}

// write puts every new text beside its place. The journal stands before the
// first of them, and says so when the last is there.
func (s *stage) write() error {
	for _, one := range s.steps {
		s.journal.Steps = append(s.journal.Steps, one.step)
	}
	if err := s.journal.write(s.root); err != nil {
		return err
	}
	for _, folder := range s.journal.Folders {
		if err := os.Mkdir(filepath.Join(s.root, filepath.FromSlash(folder)), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make the folder %s: %w", folder, err)
		}
	}
	for _, one := range s.steps {
		if one.removes() {
			continue
		}
		temp := tempOf(one.target)
		_ = os.Remove(temp) // left by a whgen that kept no journal
		if err := writeNew(temp, one.text, one.mode); err != nil {
			return fmt.Errorf("write %s: %w", one.Path, err)
		}
	}
	s.journal.Ready = true
	return s.journal.write(s.root)
}

// commit puts everything in its place. An error or a kill from here on leaves a
// mixture, which the next run completes from the journal.
func (s *stage) commit() error {
	for _, one := range s.steps {
		if err := one.finish(one.target); err != nil {
			return fmt.Errorf("%w; the run was interrupted half-way: whgen generate completes it", err)
		}
	}
	return endJournal(s.root)
}

// finish does a step whose new text lies beside its place.
func (s step) finish(target string) error {
	if !s.removes() {
		if err := os.Rename(tempOf(target), target); err != nil {
			return fmt.Errorf("write %s: %w", s.Path, err)
		}
		return nil
	}
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", s.Path, err)
	}
	_ = os.Remove(filepath.Dir(target)) // goes only when it is empty
	return nil
}

func tempOf(target string) string {
	return filepath.Join(filepath.Dir(target), tempPrefix+filepath.Base(target)+".tmp")
}

// unchanged refuses to replace what somebody has written since the comparison.
func unchanged(e Edit, target string) error {
	old, err := os.ReadFile(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if e.Kind == Add || e.Kind == Remove {
			return nil
		}
	case err != nil && e.Kind != Add:
		return fmt.Errorf("read %s: %w", e.Path, err)
	case err == nil && e.Kind != Add && digestOf(old) == digestOf(e.Old):
		return nil
	case err != nil:
		return nil // the write will say what is wrong with the folder
	}
	return fmt.Errorf("write %s: the file was changed while whgen was generating; run it again", e.Path)
}

// writable refuses what its owner has write-protected. The rename would succeed
// all the same, and root is stopped by no permission.
func writable(name, target string) (fs.FileMode, error) {
	if info, err := os.Stat(filepath.Dir(target)); err == nil && info.Mode().Perm()&0o222 == 0 {
		return 0, fmt.Errorf("write %s: its folder is read-only", name)
	}
	info, err := os.Stat(target)
	if err != nil {
		return 0, nil
	}
	if info.Mode().Perm()&0o222 == 0 {
		return 0, fmt.Errorf("write %s: the file is read-only", name)
	}
	return info.Mode().Perm(), nil
}

// resolve follows a link, so that it stays one.
func resolve(target string) (string, error) {
	info, err := os.Lstat(target)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return target, nil
	}
	return filepath.EvalSymlinks(target)
}
