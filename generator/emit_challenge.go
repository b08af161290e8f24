package generator

import (
	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// challenge is `whrt.Challenge{...}`.
func challenge(c *spec.Challenge) []jen.Code {
	return fields(
		field("Match", matches(c.Match)),
		onlyIf(c.Authenticate == "params", field("Authenticate", whrt("AuthenticateParams"))),
		onlyIf(c.Authenticate == "none", field("Authenticate", whrt("AuthenticateNone"))),
		field("Check", list("Check", len(c.Check), func(i int) []jen.Code {
			return fields(field("From", whrt("Selector").Values(selector(c.Check[i].From)...)), field("Param", jen.Lit(c.Check[i].Param.Setting)))
		})),
		field("Response", whrt("Response").Values(response(spec.Response{
			Status: c.Status, ContentType: c.ContentType, Headers: c.Headers, Body: c.Body})...)),
		onlyIf(c.JSON != nil, field("JSON", jen.Op("&").Add(whrt("Payload")).Values(payloadTree(c.JSON)...))),
		onlyIf(c.RefuseStatus != 0, field("Refuse", jen.Lit(c.RefuseStatus))),
	)
}

// matches are conditions that compare scalars as texts.
func matches(all []spec.Condition) jen.Code {
	return list("Condition", len(all), func(i int) []jen.Code {
		return append(conditionFields(all[i]), jen.Id("AsText").Op(":").True())
	})
}

func digestPart(d *spec.Digest) jen.Code {
	return jen.Values(jen.Id("Digest").Op(":").Op("&").Add(whrt("Digest")).Values(
		jen.Id("Func").Op(":").Lit(d.Func), jen.Id("Of").Op(":").Add(selectors(d.Of))))
}

func selectorOrNil(s *spec.Selector) jen.Code {
	if s == nil {
		return nil
	}
	return jen.Op("&").Add(whrt("Selector")).Values(selector(*s)...)
}

// fetchedKeys are the keys of a scheme and its members that are fetched.
func fetchedKeys(s *spec.Scheme) jen.Code {
	var all []spec.Secret
	for _, k := range s.AllSecrets() {
		if k.Fetch != nil {
			all = append(all, k)
		}
	}
	return list("FetchedKey", len(all), func(i int) []jen.Code {
		f := all[i].Fetch
		return fields(
			field("Name", jen.Lit(all[i].Name)),
			field("Source", jen.Qual(keysPath, "Source").Values(fields(
				textField("URL", f.URL), field("Hosts", texts(f.Hosts)), textField("Form", f.As),
				onlyIf(f.Cache > 0, field("Cache", duration(f.Cache))))...)),
			onlyIf(f.From != nil, field("From", selectorOrNil(f.From))),
		)
	})
}

// fetches reports whether some endpoint's keys are fetched.
func fetches(c *spec.Contract) bool {
	for _, e := range c.Endpoints {
		for _, k := range e.Signature.AllSecrets() {
			if k.Fetch != nil {
				return true
			}
		}
	}
	return false
}
