package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whgen/whgen/generator"
)

// findStale adds the removal of generated files that are no longer produced. It
// looks only into folders that the generator writes to, never into those that
// the user made below, and not at migrations, which are never taken back.
func (c *Changes) findStale(t Target, want map[string]bool) error {
	for _, folder := range staleFolders(t) {
		entries, err := os.ReadDir(filepath.Join(t.Root, filepath.FromSlash(folder)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("list %s: %w", folder, err)
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			if !e.Type().IsRegular() || want[name] || isLeftover(e.Name()) {
				continue
			}
			if err := c.staleFile(t, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Changes) staleFile(t Target, name string) error {
	old, found, err := readFile(t.Root, name)
	if err != nil || !found {
		return err
	}
	inside := t.inside(name)
	if !IsOurs(inside, old) {
		return nil
	}
	digest := t.digest(inside)
	c.Edits = append(c.Edits, Edit{Kind: Remove, Path: name, Old: old, Backup: edited(old, digest, inside)})
	return nil
}

// isLeftover reports whether a name is that of an unfinished file or of the copy
// of an edited one. Both have our header, neither is a generated file.
func isLeftover(name string) bool {
	copied := strings.HasPrefix(path.Ext(name), editedSuffix)
	return copied || strings.HasPrefix(name, tempPrefix)
}

func staleFolders(t Target) []string {
	out := path.Clean(t.Out)
	folders := []string{out, path.Join(out, "db"), path.Join(out, "queries")}
	add := func(inside string) {
		if inside != "" && path.Dir(inside) != "migrations" {
			folders = append(folders, path.Join(out, path.Dir(inside)))
		}
	}
	for _, f := range t.Files {
		if !f.Once && !f.Append {
			add(t.inside(f.Path))
		}
	}
	if t.Old != nil {
		for inside := range t.Old.Files {
			add(inside)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// Digests are the lock's lines for files: those inside the output folder that
// are generated, without scaffolds.
func Digests(out string, files []generator.File, digest func([]byte) string) map[string]string {
	t, digests := Target{Out: out}, map[string]string{}
	for _, f := range files {
		if inside := t.inside(f.Path); inside != "" && !f.Once {
			digests[inside] = digest(f.Data)
		}
	}
	return digests
}
