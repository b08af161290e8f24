package send

import (
	"github.com/whgen/whgen/runtime/signature"
	"github.com/whgen/whgen/runtime/signature/jose"
	"github.com/whgen/whgen/spec"
)

// schemeOf is a contract's scheme as the receiver's runtime has it: the same
// literal that the generator emits.
func schemeOf(s *spec.Scheme) signature.Scheme {
	out := signature.Scheme{
		Type: s.Type, From: sources(s.From), Prefix: s.Prefix, PrefixOptional: s.PrefixOptional, Encoding: s.Encoding, AnyCase: s.AnyCase,
		RepeatAny: s.RepeatAny, Hash: s.Hash, Padding: s.Padding, Form: s.Form, Curve: s.Curve,
		Decode:  signature.Decoding{Encoding: s.Decode.Encoding, StripPrefix: s.Decode.StripPrefix, PreHash: s.Decode.PreHash},
		Content: parts(s.Content), URLNormalize: s.URLNormalize, Items: s.Items, Algs: s.Algs, Claims: claims(s.Claims),
		Networks: s.Networks, Plugin: s.Plugin, Timestamp: timestamp(s.Timestamp),
	}
	if s.Type == "jwt" {
		out.JWS = jose.JWS{}
	}
	for _, one := range s.Secrets {
		out.Secrets = append(out.Secrets, signature.Secret{Name: one.Name, Until: one.Until})
	}
	if l := s.List; l != nil {
		out.List = &signature.List{Separator: l.Separator, Name: l.Name, Tags: l.Tags, Skip: l.Skip, Trim: l.Trim}
	}
	if s.ID != nil {
		id := source(*s.ID)
		out.ID = &id
	}
	if h := s.BodyHash; h != nil {
		out.BodyHash = &signature.Hashed{From: source(h.From), Hash: h.Hash, Encoding: h.Encoding, AbsentWhenEmpty: h.AbsentWhenEmpty}
	}
	for _, c := range s.Require {
		r := signature.Requirement{From: source(c.From)}
		if len(c.Values) > 0 {
			r.Equals = c.Values[0]
		}
		out.Require = append(out.Require, r)
	}
	for _, m := range s.Any {
		out.Any = append(out.Any, schemeOf(m))
	}
	for _, m := range s.All {
		out.All = append(out.All, schemeOf(m))
	}
	return out
}

func timestamp(t *spec.Timestamp) *signature.Timestamp {
	if t == nil {
		return nil
	}
	out := &signature.Timestamp{
		From: source(t.From), Format: t.Format, Tolerance: t.Tolerance, FutureTolerance: t.FutureTolerance, NoTolerance: t.NoTolerance,
	}
	if t.NoFuture && !t.NoTolerance {
		out.FutureTolerance = -1
	}
	return out
}

func claims(c spec.Claims) signature.Claims {
	out := signature.Claims{
		BodyHash: claimHash(c.BodyHash), URLHash: claimHash(c.URLHash), NotBefore: c.NotBefore, Expires: c.Expires, Leeway: c.Leeway,
	}
	if m := c.MaxAge; m != nil {
		out.MaxAge = &signature.MaxAge{Claim: m.Claim, Tolerance: m.Tolerance, FutureTolerance: m.FutureTolerance}
	}
	for _, one := range c.Equals {
		out.Equals = append(out.Equals, signature.Claim{Name: one.Name, Value: one.Value})
	}
	return out
}

func claimHash(h *spec.ClaimHash) *signature.Hashed {
	if h == nil {
		return nil
	}
	return &signature.Hashed{Claim: h.Claim, Hash: h.Hash, Encoding: h.Encoding, AbsentWhenEmpty: h.AbsentWhenEmpty}
}

func source(s spec.Selector) signature.Source {
	switch s.Kind {
	case spec.SelectBody:
		return signature.Source{In: "json", Name: s.Pointer}
	case spec.SelectItem:
		return signature.Source{In: "item", Name: s.Pointer}
	case spec.SelectParam: // the runtime knows settings, not the contract's names for them
		return signature.Source{In: "param", Name: s.Setting}
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
		if f := p.Fields; f != nil {
			part.Fields = &signature.Fields{From: f.From, Names: f.Names, Each: f.Each, Sep: f.Sep, Exclude: f.Exclude, Unique: f.Unique, SecretAs: f.SecretAs}
		}
		out = append(out, part)
	}
	return out
}
