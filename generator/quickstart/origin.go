package quickstart

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
)

// origin is where the generated program gets the runtime from: a folder, or a
// version that Go fetches.
type origin struct {
	folder  string
	version string
}

// facts are what an origin is chosen by.
type facts struct {
	checkout string       // the working directory is in whgen's own module: its folder
	required string       // the working directory's module requires whgen: the folder of that version
	compiled string       // the folder that this program was compiled from, while it is still there
	module   debug.Module // of this program
}

var errNoOrigin = errors.New("quickstart does not find the runtime that belongs to this whgen: " +
	"run it in a checkout (go run ./cmd/whgen quickstart), or install a release (go install " + modulePath + "/cmd/whgen@latest)")

// decide takes the runtime that this program was built with: generated code fits
// that one. In whgen's own checkout it is the checkout, so that changes show.
func decide(f facts) (origin, error) {
	switch {
	case f.checkout != "":
		return origin{folder: f.checkout}, nil
	case f.module.Path == modulePath && f.module.Sum != "" && f.module.Replace == nil:
		// From the module cache: a version that Go can fetch, unlike the one
		// that is stamped on a build in a checkout.
		return origin{version: f.module.Version}, nil
	case f.compiled != "":
		return origin{folder: f.compiled}, nil
	case f.required != "":
		return origin{folder: f.required}, nil
	}
	return origin{}, errNoOrigin
}

func lookAround(ctx context.Context) facts {
	var f facts
	if info, ok := debug.ReadBuildInfo(); ok {
		f.module = info.Main
	}
	said, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Main}} {{.Dir}}", modulePath).Output()
	if main, folder, ok := strings.Cut(strings.TrimSpace(string(said)), " "); err == nil && ok && isWhgen(folder) {
		if main == "true" {
			f.checkout = folder
		} else {
			f.required = folder
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) { // not with -trimpath
		if folder := filepath.Join(filepath.Dir(file), "..", ".."); isWhgen(folder) {
			f.compiled = folder
		}
	}
	return f
}

// isWhgen reports whether a folder is the root of this module.
func isWhgen(folder string) bool {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	return folder != "" && err == nil && modfile.ModulePath(text) == modulePath
}

// writeModule makes go.mod. From a folder the versions are those that its go.mod
// and go.sum know, so that nothing is downloaded but what building whgen needed.
func (o origin) writeModule(folder string) error {
	text, sums, err := o.module()
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(folder, "go.mod"), text, 0o600),
		os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o600))
}

func (o origin) module() (gomod, gosum []byte, err error) {
	base := []byte("go 1.26.0\n")
	if o.folder != "" {
		if base, err = os.ReadFile(filepath.Join(o.folder, "go.mod")); err != nil {
			return nil, nil, fmt.Errorf("read whgen's go.mod: %w", err)
		}
		if gosum, err = os.ReadFile(filepath.Join(o.folder, "go.sum")); err != nil {
			return nil, nil, fmt.Errorf("read whgen's go.sum: %w", err)
		}
	}
	f, err := modfile.Parse("go.mod", base, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("read whgen's go.mod: %w", err)
	}
	err = f.AddModuleStmt("example.com/quickstart")
	if o.folder == "" {
		err = errors.Join(err, f.AddRequire(modulePath, o.version))
	} else {
		err = errors.Join(err, f.AddRequire(modulePath, "v0.0.0"), f.AddReplace(modulePath, "", o.folder, ""))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("make go.mod: %w", err)
	}
	if gomod, err = f.Format(); err != nil {
		return nil, nil, fmt.Errorf("make go.mod: %w", err)
	}
	return gomod, gosum, nil
}
