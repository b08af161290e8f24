package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/generator/evolution"
	"github.com/whgen/whgen/generator/lock"
	"github.com/whgen/whgen/generator/sqlcrun"
	"github.com/whgen/whgen/generator/tree"
	"github.com/whgen/whgen/spec"
)

// evolve puts the migrations that exist in the place of the first one, and the
// next one after them where the contract needs other tables than they make.
func (p *Project) evolve(w *work) (spec.Diagnostics, error) {
	i := slices.IndexFunc(w.files, func(f generator.File) bool { return f.Append })
	folder := strings.TrimSuffix(w.files[i].Path, "/"+path.Base(w.files[i].Path))
	existing, found, err := p.migrations(w, folder)
	if err != nil {
		return nil, err
	}
	if other := w.otherEngine(); other != "" && len(existing) > 0 {
		return append(found, spec.Diagnostic{
			Pos: spec.Pos{File: path.Join(folder, existing[0].Name)}, Severity: spec.Error, Rule: "migration-changed",
			Message: fmt.Sprintf("the migrations are written for %s, and the engine is %s now", other, w.plan.Engine),
			Hint:    "generate into another folder; where no database has these migrations yet, delete them and generate again",
		}), nil
	}
	out := evolution.Next(evolution.Input{
		Dialect: dialect(w.plan.Engine), Prefix: w.plan.SQL.Prefix, Folder: folder, Existing: existing,
		Init: string(w.files[i].Data), Kept: w.leftBefore(), Known: w.knownMigrations(), Where: w.where,
	})
	w.kept = out.Kept
	w.files = slices.Delete(w.files, i, i+1)
	if out.Next != nil {
		existing = append(existing, *out.Next)
	}
	for _, m := range existing {
		w.files = append(w.files, generator.File{Path: folder + "/" + m.Name, Data: []byte(m.Text), Append: true})
	}
	return append(found, out.Findings...), nil
}

// migrations reads what stands in the folder, and warns of what was edited.
func (p *Project) migrations(w *work, folder string) ([]evolution.Migration, spec.Diagnostics, error) {
	entries, err := os.ReadDir(p.onDisk(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list %s: %w", folder, err)
	}
	var all []evolution.Migration
	var found spec.Diagnostics
	w.edited = map[string]bool{}
	for _, e := range entries {
		if !evolution.IsMigration(e.Name()) {
			continue
		}
		name := path.Join(folder, e.Name())
		text, err := os.ReadFile(p.onDisk(name))
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, err)
		}
		if was := w.written(name); was != "" && was != lock.Digest(text) {
			w.edited[name] = true
			found = append(found, spec.Diagnostic{
				Pos: spec.Pos{File: name}, Severity: spec.Warning, Rule: "migration-edited",
				Message: "the migration was edited by hand; it is left as it is, and a database that has it does not get the edit",
				Hint:    "edit only what no database has; delete its line in whgen.lock to accept the edit",
			})
		}
		text = lock.Normal(text)
		all = append(all, evolution.Migration{Name: e.Name(), Text: string(text), Ours: tree.IsOurs("migrations/"+e.Name(), text)})
	}
	return all, found, nil
}

// written is the lock's digest of a migration, "" where it has none.
func (w *work) written(name string) string {
	if w.old == nil {
		return ""
	}
	return w.old.Files[strings.TrimPrefix(name, path.Clean(w.plan.Out)+"/")]
}

func (w *work) leftBefore() []string {
	if w.old == nil {
		return nil
	}
	return w.old.Kept
}

func (w *work) knownMigrations() []string {
	var names []string
	if w.old != nil {
		for inside := range w.old.Files {
			if path.Dir(inside) == "migrations" {
				names = append(names, path.Base(inside))
			}
		}
	}
	slices.Sort(names)
	return names
}

// otherEngine is the engine of the lock where its SQL is another one's.
func (w *work) otherEngine() string {
	if w.old == nil || w.old.Engine == "" || dialect(generator.Engine(w.old.Engine)) == dialect(w.plan.Engine) {
		return ""
	}
	return w.old.Engine
}

func dialect(e generator.Engine) evolution.Dialect {
	if e == generator.SQLite {
		return evolution.SQLite
	}
	return evolution.Postgres
}

// where is the place of the contract that asks for a table or a column, else the
// receiver's in whgen.yaml.
func (w *work) where(table, column string) spec.Pos {
	for _, event := range w.plan.Events {
		for _, r := range event.Records {
			if r.Table.SQLName != table {
				continue
			}
			if column == "" {
				return r.Spec.Pos
			}
			for _, c := range r.Columns {
				if c.Column.SQLName == column {
					return c.Spec.Pos
				}
			}
		}
	}
	return w.contract.Receiver.Pos
}

// blameMigrations says that a migration of the user's may be what sqlc refuses.
func blameMigrations(works []*work, err error) error {
	var refused *sqlcrun.Error
	if !errors.As(err, &refused) {
		return err
	}
	var names []string
	for _, w := range works {
		for _, f := range w.files {
			if f.Append && (w.edited[f.Path] || !tree.IsOurs("", f.Data)) {
				names = append(names, f.Path)
			}
		}
	}
	if len(names) == 0 {
		return err
	}
	return fmt.Errorf("compile the queries: a migration that was written or edited by hand may be the reason (%s): %w", strings.Join(names, ", "), err)
}
