package evolution

import "slices"

// alter reads ALTER TABLE name action, action, ...
func (s *Schema) alter(r *reader) {
	r.take("if", "exists")
	r.take("only")
	t := s.table(r.qualified().name())
	if t == nil {
		return
	}
	r.take("*")
	for _, action := range (&reader{tokens: append(append([]token{{text: "("}}, r.tokens...), token{text: ")"})}).group() {
		s.action(t, &reader{sql: r.sql, tokens: action, ours: r.ours})
	}
}

func (s *Schema) action(t *Table, r *reader) {
	switch {
	case r.take("add"):
		if r.peek().is("constraint", "unique", "primary", "check", "foreign", "exclude") {
			t.constraint(r)
			return
		}
		r.take("column")
		r.take("if", "not", "exists")
		t.addColumn(r)
	case r.take("drop", "constraint"):
		r.take("if", "exists")
		t.dropUnique(r.next().name())
	case r.take("drop"):
		r.take("column")
		r.take("if", "exists")
		t.dropColumn(r.next().name())
	case r.take("rename"):
		s.rename(t, r)
	case r.take("alter"):
		r.take("column")
		t.alterColumn(r)
	}
}

func (s *Schema) rename(t *Table, r *reader) {
	if r.take("to") {
		name := r.next()
		t.Name, t.Ident = name.name(), name.text
		return
	}
	constraint := r.take("constraint")
	r.take("column")
	old := r.next().name()
	r.take("to")
	name := r.next()
	if constraint {
		for _, u := range t.Unique {
			if u.Name == old {
				u.Name, u.Ident = name.name(), name.text
			}
		}
		return
	}
	t.renameColumn(old, name)
}

func (t *Table) renameColumn(old string, to token) {
	c := t.column(old)
	if c == nil {
		return
	}
	change := func(bare, idents []string) {
		for i := range bare {
			if bare[i] == old {
				bare[i] = to.name()
				if idents != nil {
					idents[i] = to.text
				}
			}
		}
	}
	c.Name, c.Ident = to.name(), to.text
	change(t.Primary, nil)
	for _, u := range t.Unique {
		change(u.Columns, u.Idents)
	}
	for _, i := range t.Indexes {
		change(i.Columns, nil)
	}
}

func (t *Table) dropUnique(name string) {
	t.Unique = slices.DeleteFunc(t.Unique, func(u *Unique) bool { return u.Name == name && name != "" })
}

// dropColumn takes the constraints with it that stand on the column.
func (t *Table) dropColumn(name string) {
	t.Columns = slices.DeleteFunc(t.Columns, func(c *Column) bool { return c.Name == name })
	t.Unique = slices.DeleteFunc(t.Unique, func(u *Unique) bool { return slices.Contains(u.Columns, name) })
	t.Indexes = slices.DeleteFunc(t.Indexes, func(i *Index) bool { return slices.Contains(i.Columns, name) })
}

func (t *Table) alterColumn(r *reader) {
	c := t.column(r.next().name())
	if c == nil {
		return
	}
	switch {
	case r.take("set", "not", "null"):
		c.NotNull = true
	case r.take("drop", "not", "null"):
		c.NotNull = false
	case r.take("set", "default"):
		c.Default = r.text(r.tokens)
	case r.take("drop", "default"):
		c.Default = ""
	case r.take("set", "data", "type"), r.take("type"):
		c.Written = r.text(r.until("collate", "using"))
		c.Type = typeName(c.Written)
	}
}

func (s *Schema) dropTables(r *reader) {
	r.take("if", "exists")
	for len(r.tokens) > 0 {
		name := r.qualified().name()
		s.Tables = slices.DeleteFunc(s.Tables, func(t *Table) bool { return t.Name == name })
		if !r.take(",") {
			return
		}
	}
}

func (s *Schema) dropIndexes(r *reader) {
	r.take("concurrently")
	r.take("if", "exists")
	for len(r.tokens) > 0 {
		name := r.qualified().name()
		for _, t := range s.Tables {
			t.dropUnique(name)
			t.Indexes = slices.DeleteFunc(t.Indexes, func(i *Index) bool { return i.Name == name })
		}
		if !r.take(",") {
			return
		}
	}
}
