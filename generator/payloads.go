package generator

import (
	"cmp"
	"slices"

	"github.com/whgen/whgen/spec"
)

// payloads makes the types of event bodies and of effects' payloads, then names
// them all: what the document names first, inline types after what they stand in.
func (b *planner) payloads() {
	b.types = newTyper(b.contract.Receiver.Models)
	for _, event := range b.plan.Events {
		if b.foreignEvent(event) || event.Spec.Schema == nil || event.Spec.Body == spec.RawBody {
			event.Enums = enumsOf(event.Spec.Schema)
			event.Fields = formFields(event.Spec)
			continue
		}
		event.Fields = formFields(event.Spec)
		g, _ := b.types.of(event.Spec.Schema, place{name: event.GoName, rank: rankEvent})
		if g.Kind == NamedGo {
			event.Type = g.Type
		}
		event.Enums = enumsOf(event.Spec.Schema)
	}
	for _, e := range b.plan.Effects {
		b.effectPayload(e)
	}
	b.unusedModels()
	all := b.types.types
	breakCycles(all)
	b.name(all)
	own := map[*Type]bool{}
	for _, e := range b.plan.Effects {
		for _, t := range e.Types {
			own[t] = true
		}
	}
	for _, t := range all {
		if !own[t] {
			b.plan.Types = append(b.plan.Types, t)
		}
	}
	slices.SortFunc(b.plan.Types, func(a, b *Type) int { return cmp.Compare(a.GoName, b.GoName) })
	for _, event := range b.plan.Events {
		if event.Type != nil {
			event.Payload = event.Type.GoName
			event.Foreign = event.Type.Kind == AliasType && event.Type.Elem.Kind == ForeignGo
		}
	}
}

// name settles names rank by rank, inline types level by level.
func (b *planner) name(all []*Type) {
	for len(all) > 0 {
		var now, later []*Type
		lowest := rankNested
		for _, t := range all {
			if t.parent == nil {
				lowest = min(lowest, t.rank)
			}
		}
		for _, t := range all {
			if t.parent == nil && t.rank == lowest || t.parent != nil && t.parent.GoName != "" {
				now = append(now, t)
				continue
			}
			later = append(later, t)
		}
		b.settleTypes(now)
		all = later
	}
}

func (b *planner) settleTypes(now []*Type) {
	var claims []claim
	for _, t := range now {
		wish, origin := t.wish, t.origin
		if t.parent != nil {
			wish, origin = t.parent.GoName+t.wish, t.parent.origin+"/"+t.origin
			t.origin = origin
		}
		claims = append(claims, claim{wish: wish, origin: origin, give: func(name string) { t.GoName = name }})
	}
	b.top.settle(claims)
	for _, t := range now {
		for _, v := range t.Values {
			v.GoName = b.top.take(t.GoName+goName(v.Text), t.origin+"="+v.Text)
		}
	}
}

// breakCycles puts pointers where structs hold each other by value: at every
// such place, so that it does not matter where one begins.
func breakCycles(all []*Type) {
	var found []*GoType
	for _, t := range all {
		for _, f := range t.Fields {
			g := f.GoType
			if g.Kind == OptGo {
				g = g.Elem
			}
			if t.Kind == StructType && g.Kind == NamedGo && g.Type.Kind == StructType && reaches(g.Type, t, map[*Type]bool{}) {
				found = append(found, g)
			}
		}
	}
	for _, g := range found {
		held := *g
		*g = GoType{Kind: PointerGo, Elem: &held}
	}
}

// reaches follows what is held by value.
func reaches(from, to *Type, seen map[*Type]bool) bool {
	if from == to {
		return true
	}
	if seen[from] || from.Kind != StructType {
		return false
	}
	seen[from] = true
	for _, f := range from.Fields {
		g := f.GoType
		if g.Kind == OptGo {
			g = g.Elem
		}
		if g.Kind == NamedGo && reaches(g.Type, to, seen) {
			return true
		}
	}
	return false
}

// effectPayload makes the payload type of a call effect, or of one that a
// handler enqueues.
func (b *planner) effectPayload(e *Effect) {
	if e.Spec.Kind == spec.EffectHTTP && !e.FromHandler {
		return
	}
	before := len(b.types.types)
	if e.FromHandler {
		e.Payload = b.types.typed(e)
	} else {
		e.Payload = b.types.rendered(e, b.eventOf(e.Spec))
	}
	// Types that a payload shares with an event are the event's; what is new
	// here and has a place of its own belongs to the effect.
	for _, t := range b.types.types[before:] {
		root := t
		for root.parent != nil {
			root = root.parent
		}
		if root == e.Payload {
			e.Types = append(e.Types, t)
		}
	}
}

func (b *planner) eventOf(e *spec.Effect) *Event {
	for _, event := range b.plan.Events {
		if event.Spec.Name == e.Event {
			return event
		}
	}
	return nil
}
