package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/whgen/whgen/spec"
)

// Lint gives the findings of contracts without generating: of those of the
// configuration, or of the files that are named. A named file that the
// configuration knows, as contract or overlay, is read as it says there. The
// error is about what could not be read at all.
func Lint(config string, files []string) (spec.Diagnostics, error) {
	if len(files) == 0 {
		p, err := Open(config)
		if err != nil {
			return nil, err
		}
		receivers, found := p.receivers()
		return p.shown(append(found, p.lint(receivers)...)), nil
	}
	var all spec.Diagnostics
	for _, file := range files {
		found, err := lintFile(config, file)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	all.Sort()
	return all, nil
}

func lintFile(config, file string) (spec.Diagnostics, error) {
	if info, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, plainError(err))
	} else if info.IsDir() {
		return nil, fmt.Errorf("read %s: it is a folder", file)
	}
	p, err := Open(config)
	switch {
	case err == nil:
		receivers, _ := p.receivers()
		if known := p.using(receivers, file); len(known) > 0 {
			return p.shown(p.lint(known)), nil
		}
	case config != "" || !errors.Is(statConfig(), fs.ErrNotExist):
		return nil, err
	}
	alone := &Project{root: ".", config: ConfigName}
	name := filepath.ToSlash(file)
	return alone.shown(lintOne(spec.LoadFile(name, alone.reader().file))), nil
}

func statConfig() error {
	_, err := os.Stat(ConfigName)
	return err
}

// using are the receivers that read a file.
func (p *Project) using(receivers []spec.Receiver, file string) []spec.Receiver {
	want, err := os.Stat(file)
	if err != nil {
		return nil
	}
	is := func(name string) bool {
		got, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(name)))
		return err == nil && os.SameFile(want, got)
	}
	var known []spec.Receiver
	for _, r := range receivers {
		if is(r.Contract) || slices.ContainsFunc(r.Overlays, is) {
			known = append(known, r)
		}
	}
	return known
}

func (p *Project) lint(receivers []spec.Receiver) spec.Diagnostics {
	var all spec.Diagnostics
	for _, r := range receivers {
		all = append(all, lintOne(load(r, p.reader()))...)
	}
	return all
}

// lintOne adds what only the plan can see, such as names that collide. The
// import path does not matter for that.
func lintOne(c *spec.Contract, found spec.Diagnostics) spec.Diagnostics {
	if c == nil || found.HasErrors() {
		return found
	}
	_, more := planFor(c)
	return append(found, more...)
}
