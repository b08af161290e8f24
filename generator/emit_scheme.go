package generator

import (
	"time"

	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

func sig(name string) *jen.Statement { return jen.Qual(signaturePath, name) }

// scheme is `signature.Scheme{...}`.
func scheme(s *spec.Scheme) jen.Code {
	if s == nil {
		return nil
	}
	return sig("Scheme").Values(multiline(schemeFields(s))...)
}

func schemeFields(s *spec.Scheme) []jen.Code {
	return fields(
		textField("Type", s.Type),
		field("Secrets", secrets(s.Secrets)),
		field("From", sources(s.From)),
		textField("Prefix", s.Prefix),
		onlyIf(s.PrefixOptional, field("PrefixOptional", jen.True())),
		onlyIf(s.List != nil, field("List", listFormat(s.List))),
		textField("Encoding", s.Encoding),
		onlyIf(s.AnyCase, field("AnyCase", jen.True())),
		onlyIf(s.RepeatAny, field("RepeatAny", jen.True())),
		textField("Hash", s.Hash),
		textField("Padding", s.Padding),
		textField("Form", s.Form),
		textField("Curve", s.Curve),
		onlyIf(s.Decode != (spec.KeyDecoding{}), field("Decode", sig("Decoding").Values(fields(
			textField("Encoding", s.Decode.Encoding), textField("StripPrefix", s.Decode.StripPrefix),
			textField("PreHash", s.Decode.PreHash))...))),
		onlyIf(s.Timestamp != nil, field("Timestamp", timestamp(s.Timestamp))),
		onlyIf(s.ID != nil, field("ID", sourceOrNil(s.ID))),
		field("Content", content(s.Content)),
		textField("URLNormalize", s.URLNormalize),
		textField("Items", s.Items),
		onlyIf(s.BodyHash != nil, field("BodyHash", bodyHash(s.BodyHash))),
		field("Algs", texts(s.Algs)),
		field("Claims", claims(s.Claims)),
		onlyIf(s.Type == "jwt", field("JWS", jen.Qual(josePath, "JWS").Values())),
		field("Networks", texts(s.Networks)),
		textField("Plugin", s.Plugin),
		field("Require", requirements(s.Require)),
		field("Any", schemes(s.Any)),
		field("All", schemes(s.All)),
	)
}

func schemes(all []*spec.Scheme) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return jen.Index().Add(sig("Scheme")).ValuesFunc(func(g *jen.Group) {
		for _, s := range all {
			g.Line().Values(multiline(schemeFields(s))...)
		}
		g.Line()
	})
}

func bodyHash(h *spec.BodyHash) jen.Code {
	if h == nil {
		return nil
	}
	return jen.Op("&").Add(sig("Hashed")).Values(fields(field("From", sig("Source").Values(source(h.From)...)),
		textField("Hash", h.Hash), textField("Encoding", h.Encoding),
		onlyIf(h.AbsentWhenEmpty, field("AbsentWhenEmpty", jen.True())))...)
}

func claims(c spec.Claims) jen.Code {
	all := fields(
		field("BodyHash", claimHash(c.BodyHash)),
		field("URLHash", claimHash(c.URLHash)),
		field("MaxAge", maxAge(c.MaxAge)),
		onlyIf(c.NotBefore, field("NotBefore", jen.True())),
		onlyIf(c.Expires, field("Expires", jen.True())),
		onlyIf(c.Leeway > 0, field("Leeway", duration(c.Leeway))),
		field("Equals", pinnedClaims(c.Equals)),
	)
	if len(all) == 0 {
		return nil
	}
	return sig("Claims").Values(multiline(all)...)
}

func claimHash(h *spec.ClaimHash) jen.Code {
	if h == nil {
		return nil
	}
	return jen.Op("&").Add(sig("Hashed")).Values(fields(textField("Claim", h.Claim), textField("Hash", h.Hash),
		textField("Encoding", h.Encoding), onlyIf(h.AbsentWhenEmpty, field("AbsentWhenEmpty", jen.True())))...)
}

func maxAge(m *spec.MaxAge) jen.Code {
	if m == nil {
		return nil
	}
	return jen.Op("&").Add(sig("MaxAge")).Values(textField("Claim", m.Claim), field("Tolerance", duration(m.Tolerance)),
		field("FutureTolerance", duration(m.FutureTolerance)))
}

func pinnedClaims(all []spec.Claim) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return jen.Index().Add(sig("Claim")).ValuesFunc(func(g *jen.Group) {
		for _, c := range all {
			g.Values(field("Name", jen.Lit(c.Name)), field("Value", jen.Lit(c.Value)))
		}
	})
}

func secrets(all []spec.Secret) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return jen.Index().Add(sig("Secret")).ValuesFunc(func(g *jen.Group) {
		for _, s := range all {
			g.Values(fields(field("Name", jen.Lit(s.Name)), onlyIf(!s.Until.IsZero(), field("Until", date(s.Until))))...)
		}
	})
}

func date(t time.Time) *jen.Statement {
	t = t.UTC()
	return jen.Qual("time", "Date").Call(jen.Lit(t.Year()), jen.Lit(int(t.Month())), jen.Lit(t.Day()),
		jen.Lit(t.Hour()), jen.Lit(t.Minute()), jen.Lit(t.Second()), jen.Lit(t.Nanosecond()), jen.Qual("time", "UTC"))
}

func source(s spec.Selector) []jen.Code {
	in, name := string(s.Kind), s.Name
	switch s.Kind {
	case spec.SelectBody:
		in, name = "json", s.Pointer
	case spec.SelectItem:
		name = s.Pointer
	case spec.SelectParam:
		name = s.Setting // the runtime knows settings, not the contract's names for them
	}
	return fields(field("In", jen.Lit(in)), textField("Name", name))
}

func sourceOrNil(s *spec.Selector) jen.Code {
	if s == nil {
		return nil
	}
	return jen.Op("&").Add(sig("Source")).Values(source(*s)...)
}

func sources(all []spec.Selector) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return jen.Index().Add(sig("Source")).ValuesFunc(func(g *jen.Group) {
		for _, s := range all {
			g.Values(source(s)...)
		}
	})
}

func listFormat(l *spec.SignatureList) jen.Code {
	if l == nil {
		return nil
	}
	return jen.Op("&").Add(sig("List")).Values(fields(
		textField("Separator", l.Separator), textField("Name", l.Name), field("Tags", texts(l.Tags)),
		onlyIf(l.Skip > 0, field("Skip", jen.Lit(l.Skip))), onlyIf(l.Trim, field("Trim", jen.True())))...)
}

func timestamp(t *spec.Timestamp) jen.Code {
	if t == nil {
		return nil
	}
	return jen.Op("&").Add(sig("Timestamp")).Values(multiline(fields(
		field("From", sig("Source").Values(source(t.From)...)),
		textField("Format", t.Format),
		onlyIf(t.Tolerance != 0, field("Tolerance", duration(t.Tolerance))),
		onlyIf(t.FutureTolerance != 0, field("FutureTolerance", duration(t.FutureTolerance))),
		onlyIf(t.NoTolerance, field("NoTolerance", jen.True())),
		onlyIf(t.NoFuture && !t.NoTolerance, field("FutureTolerance", jen.Lit(-1))),
	))...)
}

func content(t *spec.Template) jen.Code {
	if t == nil || len(t.Parts) == 0 {
		return nil
	}
	return jen.Index().Add(sig("Part")).ValuesFunc(func(g *jen.Group) {
		for _, p := range t.Parts {
			g.Values(fields(textField("Text", p.Text), textField("Placeholder", p.Placeholder),
				onlyIf(p.Selector != nil, field("Source", sourceOrNil(p.Selector))),
				onlyIf(p.Fields != nil, field("Fields", fieldList(p.Fields))))...)
		}
	})
}

func fieldList(f *spec.FieldList) jen.Code {
	if f == nil {
		return nil
	}
	return jen.Op("&").Add(sig("Fields")).Values(fields(textField("From", f.From), field("Names", texts(f.Names)),
		textField("Each", f.Each), textField("Sep", f.Sep), field("Exclude", texts(f.Exclude)),
		onlyIf(f.Unique, field("Unique", jen.True())), textField("SecretAs", f.SecretAs))...)
}

func requirements(all []spec.Condition) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return jen.Index().Add(sig("Requirement")).ValuesFunc(func(g *jen.Group) {
		for _, c := range all {
			want := ""
			if len(c.Values) > 0 {
				want = c.Values[0]
			}
			g.Values(field("From", sig("Source").Values(source(c.From)...)), field("Equals", jen.Lit(want)))
		}
	})
}
