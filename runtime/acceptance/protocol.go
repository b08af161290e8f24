package acceptance

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/signature"
)

// protocol is one run.
type protocol struct {
	*testing.T
	c         Contract
	keys      *keyring
	wire      map[string]signature.Request // what was signed inside of the body, of event wireOf
	wireOf    int
	clock     *whrt.OffsetClock
	scan      func(query string, to any) error
	exec      func(statement string) error
	query     map[string]string // the user's numbers
	grow      map[string]map[string]int
	faults    *Faults
	store     func() whrt.Store // the package's own, a new one as in a new process
	instances [2]*instance

	e     *Event          // the one that is delivered
	n     int             // its number
	base  counts          // before its first step
	own   int             // messages that the handler sends for one event
	grew  map[string]int  // by how much one event changes the user's numbers
	moved map[string]bool // the user's numbers that some event has changed
}

// counts is what stands in the database.
type counts struct {
	inbox, outbox int
	conflicts     int
	failures      int
	tables        []int
	yours         map[string]int
}

func (p *protocol) run(store func() whrt.Store) {
	p.Helper()
	p.store, p.moved, p.keys = store, map[string]bool{}, p.newKeyring()
	for i := range p.instances {
		p.instances[i] = p.receiver(store(), nil)
	}
	for i := range p.c.Events {
		if len(p.c.Events) > 1 {
			fmt.Println("event " + p.title(&p.c.Events[i]))
		}
		if !p.event(&p.c.Events[i]) {
			return // what follows counts on what was there before
		}
	}
	for name := range p.query {
		if !p.moved[name] {
			p.Errorf("Setup.Count %q is what it was before the first event: a number that never changes proves nothing", name)
		}
	}
	if len(p.c.Outside) > 0 {
		p.relay()
	}
}

// title tells events apart, and the endpoints of one.
func (p *protocol) title(e *Event) string {
	at := p.c.Definition.Endpoints[e.Endpoint].Name
	if len(p.c.Definition.Endpoints) == 1 || at == "" {
		return e.Name
	}
	return e.Name + " at " + at
}

func (p *protocol) event(e *Event) bool {
	p.Helper()
	p.e, p.own, p.grew = e, 0, map[string]int{}
	maps.Copy(p.grew, p.grow[e.Name])
	p.base = p.counted()
	for _, s := range e.Steps {
		run := steps[s.Name]
		if run == nil {
			p.Fatalf("step %s is not known to this version of the kit", s.Name)
		}
		p.check(s, run(p))
		if p.Failed() {
			return false
		}
	}
	return true
}

func (p *protocol) counted() counts {
	p.Helper()
	c := counts{inbox: p.count(rows(p.c.Inbox)), outbox: p.count(rows(p.c.Outbox)), yours: map[string]int{}}
	c.conflicts, c.failures = p.count(rows(p.c.Conflicts)), p.count(rows(p.c.Failures))
	for _, table := range p.e.Tables {
		c.tables = append(c.tables, p.count(rows(table)))
	}
	for name, query := range p.query {
		var n int
		if err := p.scan(query, &n); err != nil {
			p.Fatalf("Setup.Count: count %q: %v", name, err)
		}
		c.yours[name] = n
	}
	return c
}

func rows(table string) string { return "SELECT count(*) FROM " + table }

func (p *protocol) count(query string) (n int) {
	p.Helper()
	if err := p.scan(query, &n); err != nil {
		p.Fatalf("count: %v", err)
	}
	return n
}

// since is how much has come since the event's first step.
func (p *protocol) since(now counts) counts {
	now.inbox -= p.base.inbox
	now.outbox -= p.base.outbox
	now.conflicts -= p.base.conflicts
	now.failures -= p.base.failures
	for i := range now.tables {
		now.tables[i] -= p.base.tables[i]
	}
	for name := range now.yours {
		now.yours[name] -= p.base.yours[name]
	}
	return now
}

// check compares and prints one line of the table.
func (p *protocol) check(s Step, answers []answer) {
	p.Helper()
	got := p.since(p.counted())
	if s.Name == "first" && words(answers) == s.Outcome {
		p.learn(s, got)
	}
	want := counts{inbox: s.Inbox, tables: s.Tables, outbox: s.Outbox + (s.Inbox-s.Kept)*p.own, yours: map[string]int{}}
	for name := range p.query {
		want.yours[name] = (s.Inbox - s.Kept) * p.grew[name]
	}
	is, wanted := p.line(s.Name, words(answers), got), p.line(s.Name, s.Outcome, want)
	fmt.Println(is)
	if is != wanted {
		p.Errorf("step %s: %s\n got: %s\nwant: %s%s", s.Name, meaning[s.Name], is, wanted, reasons(answers))
	}
	if got.conflicts != s.Conflicts {
		p.Errorf("step %s: %d conflicts are on record in %s; want %d", s.Name, got.conflicts, p.c.Conflicts, s.Conflicts)
	}
	if got.failures != s.Failures {
		p.Errorf("step %s: %d failed events are on record in %s; want %d", s.Name, got.failures, p.c.Failures, s.Failures)
	}
	for _, a := range answers {
		p.compare(s, a)
	}
	p.exactlyOne(s, answers)
}

// learn takes from the first event what the contract cannot say: what the
// handler writes and sends. All later ones must do the same.
func (p *protocol) learn(s Step, got counts) {
	p.Helper()
	if p.e.Sends {
		p.own = max(got.outbox-s.Outbox, 0)
	}
	changed := p.own > 0
	for name, by := range got.yours {
		changed = changed || by != 0
		p.moved[name] = p.moved[name] || by != 0
	}
	if _, declared := p.grow[p.e.Name]; !declared {
		p.grew = got.yours
		if p.e.Handled && !changed && len(p.query) > 0 {
			p.Errorf("step first: the handler of %[1]s has run, and every number of Setup.Count is what it was: "+
				"count what the handler writes, or say Setup.Grow: %[1]q: {}", p.e.Name)
		}
	}
	if p.e.Handled && p.faults.calls.Load() == 0 {
		p.Errorf("step first: the handler of %s was not called", p.e.Name)
	}
}

func (p *protocol) line(step, outcome string, c counts) string {
	text := fmt.Sprintf("%-17s %-20s inbox %d", step, outcome, c.inbox)
	for i, table := range p.e.Tables {
		text += fmt.Sprintf("  %s %d", strings.Trim(table, `"`), c.tables[i])
	}
	for _, name := range slices.Sorted(maps.Keys(c.yours)) {
		text += fmt.Sprintf("  %s %d", name, c.yours[name])
	}
	return text + fmt.Sprintf("  outbox %d", c.outbox)
}

// fill puts the number of the event into a text.
func (p *protocol) fill(text string) string {
	return strings.ReplaceAll(text, "{{n}}", strconv.Itoa(p.n))
}

func (p *protocol) urlEncoded() bool {
	return strings.HasPrefix(p.e.ContentType, "application/x-www-form-urlencoded")
}

// body is a body with everything filled in, and put into its envelope. A forged
// one holds a secret of somebody else.
func (p *protocol) body(text string, forged int) string {
	p.Helper()
	text = p.fill(text)
	secrets := p.c.Secrets
	if forged > 0 {
		secrets = p.c.Forged
	}
	for name, value := range secrets {
		if p.e.Envelope == "" && p.urlEncoded() {
			value = url.QueryEscape(value)
		}
		text = strings.ReplaceAll(text, "{{secret:"+name+"}}", value)
	}
	d := p.c.Definition.Endpoints[p.e.Endpoint].Document
	if p.e.Envelope == "" || d == nil {
		return text
	}
	if d.Base64 {
		text = base64.StdEncoding.EncodeToString([]byte(text))
	}
	switch {
	case p.urlEncoded():
		text = url.QueryEscape(text)
	case d.From.Kind != whrt.Form:
		quoted, err := json.Marshal(text)
		if err != nil {
			p.Fatalf("put the document into its envelope: %v", err)
		}
		text = string(quoted[1 : len(quoted)-1])
	}
	return strings.ReplaceAll(p.fill(p.e.Envelope), "{{document}}", text)
}

// within waits for a condition of the database, which cannot tell us by itself.
func (p *protocol) within(d time.Duration, what string, holds func() bool) {
	p.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(d); !holds(); <-tick.C {
		if time.Now().After(end) {
			p.Fatalf("%s: not within %v", what, d)
		}
	}
}
