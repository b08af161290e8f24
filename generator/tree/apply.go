package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/whgen/whgen/generator/lock"
)

// tempPrefix begins the names of files that are not in place yet. Go ignores
// names that begin with a dot, and none of ours ends in .go or .sql.
const tempPrefix = ".whgen-"

// editedSuffix ends the name of the copy of an edited file.
const editedSuffix = ".edited"

// Apply makes the changes of all receivers, or none of them: what cannot be
// written is found out before the first rename, and a journal lets Recover
// complete what is interrupted after it. It refuses changes with Findings of
// severity Error, and files that were changed since the comparison. Files that do
// not change are not touched, nor is their time. Two processes that apply to one
// folder wait for each other. The names of the copies of edited files are
// returned.
func Apply(root string, all ...*Changes) (backups []string, err error) {
	var edits []Edit
	for _, c := range all {
		if c.Findings.HasErrors() {
			return nil, errors.New("apply changes: there are findings")
		}
		edits = append(edits, c.Edits...)
	}
	if len(edits) == 0 {
		return nil, nil
	}
	// The locks go last: one never claims what is not there, and until then the
	// old one tells what is half-way from what somebody edited.
	slices.SortStableFunc(edits, func(a, b Edit) int { return rank(a) - rank(b) })
	defer exclusive(root)()
	if exists(journalPath(root)) {
		return nil, errors.New("another whgen was interrupted in this folder meanwhile; run it again")
	}
	s := &stage{root: root}
	for _, e := range edits {
		if err := s.prepare(e); err != nil {
			return nil, err
		}
	}
	if err := s.write(); err != nil {
		return nil, errors.Join(err, s.journal.takeBack(root))
	}
	return s.backups, s.commit()
}

func rank(e Edit) int {
	if path.Base(e.Path) == lock.Name {
		return 1
	}
	return 0
}

// exclusive waits for other processes that write into the same folder. The lock
// lies in the system's temporary folder; where that cannot be, the run goes on
// without it.
func exclusive(root string) (unlock func()) {
	full, err := filepath.Abs(root)
	if err != nil {
		return func() {}
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	sum := sha256.Sum256([]byte(full))
	name := filepath.Join(os.TempDir(), "whgen-"+hex.EncodeToString(sum[:8])+".lock")
	unlock, err = lockedfile.MutexAt(name).Lock()
	if err != nil {
		return func() {}
	}
	return unlock
}
