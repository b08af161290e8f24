package send

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/spec"
)

// Options say what is delivered. The zero value delivers each event once.
type Options struct {
	Events      []string // names of events; empty: every event
	Body        []byte   // in place of the sampled body; nil: sampled. Wants one event
	Count       int      // different events of each kind; 0 means 1
	Repeat      int      // times that each event is delivered, one after another; 0 means 1
	Concurrent  int      // deliveries of one event at the same moment; 0 means 1
	Batch       int      // events in one request; 0: as sampled
	Alter       bool     // then other content under the same key, correctly signed
	Tamper      bool     // a byte of the body is changed after signing
	Stale       bool     // signed longer ago than the tolerance
	WrongSecret bool     // signed with another secret
	Tenant      string   // where the contract has tenants: the one to deliver for
	Number      int64    // of the first event; 0: taken from the clock, so that each run's events are new
}

// wrong reports whether the deliveries are refused on purpose.
func (o Options) wrong() bool { return o.Tamper || o.Stale || o.WrongSecret }

// round is what is sent at one moment: one request, Times times at once.
type round struct {
	event  *spec.Event
	label  string // first, repeat, altered, stale, ...
	times  int
	make   generator.Delivery
	body   []byte
	expect []spec.Outcome
}

// plan makes the rounds, in the order in which they are sent.
func plan(p *generator.Plan, o Options, now time.Time) ([]round, error) {
	all, err := chosen(p, o)
	if err != nil {
		return nil, err
	}
	number := o.Number
	if number == 0 {
		number = now.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Milliseconds()
	}
	if err := fitsTenant(p.Contract, o); err != nil {
		return nil, err
	}
	var rounds []round
	for range max(o.Count, 1) {
		for _, d := range all {
			if err := fits(d, o); err != nil {
				return nil, err
			}
			more, used, err := o.rounds(d, number)
			if err != nil {
				return nil, err
			}
			rounds = append(rounds, more...)
			number += used
		}
	}
	return rounds, nil
}

func chosen(p *generator.Plan, o Options) ([]generator.Delivery, error) {
	all := generator.Deliveries(p)
	if len(o.Events) > 0 {
		var names, unknown []string
		for _, d := range all {
			names = append(names, d.Event.Name)
		}
		for _, name := range o.Events {
			if !slices.Contains(names, name) {
				unknown = append(unknown, strconv.Quote(name))
			}
		}
		if len(unknown) > 0 {
			return nil, fmt.Errorf("the contract has no event %s; it has %s", strings.Join(unknown, ", "), strings.Join(names, ", "))
		}
		all = slices.DeleteFunc(all, func(d generator.Delivery) bool { return !slices.Contains(o.Events, d.Event.Name) })
	}
	if o.Body != nil && len(all) != 1 {
		return nil, fmt.Errorf("a body belongs to one event: name it with --event")
	}
	return all, nil
}

// fitsTenant demands a tenant where the contract has them, and only there.
func fitsTenant(c *spec.Contract, o Options) error {
	switch {
	case c.Tenant == nil && o.Tenant != "":
		return errors.New("the contract has no tenants")
	case c.Tenant != nil && !tenantName.MatchString(o.Tenant):
		return fmt.Errorf("the contract has tenants (%s): name one with --tenant, of letters, digits, _ and -", c.Tenant.Text())
	}
	return nil
}

// tenantName is what a receiver takes for a tenant.
var tenantName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// fits refuses what the contract cannot show.
func fits(d generator.Delivery, o Options) error {
	s := d.Endpoint.Signature
	switch {
	case unsignable(s) != "":
		return fmt.Errorf("event %s: %s; deliveries cannot be signed", d.Event.Name, unsignable(s))
	case d.Unsignable != "":
		return fmt.Errorf("event %s: %s; deliveries cannot be signed", d.Event.Name, d.Unsignable)
	case o.WrongSecret && s != nil && s.Type == "ip":
		return fmt.Errorf("event %s: an address is verified there, no secret", d.Event.Name)
	case o.wrong() && (s == nil || s.Type == "none"):
		return fmt.Errorf("event %s: nothing is verified there (signature type none), so nothing can be refused", d.Event.Name)
	case o.Stale && !s.Fresh():
		return fmt.Errorf("event %s: the signature has no time that is judged, so no delivery is stale", d.Event.Name)
	case o.Tamper && s.Body() != spec.BoundWhole:
		return fmt.Errorf("event %s: the signature%s does not cover the whole body, so a changed one may not be refused", d.Event.Name, typed(s))
	case o.Alter && o.Body == nil && d.Changed == "":
		return fmt.Errorf("event %s: every other content is another event, because its key is derived from the content", d.Event.Name)
	case o.Alter && o.Body != nil:
		return fmt.Errorf("a body of your own cannot be altered: deliver the other one with --body")
	case o.Batch > 0 && d.Items == "":
		return fmt.Errorf("event %s: the contract declares no event.items, so a request holds one event", d.Event.Name)
	}
	return nil
}

// unsignable says why no key can help; "" where one can.
func unsignable(s *spec.Scheme) string {
	if s == nil {
		return ""
	}
	why := ""
	for _, m := range leaves(s) {
		one := ""
		if m.Type == "plugin" {
			one = "what the verifier " + m.Plugin + " wants is not known here"
		}
		for _, k := range m.Secrets {
			if k.Fetch != nil && k.Fetch.From != nil {
				one = fmt.Sprintf("the receiver fetches the public key from the address in %s, on %s alone, where yours is not", k.Fetch.From.Text(), strings.Join(k.Fetch.Hosts, ", "))
			}
		}
		switch {
		case len(s.Any) == 0 && one != "":
			return one
		case len(s.Any) > 0 && one == "":
			return ""
		}
		why = one
	}
	return why
}

func typed(s *spec.Scheme) string {
	if s.Type == "" {
		return ""
	}
	return " (type " + s.Type + ")"
}

// settled are the outcomes of an event that has been understood.
var settled = []spec.Outcome{spec.Processed, spec.Duplicate, spec.Conflict, spec.Rejected, spec.Known, spec.Stale, spec.Ignored, spec.Accepted}

// rounds are those of one event, and how many numbers they use.
func (o Options) rounds(d generator.Delivery, number int64) ([]round, int64, error) {
	d, used, err := o.numbered(d, number)
	if err != nil {
		return nil, 0, err
	}
	first := round{event: d.Event, label: "first", times: max(o.Concurrent, 1), make: d, body: []byte(d.Body), expect: []spec.Outcome{spec.Processed, spec.Accepted}}
	switch {
	case o.Body != nil:
		first.body, first.expect = o.Body, settled
	case o.Number != 0:
		first.expect = append(first.expect, spec.Duplicate)
	}
	if first.times > 1 {
		first.label = "at once"
		first.expect = append(first.expect, spec.Duplicate, spec.InProgress)
	}
	if o.wrong() {
		first.label, first.expect = o.wrongLabel(), []spec.Outcome{spec.Unauthenticated}
	}
	all := []round{first}
	for range max(o.Repeat, 1) - 1 {
		again := first
		if !o.wrong() {
			again.label, again.expect = "repeat", []spec.Outcome{spec.Duplicate, spec.InProgress, spec.Accepted}
			if o.Body != nil {
				again.expect = append(again.expect, settled...)
			}
		}
		all = append(all, again)
	}
	if o.Alter {
		altered := first
		altered.label, altered.body, altered.times = "altered", []byte(d.Changed), 1
		if altered.expect = []spec.Outcome{spec.Conflict}; o.wrong() {
			altered.expect = first.expect
		}
		all = append(all, altered)
	}
	return all, used, nil
}

func (o Options) wrongLabel() string {
	var all []string
	for label, is := range map[string]bool{"tampered": o.Tamper, "stale": o.Stale, "wrong secret": o.WrongSecret} {
		if is {
			all = append(all, label)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// numbered gives the delivery its number, or the elements of a batch theirs.
func (o Options) numbered(d generator.Delivery, number int64) (generator.Delivery, int64, error) {
	if o.Batch == 0 || o.Body != nil {
		return d.Numbered(strconv.FormatInt(number, 10)), 1, nil
	}
	var bodies []string
	for i := range o.Batch {
		bodies = append(bodies, d.Numbered(strconv.FormatInt(number+int64(i), 10)).Body)
	}
	body, err := joined(bodies, d.Items)
	if err != nil {
		return d, 0, fmt.Errorf("event %s: %w", d.Event.Name, err)
	}
	d = d.Numbered(strconv.FormatInt(number, 10))
	d.Body = body
	return d, int64(o.Batch), nil
}
