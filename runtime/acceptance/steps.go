package acceptance

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

var steps = map[string]func(*protocol) []answer{
	"first": func(p *protocol) []answer { p.n++; return p.deliver(p.e.Body) },
	// The second instance knows nothing but the database.
	"repeat":            (*protocol).repeat,
	"changed-payload":   func(p *protocol) []answer { return p.deliver(p.e.Changed) },
	"failure":           (*protocol).failure,
	"retry":             func(p *protocol) []answer { return p.deliver(p.e.Body) },
	"commit-refused":    func(p *protocol) []answer { p.n++; return p.refusedCommit() },
	"after-refusal":     func(p *protocol) []answer { return p.deliver(p.e.Body) },
	"panic":             (*protocol).panicked,
	"after-panic":       func(p *protocol) []answer { return p.deliver(p.e.Body) },
	"response-lost":     (*protocol).responseLost,
	"concurrent":        func(p *protocol) []answer { p.n++; return p.atOnce(2) },
	"concurrent-32":     func(p *protocol) []answer { p.n++; return p.atOnce(32) },
	"races":             (*protocol).races,
	"wrong-signature":   (*protocol).wrongSignature,
	"missing-signature": (*protocol).missingSignature,
	"altered-byte":      (*protocol).alteredByte,
	"missing-key":       (*protocol).missingKey,
}

// meaning says in a failure what a step has done.
var meaning = map[string]string{
	"first":             "a delivery of a new event",
	"repeat":            "the same delivery again, at another receiver on the database",
	"changed-payload":   "other content under the same event key",
	"failure":           "the work failed after everything was written, before the commit",
	"retry":             "the failed delivery again",
	"commit-refused":    "the database refused the commit itself",
	"after-refusal":     "the refused delivery again",
	"panic":             "a panic inside of the work, before the commit",
	"after-panic":       "the delivery that panicked again",
	"response-lost":     "a delivery whose answer nobody heard, again",
	"concurrent":        "two deliveries of one event at once, at two receivers on the database",
	"concurrent-32":     "32 deliveries of one event at once, at two receivers on the database",
	"races":             "ten events, four deliveries of each at once, at two receivers on the database",
	"wrong-signature":   "a delivery signed with another secret",
	"missing-signature": "a delivery without a signature",
	"altered-byte":      "a delivery whose body was altered after it was signed",
	"missing-key":       "a delivery without an event key",
}

func (p *protocol) repeat() []answer {
	p.Helper()
	return p.untouched(func() answer { return p.send(1, p.request(delivery{body: p.e.Body})) })
}

// untouched delivers what must not leave a row in any table, whoever it belongs to.
func (p *protocol) untouched(deliver func() answer) []answer {
	p.Helper()
	before := p.everything()
	answers := []answer{deliver()}
	for table, n := range p.everything() {
		if n != before[table] {
			p.Errorf("table %s has %d rows after the delivery and had %d before: it must leave nothing", table, n, before[table])
		}
	}
	return answers
}

// everything is how many rows each table of the database has.
func (p *protocol) everything() map[string]int {
	p.Helper()
	all := map[string]int{}
	for _, table := range p.tables() {
		all[table] = p.count(rows(table))
	}
	return all
}

// responseLost delivers, commits, and loses the answer.
func (p *protocol) responseLost() []answer {
	p.n++
	p.deliver(p.e.Body)
	return p.deliver(p.e.Body)
}

// races gives receivers that look before they insert more than one chance.
func (p *protocol) races() []answer {
	p.Helper()
	var all []answer
	for range 10 {
		p.n++
		all = append(all, p.atOnce(4)...)
	}
	return all
}

// atOnce delivers n times behind a barrier, over both instances.
func (p *protocol) atOnce(n int) []answer {
	p.Helper()
	answers := make([]answer, n)
	barrier := make(chan struct{})
	var all sync.WaitGroup
	for i := range answers {
		req := p.request(delivery{body: p.e.Body})
		all.Go(func() {
			<-barrier
			answers[i] = p.send(i%2, req)
		})
	}
	close(barrier)
	all.Wait()
	return p.settled(answers)
}

// settled does what the sender does with deliveries that are in progress: it
// delivers again. Whose work was only slower than its answer has its outcome
// from the observer.
func (p *protocol) settled(answers []answer) []answer {
	p.Helper()
	var slow []answer
	fresh := false
	for i := range answers {
		if answers[i].outcome == "inProgress" {
			slow = append(slow, answers[i])
			p.within(time.Minute, "the end of a delivery in progress", func() bool {
				answers[i] = p.deliver(p.e.Body)[0]
				return answers[i].outcome != "inProgress"
			})
		}
		fresh = fresh || answers[i].outcome == "processed"
	}
	if fresh || len(slow) == 0 {
		return answers
	}
	p.within(time.Minute, "the outcome of the delivery that went on", func() bool {
		for i := range slow {
			if slow[i].outcome = slow[i].heard.lately(); slow[i].outcome == "processed" {
				answers = append(answers, slow[i])
				return true
			}
		}
		return false
	})
	return answers
}

// The forged deliveries are of an event that nobody has delivered.
func (p *protocol) forged(d delivery) []answer {
	p.n++
	defer func() { p.n-- }()
	if d.body == "" {
		d.body = p.e.Body
	}
	return p.untouched(func() answer { return p.send(0, p.request(d)) })
}

// wrongSignature forges each proof of the scheme by itself: of all, the others
// are right.
func (p *protocol) wrongSignature() []answer {
	var answers []answer
	all := leaves(p.scheme())
	for i, m := range all {
		if len(all) == 1 || m.Type != "none" && m.Type != "plugin" {
			answers = append(answers, p.forged(delivery{forged: i + 1})...)
		}
	}
	return answers
}

func (p *protocol) missingSignature() []answer {
	return p.forged(delivery{body: p.e.Unsigned, bare: true})
}

func (p *protocol) alteredByte() []answer {
	return p.forged(delivery{warp: func(r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(" " + string(body[:len(body)-1]) + "}"))
		r.ContentLength = int64(len(body)) + 1
	}})
}

func (p *protocol) missingKey() []answer {
	p.n++
	defer func() { p.n-- }()
	body := p.e.NoKey
	if body == "" {
		body = p.e.Body
	}
	deliver := func() answer { return p.send(0, p.request(delivery{body: body, omit: p.e.NoKeyHeader})) }
	if p.wanted("missing-key") != "malformed" {
		return []answer{deliver()} // it is kept
	}
	return p.untouched(deliver)
}

// wanted is the outcome that the contract gives to a step of the event.
func (p *protocol) wanted(step string) string {
	for _, s := range p.e.Steps {
		if s.Name == step {
			return s.Outcome
		}
	}
	return ""
}
