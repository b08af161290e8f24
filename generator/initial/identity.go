package initial

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// Names of members that tell the type, or identify the event, without "_" and
// "-" and in lower case; the likeliest first.
var (
	typeNames = []string{"type", "eventtype", "event", "eventname", "eventcode", "topic", "eventcategory", "category", "action", "trigger", "kind"}
	idNames   = []string{"eventid", "webhookeventid", "notificationid", "messageid", "deliveryid", "uuid", "guid", "id"}
)

// rank is the place of a member's last name in a list, -1 where it has none.
func rank(m spec.Member, names []string) int {
	last := m.Pointer[strings.LastIndexByte(m.Pointer, '/')+1:]
	return slices.Index(names, strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(last)))
}

func depth(m spec.Member) int { return strings.Count(m.Pointer, "/") }

func scalar(m spec.Member, kinds ...string) bool {
	return len(m.Kinds)+len(m.Fixed) > 0 && !slices.ContainsFunc(m.Kinds, func(k string) bool { return !slices.Contains(kinds, k) })
}

// index notes the members of one event of each entry: of the element, in a batch.
func (p *proposer) index() {
	for _, e := range p.taken {
		e.members = map[string]spec.Member{}
		for _, m := range e.Members {
			if rest, ok := strings.CutPrefix(m.Pointer, p.pointer); ok && rest != "" && !strings.Contains(rest, "*") {
				m.Pointer = rest
				e.members[rest] = m
				e.order = append(e.order, rest)
			}
		}
	}
}

// common are the members that every entry has, in the first one's order.
func (p *proposer) common() []spec.Member {
	if len(p.taken) == 0 {
		return nil
	}
	var all []spec.Member
	for _, pointer := range p.taken[0].order {
		m, there := p.taken[0].members[pointer], true
		for _, e := range p.taken[1:] {
			var other spec.Member
			if other, there = e.members[pointer]; !there {
				break
			}
			m.Required = m.Required && other.Required
		}
		if there {
			all = append(all, m)
		}
	}
	return all
}

// types decides where the type is told. A pointer that each entry fixes to a
// value of its own is the type; everything else is a question.
func (p *proposer) types() {
	if len(p.facts[p.sender.preset].Type) > 0 {
		p.kind.none = true // the preset brings it
		p.presetTypes(p.facts[p.sender.preset].Type)
		return
	}
	if p.discriminated() || p.fixed() {
		return
	}
	p.kind.proposals = p.typeProposals()
	p.kind.none = len(p.taken) < 2 && len(p.kind.proposals) == 0
}

// githubID is the form of GitHub's operationIds.
var githubID = regexp.MustCompile(`^[a-z][a-z-]*(/[a-z][a-z_-]*)?$`)

// presetTypes writes out the types that no schema fixes: where the preset reads
// the type from one member, those that the examples tell; where it reads a part
// from GitHub's header, the first part of the operationId with underscores, as
// GitHub's documentation lists them.
func (p *proposer) presetTypes(selectors []string) {
	if len(selectors) == 1 && strings.HasPrefix(selectors[0], "/") {
		if p.discriminated() {
			p.kind.selectors = nil // the preset says where
		} else if values, _, told := p.values(spec.Member{Pointer: selectors[0]}); told > 0 {
			p.tell(selectors[0], values)
		}
		return
	}
	if p.sender.preset != "github" || slices.ContainsFunc(p.taken, func(e *entry) bool { return !githubID.MatchString(e.ID) }) {
		return
	}
	for _, e := range p.taken {
		name, action, _ := strings.Cut(e.ID, "/")
		e.event = strings.ReplaceAll(name, "-", "_")
		if action != "" {
			e.event += "." + action
		}
	}
	p.note("types of the entries: X-GitHub-Event and /action, as the operationIds have them")
}

// tell notes the entries' values at a pointer, where their schemas do not fix
// them, and which tell none.
func (p *proposer) tell(pointer string, values []string) {
	for i, e := range p.taken {
		e.untold = values[i] == "" && len(p.taken) > 1
		if len(e.members[pointer].Fixed) != 1 {
			e.event = values[i]
		}
	}
}

// fixed looks for a pointer that has another value in each entry: by the
// schemas, or (where its name is that of a type) by their examples. Where a few
// entries tell none the place is known, and their values are a question.
func (p *proposer) fixed() bool {
	members := p.common()
	slices.SortStableFunc(members, byRank(typeNames))
	for _, m := range members {
		values, fixed, told := p.values(m)
		named := rank(m, typeNames) >= 0
		switch n := len(p.taken); {
		case fixed == n && (n > 1 || named):
			p.kind.why = "the schema fixes it in " + each(n)
		case named && n > 1 && told == n:
			p.kind.why = fmt.Sprintf("told by the schema or the example of %s", each(n))
		case named && told > 1 && 3*told >= 2*n:
			p.kind.why = fmt.Sprintf("told by the schema or the example of %d of %d entries", told, n)
		default:
			continue
		}
		p.kind.selectors = []string{m.Pointer}
		p.tell(m.Pointer, values)
		p.note("event.type %s: %s", m.Pointer, p.kind.why)
		return true
	}
	return false
}

// values are the entries' values at a member, "" where one tells none, how many
// of them their schemas fix, and how many are told at all. Two entries with one
// value make it no type: then nothing is told.
func (p *proposer) values(m spec.Member) (values []string, fixed, told int) {
	seen := map[string]bool{}
	for _, e := range p.taken {
		own, value := e.members[m.Pointer], ""
		switch {
		case !scalar(own, "string") && len(own.Kinds) > 0:
		case len(own.Fixed) == 1:
			value, fixed = own.Fixed[0], fixed+1
		default:
			value = exampleText(e.Example, p.pointer, m.Pointer)
		}
		if seen[value] && value != "" {
			return nil, 0, 0
		}
		if seen[value] = true; value != "" {
			told++
		}
		values = append(values, value)
	}
	return values, fixed, told
}

// exampleText is a text of an example, in a batch of its first element.
func exampleText(example []byte, items, pointer string) string {
	var v any
	if json.Unmarshal(example, &v) != nil {
		return ""
	}
	for _, token := range strings.Split(items+pointer, "/")[1:] {
		switch at := v.(type) {
		case map[string]any:
			v = at[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
		case []any:
			if token != "*" || len(at) == 0 {
				return ""
			}
			v = at[0]
		default:
			return ""
		}
	}
	text, _ := v.(string)
	return text
}

// discriminated takes the discriminator of the only entry's event for its
// type; the mapping lists the types.
func (p *proposer) discriminated() bool {
	if len(p.taken) != 1 {
		return false
	}
	e := p.taken[0]
	d := e.Discriminator
	if p.pointer != "" {
		d = nil
		if i := slices.IndexFunc(e.Members, func(m spec.Member) bool { return m.Pointer == p.pointer }); i >= 0 {
			d = e.Members[i].Discriminator
		}
	}
	if d == nil || len(d.Values) == 0 {
		return false
	}
	p.kind.selectors = []string{"/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(d.Member)}
	p.kind.why = fmt.Sprintf("the discriminator's property; it lists %s", count(len(d.Values), "type"))
	e.carried = d.Values
	p.note("event.type %s: %s", p.kind.selectors[0], p.kind.why)
	return true
}

func byRank(names []string) func(a, b spec.Member) int {
	place := func(m spec.Member) int {
		if i := rank(m, names); i >= 0 {
			return i
		}
		return len(names)
	}
	return func(a, b spec.Member) int {
		return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(place(a), place(b)))
	}
}

// typeProposals are headers and members whose names sound like a type.
func (p *proposer) typeProposals() []string {
	var all []string
	for _, h := range p.survey.Headers {
		lower := strings.ToLower(h)
		if (strings.Contains(lower, "event") || strings.Contains(lower, "topic") || strings.HasSuffix(lower, "-type")) &&
			!strings.HasSuffix(lower, "id") && lower != "content-type" && !strings.Contains(lower, "target") {
			all = append(all, "header:"+h)
		}
	}
	members := slices.DeleteFunc(p.common(), func(m spec.Member) bool {
		return !scalar(m, "string") || rank(m, typeNames) < 0 || depth(m) > 2 || p.alike(m)
	})
	slices.SortStableFunc(members, byRank(typeNames))
	for _, m := range members {
		all = append(all, m.Pointer)
	}
	return all
}

// alike reports whether two entries fix a member to one value, so that it does
// not tell them apart.
func (p *proposer) alike(m spec.Member) bool {
	seen := map[string]bool{}
	for _, e := range p.taken {
		if fixed := e.members[m.Pointer].Fixed; len(fixed) == 1 {
			if seen[fixed[0]] {
				return true
			}
			seen[fixed[0]] = true
		}
	}
	return false
}

// key decides what identifies an event. CloudEvents say so themselves (source
// and id together); a name proves nothing elsewhere: an id may be the thing's.
func (p *proposer) key() {
	if len(p.facts[p.sender.preset].Key) > 0 {
		p.id.none = true
		return
	}
	members := p.common()
	has := func(pointer string) bool {
		return slices.ContainsFunc(members, func(m spec.Member) bool { return m.Pointer == pointer })
	}
	if has("/specversion") && has("/id") && has("/source") && has("/type") {
		p.id.selectors, p.id.why = []string{"/source", "/id"}, "CloudEvents: source and id together identify an event"
		p.note("event.key [/source, /id]: the body is a CloudEvent, which they identify")
		return
	}
	for _, h := range p.survey.Headers {
		lower := strings.ToLower(h)
		if (strings.HasSuffix(lower, "id") || strings.HasSuffix(lower, "delivery")) && !strings.Contains(lower, "hook-id") && !strings.Contains(lower, "target") &&
			(strings.Contains(lower, "event") || strings.Contains(lower, "message") || strings.Contains(lower, "notification") || strings.Contains(lower, "delivery") || strings.Contains(lower, "webhook")) {
			p.id.proposals = append(p.id.proposals, "header:"+h)
		}
	}
	p.id.together = together(members)
	members = slices.DeleteFunc(members, func(m spec.Member) bool {
		return !scalar(m, "string", "integer") || rank(m, idNames) < 0 || depth(m) > 2
	})
	slices.SortStableFunc(members, byRank(idNames))
	for _, m := range members {
		p.id.proposals = append(p.id.proposals, m.Pointer)
	}
}

// together are the members that may identify an event only as several: ids of
// what it is about, its type, and its time. Empty without an id among them.
func together(members []spec.Member) []string {
	var all []string
	ids := false
	for _, m := range members {
		last := m.Pointer[strings.LastIndexByte(m.Pointer, '/')+1:]
		id := slices.ContainsFunc([]string{"Id", "ID", "_id", "Reference", "_reference"}, func(end string) bool { return strings.HasSuffix(last, end) })
		if depth(m) == 1 && scalar(m, "string", "integer") && (id || rank(m, typeNames) >= 0 || m.Format == "date-time") {
			all = append(all, m.Pointer)
			ids = ids || id
		}
	}
	if !ids {
		return nil
	}
	return all
}
