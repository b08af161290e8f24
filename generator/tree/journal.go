package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// JournalName is the file that stands in the folder of whgen.yaml while Apply is
// at work: a run that is killed leaves it, and the next one reads it.
const JournalName = tempPrefix + "journal"

const journalVersion = 1

// journal says what a run is about to do. It is written twice: before the first
// file is staged, and with Ready when all of them are.
type journal struct {
	Version int      `json:"version"`
	Ready   bool     `json:"ready"`   // every new text lies beside its place
	Folders []string `json:"folders"` // that the run makes, outer ones first
	Steps   []step   `json:"steps"`   // in the order in which they are done
}

// step is one rename or removal. Path is relative to whgen.yaml's folder, with
// forward slashes; Old and New are digests of texts, "" for no file.
type step struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

// removes reports whether the step takes a file away.
func (s step) removes() bool { return s.New == "" }

// digestOf is of the bytes as they are: unlike the lock's digests it tells line
// ends apart.
func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func journalPath(root string) string { return filepath.Join(root, JournalName) }

// write replaces the journal as a whole.
func (j *journal) write(root string) error {
	j.Version = journalVersion
	text, err := json.MarshalIndent(j, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", JournalName, err)
	}
	temp := journalPath(root) + ".tmp"
	_ = os.Remove(temp) // of a run that was killed just here
	if err := writeNew(temp, append(text, '\n'), 0); err != nil {
		return fmt.Errorf("write %s: %w", JournalName, err)
	}
	if err := os.Rename(temp, journalPath(root)); err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("write %s: %w", JournalName, err)
	}
	return nil
}

// readJournal is nil without one.
func readJournal(root string) (*journal, error) {
	text, err := os.ReadFile(journalPath(root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", JournalName, err)
	}
	j := &journal{}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(j); err != nil || j.Version != journalVersion {
		return nil, fmt.Errorf("read %s, which an interrupted run has left: it is not of this version of whgen, or was edited; "+
			"restore the folder from version control, delete the file, and generate again", filepath.ToSlash(journalPath(root)))
	}
	for _, s := range j.Steps {
		if !filepath.IsLocal(filepath.FromSlash(s.Path)) {
			return nil, fmt.Errorf("read %s: %q leads out of the folder", JournalName, s.Path)
		}
	}
	return j, nil
}

// writeNew writes a file that must not be there yet, down to the disk; a mode of
// 0 is the default one.
func writeNew(name string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if mode != 0 {
		err = errors.Join(err, f.Chmod(mode))
	}
	return errors.Join(err, f.Sync(), f.Close())
}
