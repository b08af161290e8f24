package spec

import (
	"fmt"
	"sort"
	"strings"
)

// agree checks that effects of one name are one effect, and that effects of
// one table give its columns one type; and lists each effect once.
func (r *report) agree(c *Contract) {
	first := map[string]*Effect{}
	columns := map[string]Column{}
	conflicts := map[string]*Effect{}
	for _, e := range c.Events {
		for _, f := range e.Effects {
			if known, ok := first[f.Name]; !ok {
				first[f.Name] = f
			} else if why := difference(known, f); why != "" {
				r.err(f.Pos, "effect-disagrees", "give one of them another name", "effect %q differs from the one at %s: %s", f.Name, known.Pos, why)
			}
			r.agreeColumns(f, columns)
			r.agreeUnique(f, conflicts)
		}
	}
	for _, name := range sortedKeys(first) {
		c.Effects = append(c.Effects, first[name])
	}
}

func (r *report) agreeColumns(f *Effect, known map[string]Column) {
	for _, c := range f.Columns {
		name := f.Table + "." + c.Name
		other, ok := known[name]
		if !ok {
			known[name] = c
			continue
		}
		if other.Type != c.Type {
			r.err(c.Pos, "column-disagrees", "declare one type in both", "column %q is %s here and %s at %s", name, c.Type, other.Type, other.Pos)
		}
	}
}

// agreeUnique demands one `unique` per table: it becomes a constraint.
func (r *report) agreeUnique(f *Effect, known map[string]*Effect) {
	if f.Table == "" || len(f.Unique) == 0 {
		return
	}
	other, ok := known[f.Table]
	if !ok {
		known[f.Table] = f
		return
	}
	if strings.Join(sorted(other.Unique), ",") != strings.Join(sorted(f.Unique), ",") {
		r.err(f.Pos, "column-disagrees", "", "effect %q: table %q has unique (%s) by the effect at %s", f.Name, f.Table, strings.Join(other.Unique, ", "), other.Pos)
	}
}

func sorted(all []string) []string {
	c := append([]string{}, all...)
	sort.Strings(c)
	return c
}

// difference says in what two effects of one name differ, "" in nothing.
func difference(a, b *Effect) string {
	to := func(e *Effect) string {
		if e.To == nil {
			return ""
		}
		return e.To.Name
	}
	for _, one := range []struct{ what, a, b string }{
		{"kind", string(a.Kind), string(b.Kind)},
		{"table", a.Table, b.Table},
		{"columns", columnText(a), columnText(b)},
		{"unique", strings.Join(a.Unique, ","), strings.Join(b.Unique, ",")},
		{"onConflict", a.OnConflict, b.OnConflict},
		{"downstream", to(a), to(b)},
		{"method", a.Method, b.Method},
		{"enqueue", a.Enqueue, b.Enqueue},
		{"payload", a.Payload.shape() + fmt.Sprint(fieldText(a)), b.Payload.shape() + fmt.Sprint(fieldText(b))},
		{"key", keyText(a), keyText(b)},
		{"retry", fmt.Sprint(a.Retry, a.RetryJitter, a.Timeout), fmt.Sprint(b.Retry, b.RetryJitter, b.Timeout)},
	} {
		if one.a != one.b {
			return "another " + one.what
		}
	}
	return ""
}

func columnText(e *Effect) string {
	parts := make([]string, 0, len(e.Columns))
	for _, c := range e.Columns {
		parts = append(parts, c.Name+" "+c.Type)
	}
	return strings.Join(sorted(parts), ",")
}

func fieldText(e *Effect) []string {
	var parts []string
	for _, f := range e.PayloadTypes {
		parts = append(parts, f.Name+" "+f.Type)
	}
	return sorted(parts)
}

func keyText(e *Effect) string {
	k := e.Key
	return fmt.Sprint(k.None, k.Header, k.Remembers, k.Always)
}
