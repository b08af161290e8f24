package project

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/generator/lock"
	"github.com/whgen/whgen/generator/sqlcrun"
	"github.com/whgen/whgen/generator/tree"
	"github.com/whgen/whgen/spec"
)

// Progress is told what begins; it may be nil.
type Progress func(step string)

func (p Progress) begin(step string) {
	if p != nil {
		p(step)
	}
}

// Result is what a generation came to.
type Result struct {
	Receivers []Summary
	Findings  spec.Diagnostics // positions relative to the working directory
	Drift     bool             // a check found differences
	Diff      []byte           // of a check, unified
	Backups   []string         // copies of edited files
	Recovered *tree.Recovery   // what an interrupted run had left; nil without one
}

// Failed reports whether the verb has findings that its user must act on.
func (r *Result) Failed() bool { return r.Drift || r.Findings.HasErrors() }

// work is one receiver on its way.
type work struct {
	contract *spec.Contract
	plan     *generator.Plan
	inputs   map[string]string
	files    []generator.File
	old      *lock.Lock
	kept     []string        // of the lock
	edited   map[string]bool // migrations
	queries  string          // digest
	changes  *tree.Changes
}

// Generate brings the folders of all receivers up to date, or, with check, only
// says what differs. Where a contract has errors, or a file stands in the way,
// nothing is written for any of them: that is in the Result. What an interrupted
// run has left is completed or taken back first; a check reports it. The error is
// about what could not be done at all; the Result is there all the same.
func (p *Project) Generate(ctx context.Context, check bool, progress Progress) (*Result, error) {
	recovered, err := tree.Recover(p.root, check)
	if err != nil {
		return nil, err
	}
	r, err := p.generate(ctx, check, progress)
	if r == nil {
		r = &Result{}
	}
	r.Recovered = recovered
	if recovered != nil {
		for i, name := range recovered.Left {
			recovered.Left[i] = p.path(name)
		}
		if check {
			r.Findings = append(r.Findings, p.interrupted(recovered))
			r.Findings.Sort()
		}
	}
	return r, err
}

func (p *Project) generate(ctx context.Context, check bool, progress Progress) (*Result, error) {
	progress.begin("reading contracts")
	works, found, err := p.plan()
	if err != nil || found.HasErrors() {
		return &Result{Findings: p.shown(found)}, err
	}
	for _, w := range works {
		progress.begin("generating " + w.plan.Out)
		if w.files, err = generator.Generate(w.plan); err != nil {
			return nil, fmt.Errorf("generate %s: %w", w.plan.Out, err)
		}
		more := p.readLock(w)
		if !more.HasErrors() {
			next, err := p.evolve(w)
			if err != nil {
				return nil, err
			}
			more = append(more, next...)
		}
		found = append(found, more...)
	}
	if found.HasErrors() {
		return &Result{Findings: p.shown(found)}, nil
	}
	if err := p.compileQueries(ctx, works, progress); err != nil {
		return nil, err
	}
	return p.settle(works, found, check, progress)
}

// settle compares the files with the tree and, unless this is a check, writes them.
func (p *Project) settle(works []*work, found spec.Diagnostics, check bool, progress Progress) (*Result, error) {
	progress.begin("comparing files")
	var all []*tree.Changes
	for _, w := range works {
		w.addLock()
		var err error
		w.changes, err = tree.Compare(tree.Target{Root: p.root, Out: w.plan.Out, Files: w.files, Old: w.old})
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", w.plan.Out, err)
		}
		found = append(found, w.changes.Findings...)
		all = append(all, w.changes)
	}
	r := &Result{Findings: p.shown(found)}
	for _, w := range works {
		r.Receivers = append(r.Receivers, w.summary())
		r.Drift = r.Drift || check && w.changes.Drift()
		if check {
			r.Diff = append(r.Diff, w.changes.Diff()...)
		}
	}
	if check || r.Findings.HasErrors() {
		return r, nil
	}
	progress.begin("writing files")
	var err error
	r.Backups, err = tree.Apply(p.root, all...)
	for i, name := range r.Backups {
		r.Backups[i] = p.path(name)
	}
	return r, err
}

// plan loads and plans every receiver. Without errors among the findings all of
// them are there.
func (p *Project) plan() ([]*work, spec.Diagnostics, error) {
	receivers, found := p.receivers()
	var works []*work
	folders, mains := map[string]spec.Pos{}, map[string]spec.Pos{}
	for _, r := range receivers {
		w, more, err := p.planOne(r)
		found = append(found, more...)
		if err != nil {
			return nil, found, err
		}
		if w == nil || w.plan == nil {
			continue
		}
		if _, taken := folders[w.plan.Out]; taken {
			found = append(found, spec.Diagnostic{
				Pos: r.Pos, Severity: spec.Error, Rule: "out-twice",
				Message: fmt.Sprintf("two receivers write to the folder %s", w.plan.Out), Hint: "give one of them another `out`",
			})
		}
		found = append(found, beside(works, w, r.Pos)...)
		folders[w.plan.Out] = r.Pos
		if main := w.plan.Scaffold.Main; main != "" {
			if _, taken := mains[main]; taken {
				found = append(found, spec.Diagnostic{
					Pos: r.Pos, Severity: spec.Error, Rule: "main-twice",
					Message: fmt.Sprintf("two receivers would scaffold their main into the folder %s", main),
					Hint:    "give one of them another folder, such as `scaffold: {main: cmd/" + path.Base(w.plan.Out) + "-receiver}`",
				})
			}
			mains[main] = r.Pos
		}
		works = append(works, w)
	}
	return works, found, nil
}

// beside holds a receiver against those before it: one must not stand in a folder
// that another fills, and two whose tables have one prefix are for two databases.
func beside(works []*work, w *work, at spec.Pos) spec.Diagnostics {
	var found spec.Diagnostics
	for _, other := range works {
		a, b := w.plan, other.plan
		for _, pair := range [][2]string{{a.Out, b.Out}, {b.Out, a.Out}} {
			for _, own := range []string{"db", "queries", "migrations"} {
				if folder := path.Join(pair[1], own); pair[0] == folder || strings.HasPrefix(pair[0], folder+"/") {
					found = append(found, spec.Diagnostic{Pos: at, Severity: spec.Error, Rule: "out-twice",
						Message: fmt.Sprintf("the folder %s is inside of %s, which another receiver fills", pair[0], folder), Hint: "give it a folder beside"})
				}
			}
		}
		if a.SQL.Prefix == b.SQL.Prefix && (a.Engine == generator.SQLite) == (b.Engine == generator.SQLite) {
			found = append(found, spec.Diagnostic{Pos: at, Severity: spec.Warning, Rule: "tables-shared",
				Message: fmt.Sprintf("the receivers in %s and %s have tables with one prefix, %s: on one database they would take each other's events for repeats", b.Out, a.Out, a.SQL.Prefix),
				Hint:    "give one of them another `source` or `tablePrefix`, or keep them on two databases"})
		}
	}
	return found
}

func (p *Project) planOne(r spec.Receiver) (*work, spec.Diagnostics, error) {
	files := p.reader()
	c, found := load(r, files)
	if c == nil || found.HasErrors() {
		return nil, found, nil
	}
	found.Sort()
	imported, err := ImportPath(p.onDisk(generator.Out(c)))
	if err != nil {
		return nil, found, err
	}
	plan, more := generator.NewPlan(c, generator.PlanOptions{Import: imported})
	return &work{contract: c, plan: plan, inputs: files.read}, append(found, more...), nil
}

// readLock reads the lock of the last generation. One that cannot be read is a
// finding: its digests say which files were edited.
func (p *Project) readLock(w *work) spec.Diagnostics {
	name := path.Join(w.plan.Out, lock.Name)
	text, err := p.reader().file(name)
	if err != nil {
		return nil // there is none, or the comparison will say what stands there
	}
	if w.old, err = lock.Parse(text); err == nil {
		return w.gained()
	}
	return spec.Diagnostics{lockFinding(name, err)}
}

// compileQueries adds sqlc's files. Packages whose queries are those of the last
// time keep what stands there; the others share one run.
func (p *Project) compileQueries(ctx context.Context, works []*work, progress Progress) error {
	var todo []*work
	var inputs [][]generator.File
	for _, w := range works {
		in := sqlcrun.Inputs(w.plan.Out, w.files)
		w.queries = sqlcrun.Digest(in)
		if kept := p.compiled(w); kept != nil {
			w.files = append(w.files, kept...)
			continue
		}
		todo, inputs = append(todo, w), append(inputs, in)
	}
	if len(todo) == 0 {
		return nil
	}
	progress.begin("compiling queries with sqlc")
	outputs, err := sqlcrun.Run(ctx, inputs)
	if err != nil {
		return blameMigrations(todo, err)
	}
	for i, w := range todo {
		for _, f := range outputs[i] {
			w.files = append(w.files, generator.File{Path: path.Join(w.plan.Out, f.Path), Data: f.Data})
		}
	}
	return nil
}

// compiled is what sqlc gave the last time, when its inputs are the same and
// every file is still as it was written; nil otherwise.
func (p *Project) compiled(w *work) []generator.File {
	if w.old == nil || w.old.Queries != w.queries {
		return nil
	}
	var kept []generator.File
	for inside, digest := range w.old.Files {
		if !strings.HasPrefix(inside, "db/") {
			continue
		}
		name := path.Join(w.plan.Out, inside)
		text, err := p.reader().file(name)
		if err != nil || lock.Digest(text) != digest {
			return nil
		}
		kept = append(kept, generator.File{Path: name, Data: lock.Normal(text)})
	}
	return kept
}

func (w *work) addLock() {
	l := lock.Lock{
		Source: w.plan.Source, Engine: string(w.plan.Engine), Queries: w.queries, Inputs: w.inputs,
		Files: tree.Digests(w.plan.Out, w.files, lock.Digest), Kept: w.kept,
	}
	for _, f := range w.files {
		switch {
		case f.Once:
			l.Scaffolds = append(l.Scaffolds, f.Path)
		case w.edited[f.Path]:
			// As it was written: an edit stays known as one.
			l.Files[strings.TrimPrefix(f.Path, path.Clean(w.plan.Out)+"/")] = w.written(f.Path)
		}
	}
	for _, u := range w.contract.Uncovered {
		l.Uncovered = append(l.Uncovered, u.Name)
	}
	w.files = append(w.files, generator.File{Path: path.Join(w.plan.Out, lock.Name), Data: l.Encode()})
	slices.SortFunc(w.files, func(a, b generator.File) int { return cmp.Compare(a.Path, b.Path) })
}
