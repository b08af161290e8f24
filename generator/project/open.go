package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/whgen/whgen/generator/lock"
	"github.com/whgen/whgen/spec"
)

// ConfigName is the configuration that is read when none is named.
const ConfigName = "whgen.yaml"

// Project is a whgen.yaml and the folder that its paths start from.
type Project struct {
	root   string // folder of the configuration, as the user named it
	config string // its name in that folder
}

// Open names a configuration; "" means ConfigName in the working directory.
func Open(config string) (*Project, error) {
	named := config != ""
	if !named {
		config = ConfigName
	}
	info, err := os.Stat(config)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil, fmt.Errorf("there is no %s here: run whgen in its folder, or name it with --config", ConfigName)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s", config)
	case err != nil:
		return nil, fmt.Errorf("read the configuration: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; --config names a file such as %s", config, filepath.Join(config, ConfigName))
	}
	return &Project{root: filepath.Dir(config), config: filepath.Base(config)}, nil
}

// reader reads files for spec, relative to the project's folder, and notes what
// it has read.
type reader struct {
	root string
	read map[string]string // digests
}

func (p *Project) reader() *reader { return &reader{root: p.root, read: map[string]string{}} }

func (r *reader) file(name string) ([]byte, error) {
	full := filepath.FromSlash(name)
	if !filepath.IsAbs(full) {
		full = filepath.Join(r.root, full)
	}
	text, err := os.ReadFile(full)
	if err != nil {
		return nil, plainError(err)
	}
	r.read[r.relative(name)] = lock.Digest(text)
	return text, nil
}

// relative is a name as it stands in the lock: the same for a file that is named
// by its absolute path.
func (r *reader) relative(name string) string {
	if filepath.IsAbs(filepath.FromSlash(name)) {
		if root, err := filepath.Abs(r.root); err == nil {
			if inside, err := filepath.Rel(root, filepath.FromSlash(name)); err == nil {
				return filepath.ToSlash(inside)
			}
		}
	}
	return path.Clean(name)
}

// plainError takes the path out of an error of the file system: the finding
// names the file already.
func plainError(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// shown moves findings from the project's folder to the working directory, so
// that an editor finds the files.
func (p *Project) shown(found spec.Diagnostics) spec.Diagnostics {
	moved := make(spec.Diagnostics, len(found))
	for i, d := range found {
		d.Pos.File = p.path(d.Pos.File)
		moved[i] = d
	}
	moved.Sort()
	return moved
}

// path is a name of the project's folder, as seen from the working directory.
func (p *Project) path(name string) string {
	if name == "" || filepath.IsAbs(filepath.FromSlash(name)) {
		return name
	}
	return filepath.ToSlash(filepath.Join(p.root, filepath.FromSlash(name)))
}
