package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// answer is what one delivery came to.
type answer struct {
	n       int // of its event
	outcome string
	said    string // the outcome that was answered: inProgress where the work went on
	reason  string // of a refusal or failure
	status  int
	header  http.Header
	body    string
	heard   *heard
}

// heard is what the receiver tells of one delivery.
type heard struct {
	sync.Mutex
	word, reason, late string
}

func (h *heard) answered() (word, reason string) {
	h.Lock()
	defer h.Unlock()
	return h.word, h.reason
}

// lately is the outcome of work that went on after its answer; "" before its end.
func (h *heard) lately() string {
	h.Lock()
	defer h.Unlock()
	return h.late
}

// compare holds an answer against the contract's.
func (p *protocol) compare(s Step, a answer) {
	p.Helper()
	want, ok := p.e.Answers[a.said]
	if !ok {
		return // no word that a step wants: the table is red already
	}
	differs := func(what string, got, want any) {
		p.Helper()
		p.Errorf("step %s: outcome %s is answered with %s %v; the contract says %v", s.Name, a.said, what, got, want)
	}
	fill := func(text string) string { return strings.ReplaceAll(text, "{{n}}", strconv.Itoa(a.n)) }
	if a.status != want.Status {
		differs("status", a.status, want.Status)
	}
	if got := a.header.Get("Retry-After"); got != seconds(want.RetryAfter) {
		differs("Retry-After", quoted(got), quoted(seconds(want.RetryAfter)))
	}
	for _, h := range want.Headers {
		if got := a.header.Values(h[0]); !slices.Contains(got, fill(h[1])) {
			differs("header "+h[0], got, quoted(fill(h[1])))
		}
	}
	if want.Any {
		return
	}
	if got := a.header.Get("Content-Type"); got != want.ContentType {
		differs("Content-Type", quoted(got), quoted(want.ContentType))
	}
	if a.body != fill(want.Body) {
		differs("body", quoted(a.body), quoted(fill(want.Body)))
	}
}

func seconds(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func quoted(text string) string {
	if text == "" {
		return "none"
	}
	return strconv.Quote(text)
}

// exactlyOne wants one of the deliveries of an event at once to be processed.
func (p *protocol) exactlyOne(s Step, answers []answer) {
	p.Helper()
	if !strings.Contains(s.Outcome, "processed") {
		return
	}
	all, fresh := map[int]int{}, map[int]int{}
	for _, a := range answers {
		all[a.n]++
		if a.outcome == "processed" {
			fresh[a.n]++
		}
	}
	for n, deliveries := range all {
		if deliveries > 1 && fresh[n] != 1 {
			p.Errorf("step %s: %d of %d deliveries of one event at once were processed; want exactly 1", s.Name, fresh[n], deliveries)
		}
	}
}

func words(answers []answer) string {
	var all []string
	for _, a := range answers {
		all = append(all, a.outcome)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

// reasons says what the receiver has told its observer of refusals and failures.
func reasons(answers []answer) string {
	var all []string
	for _, a := range answers {
		if a.reason != "" {
			all = append(all, fmt.Sprintf("\n%s: %s", a.outcome, a.reason))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "")
}
