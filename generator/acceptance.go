package generator

import (
	"encoding/base64"
	"fmt"
	"go/format"
	"path"
	"slices"

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
		Secrets: acceptSecrets(p.Contract), Handlers: handlersOf(p), Inbox: p.SQL.Events, Outbox: p.SQL.Messages,
		Conflicts: p.SQL.Conflicts, Failures: p.SQL.Failures,
		Outside: acceptOutsides(p),
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

// acceptSecrets makes a secret for each name, in the form that its scheme reads.
func acceptSecrets(c *spec.Contract) []acceptSecret {
	var out []acceptSecret
	seen := map[string]bool{}
	for _, e := range c.Endpoints {
		if e.Signature == nil {
			continue
		}
		for _, scheme := range append([]*spec.Scheme{e.Signature}, e.Signature.Members()...) {
			for _, s := range scheme.Secrets {
				if seen[s.Name] {
					continue
				}
				seen[s.Name] = true
				text, forged := acceptSecretText(scheme, len(out)), acceptSecretText(scheme, len(out)+50)
				out = append(out, acceptSecret{s.Name, text, forged})
				if name := withTenant(s.Name, sampleTenant); name != s.Name { // the test knows it by both names
					out = append(out, acceptSecret{name, text, forged})
				}
			}
		}
	}
	return out
}

func acceptSecretText(s *spec.Scheme, i int) string {
	raw := fmt.Sprintf("acceptance test secret number %02d", i)
	switch {
	case s.Type == "basic":
		return fmt.Sprintf("acceptance:secret%02dforthetest", i)
	case s.Decode.Encoding == "base64":
		return s.Decode.StripPrefix + base64.StdEncoding.EncodeToString([]byte(raw))
	case s.Decode.Encoding == "hex":
		return s.Decode.StripPrefix + fmt.Sprintf("%x", raw)
	}
	return s.Decode.StripPrefix + fmt.Sprintf("acceptance-test-secret-number-%02d", i)
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
	if s != nil && s.Type != "none" {
		add("wrong-signature", "unauthenticated", 0)
		add("missing-signature", "unauthenticated", 0)
		if s.Type == "hmac" && signsBody(s) {
			add("altered-byte", "unauthenticated", 0)
		}
	}
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

func signsBody(s *spec.Scheme) bool {
	return s.Content == nil || slices.ContainsFunc(s.Content.Parts, func(p spec.TemplatePart) bool { return p.Placeholder == "body" })
}

// signedHeader: without a signed header the delivery is refused before its key
// is looked for.
func signedHeader(s *spec.Scheme, name string) bool {
	return s != nil && s.ID != nil && s.ID.Name == name
}
