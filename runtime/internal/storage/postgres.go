package storage

import (
	"fmt"
	"strings"
)

// Server is what PostgreSQL says about itself.
type Server struct {
	InRecovery                         bool
	SynchronousCommit, Fsync, ReadOnly string
}

// TableFacts is what PostgreSQL's catalogue says about a table.
type TableFacts struct {
	Name         string
	IsTable      bool
	Persistence  string // p, u (unlogged), t (temporary)
	RowSecurity  bool
	Allowed      bool // SELECT, INSERT and UPDATE
	Triggers     string
	Columns      []string
	Unique       [][]string
	KeyCollation string // of event_key in a unique index that holds it
}

// Catalogue is all that a start is judged by.
type Catalogue struct {
	Server Server
	Tables map[string]*TableFacts
}

// Table finds or makes the facts of a table.
func (c *Catalogue) Table(name string) *TableFacts {
	if c.Tables == nil {
		c.Tables = map[string]*TableFacts{}
	}
	if c.Tables[name] == nil {
		c.Tables[name] = &TableFacts{Name: name}
	}
	return c.Tables[name]
}

// Index notes a unique index.
func (t *TableFacts) Index(columns, collation string) {
	t.Unique = append(t.Unique, strings.Split(columns, ","))
	if collation != "" && (t.KeyCollation == "" || t.KeyCollation == "C") {
		t.KeyCollation = collation
	}
}

// Check refuses a database on which the promises would not hold.
func (c *Catalogue) Check(tables []Table) error {
	problems := c.Server.problems()
	for _, t := range tables {
		problems = append(problems, c.Table(t.Name).problems(t)...)
	}
	if len(problems) == 0 {
		return nil
	}
	for _, t := range tables { // a hint for whoever looks for the cause
		if names := c.Table(t.Name).Triggers; names != "" {
			problems = append(problems, fmt.Sprintf("note: table %s has triggers: %s", t.Name, names))
		}
	}
	return Refuse(problems)
}

func (s Server) problems() []string {
	var problems []string
	if s.InRecovery {
		problems = append(problems, "the server is a standby: connect to the primary")
	}
	if s.ReadOnly == "on" {
		problems = append(problems, "default_transaction_read_only is on: connect as a role, or to a server, that writes")
	}
	if s.SynchronousCommit == "off" {
		problems = append(problems, "synchronous_commit is off: acknowledged events could be lost; switch it on for this role")
	}
	if s.Fsync == "off" {
		problems = append(problems, "fsync is off: acknowledged events could be lost; switch it on")
	}
	return problems
}

func (f *TableFacts) problems(t Table) []string {
	if !f.IsTable {
		return []string{fmt.Sprintf("table %s is missing: apply the migrations, or set the search_path", t.Name)}
	}
	problems := t.Missing(f.Columns, f.Unique)
	if f.Persistence == "u" {
		problems = append(problems, fmt.Sprintf("table %s is unlogged and would be emptied by a crash: ALTER TABLE %s SET LOGGED", t.Name, t.Name))
	}
	if f.RowSecurity {
		problems = append(problems, fmt.Sprintf("table %s has row security, which hides known events: disable it", t.Name))
	}
	if !f.Allowed {
		problems = append(problems, fmt.Sprintf("table %s: this role lacks SELECT, INSERT or UPDATE: grant them", t.Name))
	}
	if f.KeyCollation != "" && f.KeyCollation != "C" {
		problems = append(problems, fmt.Sprintf("table %s: event_key has collation %s, and an upgrade of the system can break its UNIQUE: use \"C\"", t.Name, f.KeyCollation))
	}
	return problems
}
