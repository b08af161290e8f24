package generator

import (
	"encoding/base64"
	"fmt"
	"go/format"
	"path"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
	"github.com/whgen/whgen/templates"
)

// acceptView is the data of the generated test.
type acceptView struct {
	Package, Import    string
	DB, Handler        string // Go types
	Engine             string // as the kit calls it
	Postgres, Pgx, SQL bool
	Secrets            []acceptSecret
	Published          [][2]string
	Tenant             string
	Handlers           []acceptHandler
	Inbox, Outbox      string
	Conflicts          string
	Failures           string
	Events             []acceptEvent
	Outside            []acceptOutside
}

type acceptSecret struct {
	Name, Value string
	Forged      string // another one of the same form, for forged deliveries
}

type acceptEvent struct {
	*Acceptance
	Name           string
	Handled, Sends bool
	Tables         []string
	Steps          []acceptStep
}

type acceptStep struct {
	Name, Outcome string
	Inbox, Kept   int
	Tables        []int
	Outbox        int
	Conflicts     int // rows on record
	Failures      int
}

// acceptanceFiles writes acceptance_gen_test.go (the requests of events, and what
// every step of the protocol must leave behind) and what it needs of the
// package's inside.
func acceptanceFiles(p *Plan) ([]File, error) {
	if len(p.Accept) == 0 {
		return nil, nil
	}
	v := acceptView{
		Package: p.Package, Import: p.Import, DB: poolType(p.Engine), Handler: handlerType(p), Engine: "sqlite",
		Postgres: p.Engine != SQLite, Pgx: p.Engine == PostgresPgx, SQL: p.Engine != PostgresPgx,
		Secrets: acceptSecrets(p.Contract), Published: publishedKeys(p.Contract), Handlers: handlersOf(p), Inbox: p.SQL.Events, Outbox: p.SQL.Messages,
		Conflicts: p.SQL.Conflicts, Failures: p.SQL.Failures,
		Outside: acceptOutsides(p),
	}
	if p.Contract.Tenant != nil {
		v.Tenant = sampleTenant
	}
	if v.Postgres {
		v.Engine = "postgres"
	}
	for _, a := range p.Accept {
		v.Events = append(v.Events, eventView(p, a))
	}
	var files []File
	for _, name := range []string{"acceptance_gen_test.go", "export_gen_test.go"} {
		text, err := templates.Render("acceptance/"+name+".tmpl", v)
		if err != nil {
			return nil, err
		}
		data, err := format.Source(text)
		if err != nil {
			return nil, fmt.Errorf("format %s: %w", name, err)
		}
		files = append(files, File{Path: path.Join(p.Out, name), Data: data})
	}
	return files, nil
}

func eventView(p *Plan, a *Acceptance) acceptEvent {
	e := acceptEvent{
		Acceptance: a, Name: a.Event.Spec.Name, Handled: a.Event.Spec.Handler,
		Steps: acceptSteps(a, p.Contract.Endpoints[a.Endpoint].Signature),
	}
	for _, f := range p.Effects {
		e.Sends = e.Sends || e.Handled && f.FromHandler
	}
	for _, t := range a.Tables {
		e.Tables = append(e.Tables, t.Ident)
	}
	return e
}

// poolType is the Go type of the user's database handle, as text.
func poolType(e Engine) string {
	if e == PostgresPgx {
		return "*pgxpool.Pool"
	}
	return "*sql.DB"
}

func handlerType(p *Plan) string {
	if p.HasHandler {
		return p.Package + ".Handler"
	}
	return "acceptance.NoHandler"
}

// acceptSecrets makes a secret for each name, in a form that every scheme reads
// which names it. Keys that are public are made by the test itself.
func acceptSecrets(c *spec.Contract) []acceptSecret {
	var names []string
	by := map[string][]*spec.Scheme{}
	for _, e := range c.Endpoints {
		for _, scheme := range leaves(e.Signature) {
			for _, s := range scheme.Secrets {
				if scheme.PublicKeys() {
					continue
				}
				if by[s.Name] == nil {
					names = append(names, s.Name)
				}
				by[s.Name] = append(by[s.Name], scheme)
			}
		}
	}
	var out []acceptSecret
	for i, name := range names {
		out = append(out, acceptSecret{name, acceptSecretText(by[name], i), acceptSecretText(by[name], i+50)})
	}
	return out
}

// acceptSecretText is a text that all schemes can decode. Hex whose length is a
// multiple of four is base64, too. It is long enough for every algorithm of tokens.
func acceptSecretText(all []*spec.Scheme, i int) string {
	raw := fmt.Sprintf("acceptance test secret number %02d", i)
	encodings := map[string]bool{}
	for _, s := range all {
		if s.Type == "basic" {
			return fmt.Sprintf("acceptance:secret%02dforthetest", i)
		}
		if s.Type == "jwt" {
			raw = strings.Repeat(raw+" ", 2)
		}
		encodings[s.Decode.Encoding] = true
	}
	prefix := all[0].Decode.StripPrefix
	if slices.ContainsFunc(all, func(s *spec.Scheme) bool { return s.Decode.StripPrefix != prefix }) {
		prefix = "" // it may be left out
	}
	switch {
	case encodings["hex"]:
		return prefix + fmt.Sprintf("%x", raw)
	case encodings["base64"]:
		return prefix + base64.StdEncoding.EncodeToString([]byte(raw))
	}
	return prefix + strings.ReplaceAll(strings.TrimSpace(raw), " ", "-")
}

func acceptSteps(a *Acceptance, s *spec.Scheme) []acceptStep {
	var steps []acceptStep
	events, conflicts, failures := 0, 0, 0
	add := func(name, outcome string, fresh int) {
		events += fresh
		switch {
		case outcome == "conflict":
			conflicts++
		case outcome == "failed" && (name != "panic" || a.Event.Spec.Handler): // without a handler the store panics, which records nothing
			failures++
		}
		step := acceptStep{Name: name, Outcome: outcome, Inbox: events, Outbox: events * a.Outbox, Conflicts: conflicts, Failures: failures}
		for _, t := range a.Tables {
			step.Tables = append(step.Tables, events*t.Rows)
		}
		steps = append(steps, step)
	}
	add("first", "processed", 1)
	add("repeat", "duplicate", 0)
	if a.Changed != "" && !a.Short {
		add("changed-payload", "conflict", 0)
	}
	add("failure", "failed", 0)
	add("retry", "processed", 1)
	if a.Short {
		if a.Forged {
			forgedSteps(a, s, add)
		}
		return steps
	}
	add("commit-refused", "failed", 0)
	add("after-refusal", "processed", 1)
	add("panic", "failed", 0)
	add("after-panic", "processed", 1)
	add("response-lost", "duplicate", 1)
	add("concurrent", "duplicate processed", 1)
	add("concurrent-32", "duplicate processed", 1)
	add("races", "duplicate processed", 10)
	forgedSteps(a, s, add)
	if a.NoKey != "" || (a.NoKeyHeader != "" && !signedHeader(s, a.NoKeyHeader)) {
		if a.Batch { // kept as rejected, so that it does not hold up the others
			add("missing-key", "rejected", 0)
			last := &steps[len(steps)-1]
			last.Inbox, last.Kept = last.Inbox+1, 1
		} else {
			add("missing-key", "malformed", 0)
		}
	}
	return steps
}

// forgedSteps are the deliveries of somebody else, as far as the scheme can tell.
func forgedSteps(a *Acceptance, s *spec.Scheme, add func(name, outcome string, fresh int)) {
	if !tells(s) {
		return
	}
	add("wrong-signature", "unauthenticated", 0)
	add("missing-signature", "unauthenticated", 0)
	if s.Body() == spec.BoundWhole && a.Body != "" {
		add("altered-byte", "unauthenticated", 0)
	}
}

// signedHeader: without a signed header the delivery is refused before its key
// is looked for.
func signedHeader(s *spec.Scheme, name string) bool {
	return s != nil && s.ID != nil && s.ID.Name == name
}
