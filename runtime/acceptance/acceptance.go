package acceptance

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	whrt "github.com/whgen/whgen/runtime"
)

// Counter runs a query that gives one number.
type Counter func(ctx context.Context, query string) (int, error)

// Case is what the generator has computed for a receiver. {{n}} in texts stands
// for the number of an event, {{secret:NAME}} for the value of a secret.
type Case struct {
	Definition whrt.Definition
	Store      whrt.Store // on a scratch database, migrated
	Count      Counter    // on the same database
	Exec       func(ctx context.Context, statement string) error
	Secrets    map[string]string

	Endpoint                        int // index in Definition.Endpoints
	Method, Path, ContentType, Body string
	Headers                         [][2]string
	Envelope                        string // what stands around Body, which is the document at {{document}}; "" where it is the whole
	Unsigned                        string // Body without the secret that stands in it; "" where none does
	Changed                         string // other content under the same key; "" where there is none
	NoKey                           string // body without the key
	NoKeyHeader                     string // header to leave out

	Inbox, Outbox string   // table names
	Tables        []string // of record effects
	Steps         []Step
	// Relay: every row is sent at the third attempt, which each effect has.
	Relay bool
}

// Step is what must be there after a step. A step whose name is not known, or
// that the protocol lacks, fails the test.
type Step struct {
	Name    string
	Outcome string // words of the outcomes, sorted, each once
	Status  int    // of every answer; 0 where they differ
	Inbox   int
	Tables  []int
	Outbox  int
}

// Run runs every step in order on two receiver instances that share the
// database. It refuses a database that holds deliveries already: only an empty
// one can be a scratch one.
func Run(t *testing.T, c Case) {
	t.Helper()
	p := newProtocol(t, c)
	if n := p.count("SELECT count(*) FROM " + c.Inbox); n != 0 {
		t.Fatalf("refused: %s holds %d rows; this test fills its database, give it an empty one", c.Inbox, n)
	}
	for _, s := range c.Steps {
		run := steps[s.Name]
		if run == nil {
			t.Fatalf("step %s is not known to this version of the kit", s.Name)
		}
		p.check(s, run(p))
		if t.Failed() {
			return // what follows counts on what was there before
		}
	}
	if c.Relay {
		p.relay()
	}
}

// answer is what one delivery came to.
type answer struct {
	outcome string
	status  int
}

type protocol struct {
	*testing.T
	c         Case
	clock     *whrt.OffsetClock
	faults    *faults
	outside   *outside
	instances [2]*instance
	n         int // the number of the last event
}

func newProtocol(t *testing.T, c Case) *protocol {
	p := &protocol{T: t, c: c, clock: &whrt.OffsetClock{}, faults: &faults{Store: c.Store}, outside: newOutside()}
	for i := range p.instances {
		p.instances[i] = p.receiver(p.faults, true)
	}
	return p
}

func (p *protocol) count(query string) int {
	n, err := p.c.Count(p.Context(), query)
	if err != nil {
		p.Fatalf("count: %v", err)
	}
	return n
}

// check compares and prints one line of the table.
func (p *protocol) check(want Step, answers []answer) {
	got := Step{Name: want.Name, Outcome: words(answers), Status: want.Status, Outbox: p.count("SELECT count(*) FROM " + p.c.Outbox)}
	got.Inbox = p.count("SELECT count(*) FROM " + p.c.Inbox)
	for _, table := range p.c.Tables {
		got.Tables = append(got.Tables, p.count("SELECT count(*) FROM "+table))
	}
	for _, a := range answers {
		if want.Status != 0 && a.status != want.Status {
			got.Status = a.status
		}
	}
	fmt.Println(p.line(got))
	if p.line(got) != p.line(want) || got.Status != want.Status {
		p.Errorf("step %s\n got: %s (status %d)\nwant: %s (status %d)", want.Name, p.line(got), got.Status, p.line(want), want.Status)
	}
	if fresh := countOf(answers, "processed"); len(answers) > 1 && fresh != 1 {
		p.Errorf("step %s: %d of %d deliveries at once were processed; want exactly 1", want.Name, fresh, len(answers))
	}
}

func (p *protocol) line(s Step) string {
	text := fmt.Sprintf("%-18s %-20s inbox %d", s.Name, s.Outcome, s.Inbox)
	for i, table := range p.c.Tables {
		text += fmt.Sprintf("  %s %d", table, s.Tables[i])
	}
	return text + fmt.Sprintf("  outbox %d", s.Outbox)
}

func words(answers []answer) string {
	var all []string
	for _, a := range answers {
		all = append(all, a.outcome)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

func countOf(answers []answer, outcome string) (n int) {
	for _, a := range answers {
		if a.outcome == outcome {
			n++
		}
	}
	return n
}

// fill puts the number of the event into a text.
func (p *protocol) fill(text string) string {
	text = strings.ReplaceAll(text, "{{n}}", strconv.Itoa(p.n))
	for name, value := range p.c.Secrets {
		if p.c.Envelope == "" && p.urlEncoded() {
			value = url.QueryEscape(value)
		}
		text = strings.ReplaceAll(text, "{{secret:"+name+"}}", value)
	}
	return text
}

func (p *protocol) urlEncoded() bool {
	return strings.HasPrefix(p.c.ContentType, "application/x-www-form-urlencoded")
}

// body is a body with everything filled in, and put into its envelope.
func (p *protocol) body(text string) string {
	text = p.fill(text)
	d := p.c.Definition.Endpoints[p.c.Endpoint].Document
	if p.c.Envelope == "" || d == nil {
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
	return strings.ReplaceAll(p.fill(p.c.Envelope), "{{document}}", text)
}

// within waits for a condition of the database, which cannot tell us by itself.
func (p *protocol) within(d time.Duration, what string, holds func() bool) {
	p.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(d); !holds(); <-tick.C {
		if time.Now().After(end) {
			p.Fatalf("%s: not within %v", what, d)
		}
	}
}
