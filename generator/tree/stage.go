package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// step is one rename or removal that is left to do.
type step struct {
	name   string // relative, for errors
	temp   string // "" for a removal
	target string
}

// stage is everything that is written but not in place.
type stage struct {
	steps   []step
	made    []string // folders
	cleaned map[string]bool
	backups []string
}

// prepare writes an edit's new text beside its place and checks that the old
// one may be replaced.
func (s *stage) prepare(e Edit) error {
	target, err := resolve(filepath.Join(e.root, filepath.FromSlash(e.Path)))
	if err != nil {
		return fmt.Errorf("write %s: %w", e.Path, err)
	}
	folder := filepath.Dir(target)
	if err := s.makeFolder(folder); err != nil {
		return fmt.Errorf("write %s: %w", e.Path, err)
	}
	mode, err := writable(e.Path, target, folder)
	if err != nil {
		return err
	}
	s.sweep(folder)
	if e.Backup {
		if err := s.prepareBackup(e, target, mode); err != nil {
			return err
		}
	}
	if e.Kind == Remove {
		s.steps = append(s.steps, step{name: e.Path, target: target})
		return nil
	}
	return s.write(e.Path, target, e.New, mode)
}

func (s *stage) prepareBackup(e Edit, target string, mode fs.FileMode) error {
	suffix := editedSuffix
	for i := 2; ; i++ {
		if _, err := os.Lstat(target + suffix); errors.Is(err, fs.ErrNotExist) {
			break
		}
		suffix = fmt.Sprintf("%s%d", editedSuffix, i)
	}
	s.backups = append(s.backups, e.Path+suffix)
	return s.write(e.Path+suffix, target+suffix, e.Old, mode)
}

func (s *stage) write(name, target string, text []byte, mode fs.FileMode) error {
	temp := filepath.Join(filepath.Dir(target), tempPrefix+filepath.Base(target)+".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	s.steps = append(s.steps, step{name: name, temp: temp, target: target})
	_, err = f.Write(text)
	if mode != 0 {
		err = errors.Join(err, f.Chmod(mode))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// commit puts everything in its place. From here on an error leaves a mixture,
// which the next run completes; nothing but a rename is left to fail.
func (s *stage) commit() ([]string, error) {
	steps := s.steps
	for i, one := range steps {
		s.steps = steps[i:]
		if one.temp == "" {
			if err := os.Remove(one.target); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("remove %s: %w", one.name, err)
			}
			_ = os.Remove(filepath.Dir(one.target)) // goes only when it is empty
			continue
		}
		if err := os.Rename(one.temp, one.target); err != nil {
			return nil, fmt.Errorf("write %s: %w", one.name, err)
		}
	}
	s.steps, s.made = nil, nil
	return s.backups, nil
}

// undo takes back what is not in place.
func (s *stage) undo() {
	for _, one := range s.steps {
		if one.temp != "" {
			_ = os.Remove(one.temp)
		}
	}
	for i := len(s.made) - 1; i >= 0; i-- {
		_ = os.Remove(s.made[i])
	}
}

// makeFolder makes a folder and those above it, and remembers which were new.
func (s *stage) makeFolder(folder string) error {
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	if err := s.makeFolder(filepath.Dir(folder)); err != nil {
		return err
	}
	err := os.Mkdir(folder, 0o777)
	switch {
	case err == nil:
		s.made = append(s.made, folder)
	case errors.Is(err, fs.ErrExist):
		return nil
	}
	return err
}

// sweep removes what a killed run has left in a folder.
func (s *stage) sweep(folder string) {
	if s.cleaned[folder] {
		return
	}
	if s.cleaned == nil {
		s.cleaned = map[string]bool{}
	}
	s.cleaned[folder] = true
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, tempPrefix) && path.Ext(name) == ".tmp" {
			_ = os.Remove(filepath.Join(folder, name))
		}
	}
}

// writable refuses what its owner has write-protected. The rename would succeed
// all the same, and root is stopped by no permission.
func writable(name, target, folder string) (fs.FileMode, error) {
	if info, err := os.Stat(folder); err == nil && info.Mode().Perm()&0o222 == 0 {
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
