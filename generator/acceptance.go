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
	Acceptance
	Package            string
	Postgres, Pgx, SQL bool
	Endpoint           int
	Secrets            []acceptSecret
	Handlers           []acceptHandler
	Inbox, Outbox      string
	Tables             []string
	Relay              bool
	Steps              []acceptStep
}

type acceptSecret struct{ Name, Value string }

type acceptHandler struct{ Method, Payload string }

type acceptStep struct {
	Name, Outcome string
	Status, Inbox int
	Tables        []int
	Outbox        int
}

// acceptanceFiles writes acceptance_gen_test.go: the request of one event, and
// what every step of the protocol must leave behind.
func acceptanceFiles(p *Plan) ([]File, error) {
	if p.Accept.Event == nil {
		return nil, nil
	}
	v := acceptView{
		Acceptance: p.Accept, Package: p.Package,
		Postgres: p.Engine != SQLite, Pgx: p.Engine == PostgresPgx, SQL: p.Engine != PostgresPgx,
		Inbox: p.SQL.Events, Outbox: p.SQL.Messages,
	}
	for _, t := range p.Accept.Tables {
		v.Tables = append(v.Tables, t.SQLName)
	}
	for i, e := range p.Contract.Endpoints {
		if slices.Contains(e.Events, p.Accept.Event.Spec) {
			v.Endpoint = i
			break
		}
	}
	v.Secrets = acceptSecrets(p.Contract)
	v.Handlers = handlersOf(p)
	v.Relay = relayed(p.Accept)
	v.Steps = acceptSteps(p, p.Contract.Endpoints[v.Endpoint].Signature)
	text, err := templates.Render("acceptance/acceptance_gen_test.go.tmpl", v)
	if err != nil {
		return nil, err
	}
	data, err := format.Source(text)
	if err != nil {
		return nil, fmt.Errorf("format acceptance_gen_test.go: %w", err)
	}
	return []File{{Path: path.Join(p.Out, "acceptance_gen_test.go"), Data: data}}, nil
}

// acceptSecrets makes a secret for each name, in the form that its scheme reads.
func acceptSecrets(c *spec.Contract) []acceptSecret {
	var out []acceptSecret
	seen := map[string]bool{}
	for _, e := range c.Endpoints {
		if e.Signature == nil {
			continue
		}
		for _, s := range e.Signature.Secrets {
			if seen[s.Name] {
				continue
			}
			seen[s.Name] = true
			text := acceptSecretText(e.Signature, len(out))
			out = append(out, acceptSecret{s.Name, text})
			if name := withTenant(s.Name, sampleTenant); name != s.Name { // the test knows it by both names
				out = append(out, acceptSecret{name, text})
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

// relayed reports whether every row is sent at its third attempt.
func relayed(a Acceptance) bool {
	if a.Outbox == 0 {
		return false
	}
	for _, e := range a.Event.Messages {
		if e.Spec.Key.None || len(e.Spec.Retry) < 2 {
			return false
		}
	}
	return true
}

func acceptSteps(p *Plan, s *spec.Scheme) []acceptStep {
	a := p.Accept
	var steps []acceptStep
	events := 0
	add := func(name, outcome string, fresh int) {
		events += fresh
		step := acceptStep{Name: name, Outcome: outcome, Status: a.Statuses[outcome], Inbox: events, Outbox: events * a.Outbox}
		for _, t := range a.Tables {
			step.Tables = append(step.Tables, events*t.Rows)
		}
		steps = append(steps, step)
	}
	add("first", "processed", 1)
	add("repeat", "duplicate", 0)
	if a.Changed != "" {
		add("changed-payload", "conflict", 0)
	}
	add("failure", "failed", 0)
	add("retry", "processed", 1)
	add("panic", "failed", 0)
	add("after-panic", "processed", 1)
	add("response-lost", "duplicate", 1)
	add("concurrent", "duplicate processed", 1)
	add("concurrent-32", "duplicate processed", 1)
	if s != nil && s.Type != "none" {
		add("wrong-signature", "unauthenticated", 0)
		add("missing-signature", "unauthenticated", 0)
		if s.Type == "hmac" && signsBody(s) {
			add("altered-byte", "unauthenticated", 0)
		}
	}
	if a.NoKey != "" || (a.NoKeyHeader != "" && !signedHeader(s, a.NoKeyHeader)) {
		add("missing-key", "malformed", 0)
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
