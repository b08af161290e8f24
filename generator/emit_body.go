package generator

import (
	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// bodyPlaces tells pointers and names of form fields apart.
func bodyPlaces(all []spec.Selector) (pointers, names []string) {
	for _, s := range all {
		if s.Kind == spec.SelectForm {
			names = append(names, s.Name)
			continue
		}
		pointers = append(pointers, s.Pointer)
	}
	return pointers, names
}

// redaction is `whrt.Redaction{...}`, nil where nothing is redacted.
func redaction(all []spec.Selector) jen.Code {
	if len(all) == 0 {
		return nil
	}
	pointers, names := bodyPlaces(all)
	return whrt("Redaction").Values(fields(field("Pointers", texts(pointers)), field("Form", texts(names)))...)
}

// documentPlace is `Document: &whrt.Document{...}`, nil where the body is the
// document.
func documentPlace(d *spec.DocumentPlace) jen.Code {
	if d == nil {
		return nil
	}
	return field("Document", jen.Op("&").Add(whrt("Document")).Values(fields(
		field("From", whrt("Selector").Values(selector(d.From)...)),
		onlyIf(d.Base64, field("Base64", jen.True())),
	)...))
}

func formFieldLiterals(all []FormField) jen.Code {
	return list("Field", len(all), func(i int) []jen.Code {
		f := all[i]
		return fields(
			field("Pointer", jen.Lit(f.Pointer)),
			onlyIf(f.Kind != "TextField", field("Type", whrt(f.Kind))),
			onlyIf(f.Nullable, field("Nullable", jen.True())),
		)
	})
}
