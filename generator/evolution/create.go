package evolution

import "strings"

// Read adds what a migration does to the tables. Ours tells a migration that
// whgen has written from a person's.
func (s *Schema) Read(sql string, ours bool) {
	for _, one := range statements(sql) {
		r := &reader{sql: sql, whole: one, tokens: one, ours: ours}
		switch {
		case r.take("create"):
			s.create(r)
		case r.take("alter", "table"):
			s.alter(r)
		case r.take("drop", "table"):
			s.dropTables(r)
		case r.take("drop", "index"):
			s.dropIndexes(r)
		}
	}
}

// reader walks over one statement.
type reader struct {
	sql    string
	whole  []token
	tokens []token // that are left
	ours   bool
}

func (r *reader) peek() token {
	if len(r.tokens) == 0 {
		return token{}
	}
	return r.tokens[0]
}

func (r *reader) next() token {
	t := r.peek()
	if len(r.tokens) > 0 {
		r.tokens = r.tokens[1:]
	}
	return t
}

// take steps over words if they stand here, all of them.
func (r *reader) take(words ...string) bool {
	if len(r.tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if !r.tokens[i].is(w) {
			return false
		}
	}
	r.tokens = r.tokens[len(words):]
	return true
}

// qualified reads a name and gives its last part: schemas are passed over.
func (r *reader) qualified() token {
	t := r.next()
	for r.take(".") {
		t = r.next()
	}
	return t
}

// group reads what stands in parentheses, split at its commas.
func (r *reader) group() [][]token {
	if !r.take("(") {
		return nil
	}
	var parts [][]token
	var part []token
	for depth := 1; len(r.tokens) > 0; {
		t := r.next()
		switch t.text {
		case "(":
			depth++
		case ")":
			depth--
		}
		switch {
		case depth == 0:
			return append(parts, part)
		case depth == 1 && t.text == ",":
			parts, part = append(parts, part), nil
		default:
			part = append(part, t)
		}
	}
	return append(parts, part)
}

// text is the source of tokens that follow each other.
func (r *reader) text(of []token) string {
	if len(of) == 0 {
		return ""
	}
	return strings.Join(strings.Fields(r.sql[of[0].start:of[len(of)-1].end]), " ")
}

func (s *Schema) create(r *reader) {
	unique := r.take("unique")
	switch {
	case r.take("table"):
		s.createTable(r)
	case r.take("index"):
		s.createIndex(r, unique)
	}
}

func (s *Schema) createTable(r *reader) {
	r.take("if", "not", "exists")
	name := r.qualified()
	if name.name() == "" || s.table(name.name()) != nil || r.peek().text != "(" {
		return
	}
	t := &Table{Name: name.name(), Ident: name.text}
	for _, part := range r.group() {
		t.element(r, part)
	}
	for _, rest := range r.tokens {
		t.Strict = t.Strict || rest.is("strict")
	}
	t.Text = strings.TrimSpace(r.sql[r.whole[0].lead:r.whole[len(r.whole)-1].end])
	s.Tables = append(s.Tables, t)
}

// element reads a column or a constraint of a table.
func (t *Table) element(r *reader, part []token) {
	if len(part) == 0 {
		return
	}
	e := &reader{sql: r.sql, tokens: part, ours: r.ours}
	if part[0].is("constraint", "unique", "primary", "check", "foreign", "exclude", "like") {
		t.constraint(e)
		return
	}
	t.addColumn(e)
}

// constraint reads [CONSTRAINT name] UNIQUE (...) or PRIMARY KEY (...).
func (t *Table) constraint(r *reader) {
	u := &Unique{ours: r.ours}
	if r.take("constraint") {
		name := r.next()
		u.Name, u.Ident = name.name(), name.text
	}
	switch {
	case r.take("unique"):
		u.Columns, u.Idents = names(r.group())
		t.Unique = append(t.Unique, u)
	case r.take("primary", "key"):
		t.Primary, _ = names(r.group())
		for _, c := range t.Primary {
			if column := t.column(c); column != nil {
				column.NotNull = true
			}
		}
	}
}

func names(parts [][]token) (bare, idents []string) {
	for _, p := range parts {
		if len(p) > 0 {
			bare, idents = append(bare, p[0].name()), append(idents, p[0].text)
		}
	}
	return bare, idents
}

// createIndex reads [CONCURRENTLY] [IF NOT EXISTS] name ON table [USING method]
// (columns) [WHERE ...].
func (s *Schema) createIndex(r *reader, unique bool) {
	r.take("concurrently")
	r.take("if", "not", "exists")
	name := r.qualified()
	if !r.take("on") {
		return
	}
	r.take("only")
	t := s.table(r.qualified().name())
	if t == nil {
		return
	}
	if r.take("using") {
		r.next()
	}
	parts := r.group()
	bare, idents := names(parts)
	plain := len(r.tokens) == 0
	for _, p := range parts {
		plain = plain && len(p) == 1
	}
	if unique && plain {
		t.Unique = append(t.Unique, &Unique{Name: name.name(), Ident: name.text, Columns: bare, Idents: idents, Index: true, ours: r.ours})
		return
	}
	t.Indexes = append(t.Indexes, &Index{Name: name.name(), Ident: name.text, Text: r.text(r.whole), Columns: bare, ours: r.ours})
}
