package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// ImportPath is the import path of a folder that may not exist yet: the nearest
// go.mod above it decides, be it nested or part of a workspace. The error says
// what to do.
func ImportPath(folder string) (string, error) {
	full, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("find the module of %s: %w", folder, err)
	}
	found, err := importFrom(full)
	if !errors.Is(err, errNoModule) {
		return found, err
	}
	// A link out of a folder that belongs to no module.
	if real, linkErr := filepath.EvalSymlinks(full); linkErr == nil && real != full {
		return importFrom(real)
	}
	return "", err
}

var errNoModule = errors.New("no go.mod in it or above it: run `go mod init <module path>` in the project's folder first")

func importFrom(full string) (string, error) {
	for at := full; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		switch {
		case errors.Is(err, fs.ErrNotExist), err != nil && isFile(at):
			if at == filepath.Dir(at) {
				return "", fmt.Errorf("find the module of %s: %w", full, errNoModule)
			}
		case err != nil:
			return "", fmt.Errorf("find the module of %s: %w", full, err)
		default:
			return join(string(text), at, full)
		}
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

func join(gomod, at, full string) (string, error) {
	file := filepath.Join(at, "go.mod")
	parsed, err := modfile.ParseLax(file, []byte(gomod), nil)
	switch {
	case err != nil:
		return "", fmt.Errorf("read the module's name: %w", err)
	case parsed.Module == nil || parsed.Module.Mod.Path == "":
		return "", fmt.Errorf("read %s: it has no module line", file)
	}
	name := parsed.Module.Mod.Path
	inside, err := filepath.Rel(at, full)
	if err != nil {
		return "", fmt.Errorf("find the module of %s: %w", full, err)
	}
	found := path.Join(name, filepath.ToSlash(inside))
	below := strings.TrimPrefix(strings.TrimPrefix(found, name), "/")
	if below != "" {
		if err := module.CheckImportPath(below); err != nil {
			return "", fmt.Errorf("the folder %s cannot hold a Go package: %w; choose another `out` in whgen.yaml", inside, err)
		}
	}
	return found, nil
}
