package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/spec"
)

// Plans are the plans of receivers, in the order of the configuration: of all
// of them, of those whose source is named, or of those that read a file that is
// named. A file that the configuration does not know is read alone. No go.mod
// is needed, so the plans' import paths are made up. Without errors among the
// findings all plans are there; the error is about what could not be read at
// all, or a name that nobody has.
func Plans(config, named string) ([]*generator.Plan, spec.Diagnostics, error) {
	p, err := Open(config)
	if err != nil && (!isFileName(named) || config != "" || !errors.Is(statConfig(), fs.ErrNotExist)) {
		return nil, nil, err
	}
	if err != nil {
		plans, found := planAlone(named)
		return plans, found, nil
	}
	receivers, found := p.receivers()
	if found.HasErrors() {
		return nil, p.shown(found), nil
	}
	if isFileName(named) {
		if receivers = p.using(receivers, named); len(receivers) == 0 {
			plans, found := planAlone(named)
			return plans, found, nil
		}
		named = ""
	}
	plans, more, sources := p.plansOf(receivers, named)
	found = append(found, more...)
	if named != "" && !slices.Contains(sources, named) && !found.HasErrors() {
		return nil, nil, fmt.Errorf("no receiver of %s has the source %q; there is %s", p.config, named, strings.Join(sources, ", "))
	}
	return plans, p.shown(found), nil
}

// isFileName tells a file from a source, whose name has neither dot nor slash.
func isFileName(named string) bool { return strings.ContainsAny(named, `./\`) }

// plansOf plans the receivers of one source, "" for every source. Findings of
// the others are left out.
func (p *Project) plansOf(receivers []spec.Receiver, source string) (plans []*generator.Plan, found spec.Diagnostics, sources []string) {
	for _, r := range receivers {
		c, more := load(r, p.reader())
		if c == nil {
			found = append(found, more...)
			continue
		}
		if !slices.Contains(sources, c.Source) {
			sources = append(sources, c.Source)
		}
		if source != "" && c.Source != source {
			continue
		}
		plan, problems := planFor(c)
		found = append(append(found, more...), problems...)
		if plan != nil {
			plans = append(plans, plan)
		}
	}
	return plans, found, sources
}

func planAlone(file string) ([]*generator.Plan, spec.Diagnostics) {
	alone := &Project{root: ".", config: ConfigName}
	c, found := spec.LoadFile(filepath.ToSlash(file), alone.reader().file)
	if c == nil {
		return nil, alone.shown(found)
	}
	plan, more := planFor(c)
	if found = append(found, more...); plan == nil {
		return nil, alone.shown(found)
	}
	return []*generator.Plan{plan}, alone.shown(found)
}

// planFor makes a plan for reading: the import path does not matter.
func planFor(c *spec.Contract) (*generator.Plan, spec.Diagnostics) {
	return generator.NewPlan(c, generator.PlanOptions{Import: path.Join("example.com", generator.Out(c))})
}
