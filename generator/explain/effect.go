package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whgen/whgen/spec"
)

// effects lists each effect once, by name, with its use in each event.
func (b *builder) effects() {
	byName := map[string]*Effect{}
	for _, e := range b.contract.Events {
		for _, f := range e.Effects {
			out := byName[f.Name]
			if out == nil {
				out = effect(f)
				byName[f.Name] = out
				b.out.Effects = append(b.out.Effects, out)
			}
			out.Uses = append(out.Uses, use(e, f))
		}
	}
	slices.SortFunc(b.out.Effects, func(a, b *Effect) int { return strings.Compare(a.Name, b.Name) })
}

func effect(f *spec.Effect) *Effect {
	out := &Effect{Name: f.Name, Kind: string(f.Kind), Table: f.Table, Unique: f.Unique, OnConflict: f.OnConflict, Enqueue: f.Enqueue}
	if f.Kind == spec.EffectRecord {
		return out
	}
	if f.To != nil {
		out.To = f.To.Name
	}
	out.Key = keyPolicy(f)
	out.Schedule = schedule(f)
	out.Fence = fence(f)
	return out
}

// What a payload is where the contract does not write one out.
const (
	rawBody     = "the raw body"
	fromHandler = "what the handler gives: "
)

func use(e *spec.Event, f *spec.Effect) Use {
	u := Use{Event: e.Name, When: conditions(f.When), Payload: payload(f.Payload)}
	for _, c := range f.Columns {
		u.Columns = append(u.Columns, Fill{Column: c.Name, From: template(c.From), Null: c.Nullable})
	}
	if f.Kind == spec.EffectHTTP {
		u.Request = f.Method + " " + templateText(f.Path)
	}
	if f.Kind != spec.EffectRecord && f.Payload == nil {
		u.Payload = rawBody
		if f.Enqueue == "handler" {
			u.Payload = fromHandler + fields(f.PayloadTypes)
		}
	}
	return u
}

func fields(all []spec.Field) string {
	var texts []string
	for _, one := range all {
		texts = append(texts, one.Name+": "+one.Type)
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

// keyPolicy says how the outside knows a repeated message.
func keyPolicy(f *spec.Effect) string {
	carried := "field IdempotencyKey of the message"
	if f.Kind == spec.EffectHTTP {
		carried = "header " + f.Key.Header
	}
	switch {
	case f.Key.None:
		return "none: the outside cannot tell a repeat"
	case f.Key.Always:
		return carried + "; repeating does no harm"
	default:
		return carried + "; remembered for " + duration(f.Key.Remembers)
	}
}

// schedule counts each attempt's whole timeout and each delay's whole jitter:
// the end is the latest possible one.
func schedule(f *spec.Effect) *Schedule {
	s := &Schedule{Attempts: len(f.Retry) + 1, Delays: []string{}, Jitter: f.RetryJitter, Timeout: duration(f.Timeout)}
	end := f.Timeout
	for _, d := range f.Retry {
		s.Delays = append(s.Delays, duration(d))
		end += d + time.Duration(float64(d)*f.RetryJitter) + f.Timeout
	}
	s.EndsAfter = duration(end)
	switch {
	case f.Key.Always:
		s.Remembers, s.Inside = "always", true
	case f.Key.Remembers > 0:
		s.Remembers, s.Inside = duration(f.Key.Remembers), end <= f.Key.Remembers
	}
	return s
}

// fence says what becomes of a message whose key the outside may have forgotten.
func fence(f *spec.Effect) string {
	switch {
	case f.Key.None:
		return "an attempt of unknown fate makes it `uncertain`; it is never repeated blindly"
	case f.Key.Always:
		return "none is needed"
	default:
		return fmt.Sprintf("%s after the first attempt it is not sent any more, but `uncertain`, for a person to settle", duration(f.Key.Remembers))
	}
}
