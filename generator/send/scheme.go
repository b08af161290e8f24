package send

import (
	"github.com/whgen/whgen/runtime/signature"
	"github.com/whgen/whgen/spec"
)

// schemeOf is a contract's scheme as the receiver's runtime has it: the same
// literal that the generator emits.
func schemeOf(s *spec.Scheme) signature.Scheme {
	out := signature.Scheme{
		Type: s.Type, From: sources(s.From), Prefix: s.Prefix, Encoding: s.Encoding, AnyCase: s.AnyCase, RepeatAny: s.RepeatAny, Hash: s.Hash,
		Decode:  signature.Decoding{Encoding: s.Decode.Encoding, StripPrefix: s.Decode.StripPrefix, PreHash: s.Decode.PreHash},
		Content: parts(s.Content),
	}
	for _, one := range s.Secrets {
		out.Secrets = append(out.Secrets, signature.Secret{Name: one.Name, Until: one.Until})
	}
	if l := s.List; l != nil {
		out.List = &signature.List{Separator: l.Separator, Name: l.Name, Tags: l.Tags, Skip: l.Skip, Trim: l.Trim}
	}
	if t := s.Timestamp; t != nil {
		out.Timestamp = &signature.Timestamp{
			From: source(t.From), Format: t.Format, Tolerance: t.Tolerance, FutureTolerance: t.FutureTolerance, NoTolerance: t.NoTolerance,
		}
	}
	if s.ID != nil {
		id := source(*s.ID)
		out.ID = &id
	}
	for _, c := range s.Require {
		r := signature.Requirement{From: source(c.From)}
		if len(c.Values) > 0 {
			r.Equals = c.Values[0]
		}
		out.Require = append(out.Require, r)
	}
	return out
}

func source(s spec.Selector) signature.Source {
	if s.Kind == spec.SelectBody || s.Kind == spec.SelectItem {
		return signature.Source{In: "json", Name: s.Pointer}
	}
	return signature.Source{In: string(s.Kind), Name: s.Name}
}

func sources(all []spec.Selector) []signature.Source {
	var out []signature.Source
	for _, s := range all {
		out = append(out, source(s))
	}
	return out
}

func parts(t *spec.Template) []signature.Part {
	if t == nil {
		return nil
	}
	var out []signature.Part
	for _, p := range t.Parts {
		part := signature.Part{Text: p.Text, Placeholder: p.Placeholder}
		if p.Selector != nil {
			s := source(*p.Selector)
			part.Source = &s
		}
		out = append(out, part)
	}
	return out
}
