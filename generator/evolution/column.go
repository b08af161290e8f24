package evolution

import "strings"

// columnWords end a column's type, and a default.
var columnWords = []string{
	"collate", "not", "null", "default", "check", "unique", "primary", "references", "generated", "constraint", "as",
}

// addColumn reads a column's definition.
func (t *Table) addColumn(r *reader) {
	name := r.next()
	c := &Column{Name: name.name(), Ident: name.text}
	if c.Name == "" || t.column(c.Name) != nil {
		return
	}
	t.Columns = append(t.Columns, c)
	c.Written = r.text(r.until(columnWords...))
	c.Type = typeName(c.Written)
	for len(r.tokens) > 0 {
		t.columnConstraint(c, r)
	}
}

// until takes the tokens before one of some words, outside of parentheses.
func (r *reader) until(words ...string) []token {
	depth := 0
	for i, t := range r.tokens {
		switch t.text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 && t.is(words...) {
			taken := r.tokens[:i]
			r.tokens = r.tokens[i:]
			return taken
		}
	}
	taken := r.tokens
	r.tokens = nil
	return taken
}

func (t *Table) columnConstraint(c *Column, r *reader) {
	switch {
	case r.take("constraint"):
		r.next()
	case r.take("collate"):
		c.Collate = "COLLATE " + r.qualified().text
	case r.take("not", "null"):
		c.NotNull = true
	case r.take("default"):
		first := r.next()
		if first.text == "(" {
			r.tokens = append([]token{first}, r.tokens...)
		}
		rest := r.until(columnWords...)
		if first.text == "(" {
			c.Default = r.text(rest)
		} else {
			c.Default = r.text(append([]token{first}, rest...))
		}
	case r.take("check"):
		c.Check = r.text(r.parenthesis())
	case r.take("unique"):
		t.Unique = append(t.Unique, &Unique{Columns: []string{c.Name}, Idents: []string{c.Ident}, ours: r.ours})
	case r.take("primary", "key"):
		t.Primary, c.NotNull = []string{c.Name}, true
		c.Made = c.Made || c.Type == "integer" && t.autoincrement(r)
	case r.take("generated"), r.take("as"):
		c.Made = true
		r.until("not", "null", "unique", "primary", "check")
	default:
		r.next()
	}
}

// autoincrement: SQLite gives an INTEGER PRIMARY KEY its value.
func (t *Table) autoincrement(r *reader) bool {
	return r.take("autoincrement") || len(r.tokens) == 0
}

// parenthesis takes a whole (...).
func (r *reader) parenthesis() []token {
	depth := 0
	for i, t := range r.tokens {
		switch t.text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			taken := r.tokens[:i+1]
			r.tokens = r.tokens[i+1:]
			return taken
		}
	}
	taken := r.tokens
	r.tokens = nil
	return taken
}

// literal reports whether a default is a constant: SQLite adds a column with no
// other, and PostgreSQL then writes no row.
func literal(text string) bool {
	if text == "" || strings.ContainsAny(text, "(") {
		return false
	}
	first := text[0]
	return first == '\'' || first == '-' || first >= '0' && first <= '9' || strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
}
