package evolution

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/whgen/whgen/spec"
)

// Migration is one file of the folder.
type Migration struct {
	Name string // such as 00001_init.sql
	Text string
	Ours bool // written by whgen, edited or not
}

// Input is what the next migration follows from.
type Input struct {
	Dialect  Dialect
	Prefix   string // of the receiver's own tables
	Folder   string // of the migrations, for findings
	Existing []Migration
	Init     string   // the migration that would make everything from nothing
	Kept     []string // tables and columns that earlier runs have left behind, from the lock
	Known    []string // names of the migrations that the lock lists
	Where    Where
}

// Output is the next migration, if there is one.
type Output struct {
	Next     *Migration // nil where the tables are as they should be, or on an error
	Kept     []string   // for the lock, sorted
	Findings spec.Diagnostics
}

var numbered = regexp.MustCompile(`^(\d+)_.*\.sql$`)

// Next compares what the existing migrations make with what the contract needs.
// Without any migration the next one is the first. On a finding of severity Error
// nothing must be written.
func Next(in Input) Output {
	if len(in.Existing) == 0 {
		return Output{Next: &Migration{Name: "00001_init.sql", Text: in.Init, Ours: true}}
	}
	last, found := in.order()
	if found.HasErrors() {
		return Output{Findings: found}
	}
	from, to := &Schema{}, &Schema{}
	for _, m := range in.Existing {
		from.Read(m.Text, m.Ours)
	}
	to.Read(in.Init, true)
	if found := in.foreign(from, to); found.HasErrors() {
		return Output{Findings: found}
	}
	d := &difference{
		dialect: in.Dialect, from: from, to: to, where: in.Where, folder: in.Folder, next: last + 1, left: map[string]bool{},
	}
	for _, name := range in.Kept {
		d.left[name] = true
	}
	d.run()
	out := Output{Kept: d.kept, Findings: d.found}
	if len(d.up) > 0 && !d.found.HasErrors() {
		out.Next = &Migration{Name: fmt.Sprintf("%05d_%s.sql", last+1, d.slug(from)), Text: d.text(), Ours: true}
	}
	return out
}

// order sorts the migrations by number and refuses two with one number, and a
// hole that the lock knows of.
func (in *Input) order() (last int, found spec.Diagnostics) {
	at := func(name string) spec.Pos { return spec.Pos{File: path.Join(in.Folder, name)} }
	in.Existing = slices.Clone(in.Existing)
	slices.SortFunc(in.Existing, func(a, b Migration) int {
		return cmp.Or(cmp.Compare(number(a.Name), number(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	for i, m := range in.Existing {
		last = number(m.Name)
		if i > 0 && number(in.Existing[i-1].Name) == last {
			found = append(found, spec.Diagnostic{
				Pos: at(m.Name), Severity: spec.Error, Rule: "migration-number",
				Message: fmt.Sprintf("%s and %s have one number", in.Existing[i-1].Name, m.Name),
				Hint:    "two branches have each added one: delete the one that no database has, and generate again",
			})
		}
	}
	for _, name := range in.Known {
		there := slices.ContainsFunc(in.Existing, func(m Migration) bool { return m.Name == name })
		if !there && number(name) < last && number(name) > 0 {
			found = append(found, spec.Diagnostic{
				Pos: at(name), Severity: spec.Error, Rule: "migration-missing",
				Message: "the migration is gone, but later ones build on it",
				Hint:    "restore it from version control",
			})
		}
	}
	return last, found
}

// number is 0 for names that are no migration.
func number(name string) int {
	if m := numbered.FindStringSubmatch(name); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
	}
	return 0
}

// IsMigration reports whether a file's name is that of a numbered migration.
func IsMigration(name string) bool { return number(name) > 0 }

// foreign refuses a chain that was written for another database or under another
// prefix: what the receiver knows of its events would be lost.
func (in *Input) foreign(from, to *Schema) spec.Diagnostics {
	refuse := func(hint, format string, args ...any) spec.Diagnostics {
		return spec.Diagnostics{{
			Pos: spec.Pos{File: path.Join(in.Folder, in.Existing[0].Name), Line: 1, Column: 1}, Severity: spec.Error,
			Rule: "migration-changed", Message: fmt.Sprintf(format, args...), Hint: hint,
		}}
	}
	const inbox = "inbox_events"
	events := to.table(in.Prefix + inbox)
	was := from.table(in.Prefix + inbox)
	switch {
	case events == nil:
		return nil
	case was == nil:
		for _, t := range from.Tables {
			if prefix, ok := strings.CutSuffix(t.Name, inbox); ok && t.column("event_key") != nil {
				return refuse("set tablePrefix: "+prefix+" in whgen.yaml, or generate into another folder; where no database has these migrations yet, delete them and generate again",
					"the migrations make tables with the prefix %q, and it would be %q now: the receiver would forget every event", prefix, in.Prefix)
			}
		}
	case was.Strict != events.Strict:
		return refuse("generate into another folder; where no database has these migrations yet, delete them and generate again",
			"the migrations are written for another engine than %s", in.Dialect)
	}
	return nil
}

// slug names the file after a new table, else after its first change.
func (d *difference) slug(from *Schema) string {
	if !slices.ContainsFunc(from.Tables, func(t *Table) bool { return strings.HasSuffix(t.Name, "inbox_events") }) {
		return "init"
	}
	named := slices.DeleteFunc(slices.Clone(d.slugs), func(s string) bool { return s == "" })
	named = slices.Compact(named)
	first := named[0]
	for _, s := range named {
		if table, ok := strings.CutPrefix(s, "add_"); ok && d.to.table(table) != nil {
			first = s
			break
		}
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return -1
	}, first)
	if len(name) > 60 {
		name = strings.TrimRight(name[:60], "_")
	}
	if len(named) > 1 {
		name += "_and_more"
	}
	return name
}

// text is the migration in goose's form.
func (d *difference) text() string {
	var b strings.Builder
	b.WriteString("-- Code generated by whgen. DO NOT EDIT.\n-- +goose Up\n")
	b.WriteString(strings.Join(d.up, "\n\n"))
	b.WriteString("\n\n-- +goose Down\n")
	for i := len(d.down) - 1; i >= 0; i-- {
		b.WriteString(d.down[i] + "\n")
	}
	return b.String()
}
