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
	return sig("Scheme").Values(multiline(fields(
		field("Type", jen.Lit(s.Type)),
		field("Secrets", secrets(s.Secrets)),
		field("From", sources(s.From)),
		textField("Prefix", s.Prefix),
		onlyIf(s.List != nil, field("List", listFormat(s.List))),
		textField("Encoding", s.Encoding),
		onlyIf(s.AnyCase, field("AnyCase", jen.True())),
		onlyIf(s.RepeatAny, field("RepeatAny", jen.True())),
		textField("Hash", s.Hash),
		onlyIf(s.Decode != (spec.KeyDecoding{}), field("Decode", sig("Decoding").Values(fields(
			textField("Encoding", s.Decode.Encoding), textField("StripPrefix", s.Decode.StripPrefix),
			textField("PreHash", s.Decode.PreHash))...))),
		onlyIf(s.Timestamp != nil, field("Timestamp", timestamp(s.Timestamp))),
		onlyIf(s.ID != nil, field("ID", sourceOrNil(s.ID))),
		field("Content", content(s.Content)),
		field("Require", requirements(s.Require)),
	))...)
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
	if s.Kind == spec.SelectBody || s.Kind == spec.SelectItem {
		in, name = "json", s.Pointer
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
	))...)
}

func content(t *spec.Template) jen.Code {
	if t == nil || len(t.Parts) == 0 {
		return nil
	}
	return jen.Index().Add(sig("Part")).ValuesFunc(func(g *jen.Group) {
		for _, p := range t.Parts {
			g.Values(fields(textField("Text", p.Text), textField("Placeholder", p.Placeholder),
				onlyIf(p.Selector != nil, field("Source", sourceOrNil(p.Selector))))...)
		}
	})
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
