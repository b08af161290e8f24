package send

import (
	"slices"
	"time"

	"github.com/whgen/whgen/spec"
)

// Version is the version of Result's JSON form; members are only added.
const Version = 1

// Result is what came of a run.
type Result struct {
	Version    int      `json:"version"`
	URL        string   `json:"url"`
	Source     string   `json:"source"`
	Deliveries int      `json:"deliveries"` // requests
	Unexpected int      `json:"unexpected"` // answers that do not fit what was sent
	NoAnswer   int      `json:"noAnswer"`   // connections that failed, timeouts
	Groups     []*Group `json:"groups"`
}

// Group is all deliveries of one event that were sent alike.
type Group struct {
	Event      string   `json:"event"`
	Delivery   string   `json:"delivery"` // first, at once, repeat, altered, tampered, stale, wrong secret
	Count      int      `json:"count"`
	Expected   []string `json:"expected"` // outcomes that fit
	Answers    []Answer `json:"answers"`  // by status
	Unexpected int      `json:"unexpected"`
	Errors     []string `json:"errors,omitempty"` // why there was no answer, each once
	Latency    Latency  `json:"latency"`
	NoAnswer   int      `json:"noAnswer,omitempty"`
	took       []time.Duration
	answers    map[int]int
}

// Answer is how often a status came, and what it can mean by the contract: a
// status alone does not tell outcomes apart that answer alike.
type Answer struct {
	Status   int      `json:"status"`
	Count    int      `json:"count"`
	Outcomes []string `json:"outcomes"` // empty: the contract has no such answer
}

// Likely are the outcomes of an answer that fit what was sent, all of them
// where none does.
func (g *Group) Likely(a Answer) []string {
	var fit []string
	for _, o := range a.Outcomes {
		if slices.Contains(g.Expected, o) {
			fit = append(fit, o)
		}
	}
	if len(fit) > 0 {
		return fit
	}
	return a.Outcomes
}

// Latency is measured from the first byte sent to the last one of the answer.
// Milliseconds, of answers.
type Latency struct {
	P50 float64 `json:"p50ms"`
	P95 float64 `json:"p95ms"`
	Max float64 `json:"maxms"`
}

// one is what came of a single request.
type one struct {
	status int
	took   time.Duration
	err    error
}

// add counts a request to the group of its round.
func (r *Result) add(p round, got one) {
	r.Deliveries++
	g := r.group(p)
	g.Count++
	if got.err != nil {
		r.NoAnswer++
		g.NoAnswer++
		if text := got.err.Error(); !slices.Contains(g.Errors, text) && len(g.Errors) < 5 {
			g.Errors = append(g.Errors, text)
		}
		return
	}
	g.took = append(g.took, got.took)
	g.answers[got.status]++
	if !slices.ContainsFunc(p.expect, func(o spec.Outcome) bool { return statusOf(p, o) == got.status }) {
		r.Unexpected++
		g.Unexpected++
	}
}

func (r *Result) group(p round) *Group {
	for _, g := range r.Groups {
		if g.Event == p.event.Name && g.Delivery == p.label {
			return g
		}
	}
	g := &Group{Event: p.event.Name, Delivery: p.label, Expected: []string{}, Answers: []Answer{}, answers: map[int]int{}}
	for _, o := range p.expect {
		if statusOf(p, o) != 0 && !slices.Contains(g.Expected, string(o)) {
			g.Expected = append(g.Expected, string(o))
		}
	}
	r.Groups = append(r.Groups, g)
	return g
}

// statusOf is the answer of an outcome by the contract, 0 where it has none.
// Ways of working that this version does not generate have none.
func statusOf(p round, o spec.Outcome) int {
	if a, ok := p.make.Endpoint.Outcomes[o]; ok && (o == spec.Unauthenticated || o == spec.Malformed || o == spec.TooLarge || o == spec.UnsupportedMedia || o == spec.MethodNotAllowed) {
		return a.Status
	}
	return p.make.Answers[o].Status
}

// finish turns counts into lists.
func (r *Result) finish(rounds []round) {
	for _, g := range r.Groups {
		i := slices.IndexFunc(rounds, func(p round) bool { return p.event.Name == g.Event && p.label == g.Delivery })
		for status, n := range g.answers {
			g.Answers = append(g.Answers, Answer{Status: status, Count: n, Outcomes: meant(rounds[i], status)})
		}
		slices.SortFunc(g.Answers, func(a, b Answer) int { return a.Status - b.Status })
		slices.Sort(g.took)
		g.Latency = Latency{P50: at(g.took, 50), P95: at(g.took, 95), Max: at(g.took, 100)}
	}
}

// meant are the outcomes that have a status by the contract.
func meant(p round, status int) []string {
	all := []string{}
	for _, o := range spec.Outcomes() {
		if statusOf(p, o) == status && o != spec.Known && o != spec.Stale {
			all = append(all, string(o))
		}
	}
	return all
}

// at is a percentile in milliseconds, by the nearest rank.
func at(sorted []time.Duration, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := (len(sorted)*percent+99)/100 - 1
	return float64(sorted[max(i, 0)].Microseconds()) / 1000
}
