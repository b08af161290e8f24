package generator

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// emitDefinition writes definition_gen.go:
//
//	var definition = whrt.Definition{
//		Source: "shop",
//		Table:  "shop_inbox_events",
//		Endpoints: []whrt.Endpoint{{...}},
//		Events: []whrt.Event{{...}},
//		...
//	}
func emitDefinition(p *Plan, f *jen.File) {
	comment(f, "definition is the contract as the runtime reads it. Nothing changes it.")
	f.Var().Id("definition").Op("=").Add(whrt("Definition")).Values(multiline(fields(
		field("Source", jen.Lit(p.Source)),
		field("Table", jen.Lit(p.SQL.Events)),
		field("Endpoints", list("Endpoint", len(p.Contract.Endpoints), func(i int) []jen.Code { return endpoint(p, p.Contract.Endpoints[i]) })),
		field("Events", list("Event", len(p.Events), func(i int) []jen.Code { return eventLiteral(p.Events[i]) })),
		field("Effects", list("Effect", len(p.Effects), func(i int) []jen.Code { return effectLiteral(p.Effects[i]) })),
		field("Settings", list("Setting", len(p.Contract.Settings), func(i int) []jen.Code {
			s := p.Contract.Settings[i]
			return fields(field("Name", jen.Lit(s.Name)), onlyIf(s.Secret, field("Secret", jen.True())))
		})),
		textField("PublicURL", p.Contract.PublicURL),
		onlyIf(p.Contract.Tenant != nil, field("Tenant", selectorOrNil(p.Contract.Tenant))),
	))...)
}

func endpoint(p *Plan, e *spec.Endpoint) []jen.Code {
	timing, key := unlisted(e)
	return fields(
		textField("Name", e.Name),
		textField("Path", e.Path),
		onlyIf(e.Shared, field("Shared", jen.True())),
		field("MaxBody", jen.Lit(int(e.MaxBody))),
		field("Media", texts(e.Media)),
		field("AsJSON", texts(e.AsJSON)),
		documentPlace(e.Document),
		field("Encodings", texts(e.Encodings)),
		onlyIf(e.SignsDecoded, field("SignsDecoded", jen.True())),
		field("Redact", redaction(e.Redact)),
		onlyIf(len(e.Methods) > 0 && !slices.Equal(e.Methods, []string{"POST"}), field("Methods", texts(e.Methods))),
		onlyIf(e.Signature != nil, field("Scheme", scheme(e.Signature))),
		field("Keys", fetchedKeys(e.Signature)),
		field("Challenges", list("Challenge", len(e.Challenges), func(i int) []jen.Code { return challenge(e.Challenges[i]) })),
		textField("Items", e.Items),
		field("Type", selectors(e.Type)),
		field("Routes", list("Route", len(routes(p, e)), func(i int) []jen.Code {
			r := routes(p, e)[i]
			return fields(textField("Type", r.word), field("Event", jen.Lit(r.event)))
		})),
		onlyIf(e.Unknown == spec.UnknownRetry, field("Unknown", whrt("UnknownRetry"))),
		onlyIf(e.Unknown == spec.UnknownReject, field("Unknown", whrt("UnknownReject"))),
		field("Responses", responses(e.Outcomes)),
		field("Timing", timingLiteral(timing)),
		field("UnknownKey", selectors(key)),
	)
}

// route is one type's way to an event.
type route struct {
	word  string
	event int
}

func routes(p *Plan, e *spec.Endpoint) []route {
	var out []route
	for _, event := range p.Events {
		for _, here := range e.Events {
			if here.Name != event.Spec.Name {
				continue
			}
			for _, word := range event.Spec.Types {
				out = append(out, route{word, event.Index})
			}
			if len(event.Spec.Types) == 0 {
				out = append(out, route{"", event.Index})
			}
		}
	}
	return out
}

func eventLiteral(e *Event) []jen.Code {
	s := e.Spec
	return fields(
		field("Name", jen.Lit(s.Name)),
		field("When", conditions(s.When)),
		field("Key", selectors(s.Key)),
		onlyIf(s.Derived != nil, field("Derived", jen.Op("&").Add(members(s.Derived)))),
		onlyIf(!s.Fingerprint.Raw(), field("Fingerprint", members(&s.Fingerprint))),
		onlyIf(s.Replay == "refuse", field("RefuseReplay", jen.True())),
		field("Responses", responses(s.Outcomes)),
		field("Timing", timingLiteral(timing{s.AnswerWithin, s.Deadline, s.InProgressWait})),
		onlyIf(s.PayloadKeep > 0, field("KeepPayload", jen.True())),
		field("Records", list("Record", len(e.Records), func(i int) []jen.Code { return recordLiteral(e.Records[i]) })),
		field("Messages", list("Message", len(e.Messages), func(i int) []jen.Code { return messageLiteral(e, e.Messages[i]) })),
		onlyIf(s.Handler, field("Handler", jen.True())),
		field("Enums", list("Enum", len(e.Enums), func(i int) []jen.Code {
			return fields(field("Pointer", jen.Lit(e.Enums[i].Pointer)), field("Values", texts(e.Enums[i].Values)))
		})),
		field("Fields", formFieldLiterals(e.Fields)),
		field("Redact", redaction(s.Redact)),
	)
}

func recordLiteral(r *Record) []jen.Code {
	constraint := ""
	if r.Unique != nil {
		constraint = r.Unique.Error
	}
	return fields(
		field("Effect", jen.Lit(r.Spec.Name)),
		field("When", conditions(r.Spec.When)),
		field("Columns", list("Column", len(r.Columns), func(i int) []jen.Code { return columnLiteral(r.Columns[i].Spec) })),
		textField("Constraint", constraint),
		onlyIf(constraint != "" && (r.Spec.OnConflict == "" || r.Spec.OnConflict == "reject"), field("Reject", jen.True())),
		onlyIf(len(r.Meets) > 0, field("Table", jen.Lit(r.Table.SQLName))),
		field("Unique", indices(r.Meets)),
	)
}

func indices(all [][]int) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return jen.Index().Index().Int().ValuesFunc(func(g *jen.Group) {
		for _, one := range all {
			g.ValuesFunc(func(g *jen.Group) {
				for _, i := range one {
					g.Lit(i)
				}
			})
		}
	})
}

var columnTypes = map[string]string{
	"text": "TextColumn", "integer": "IntegerColumn", "numeric": "NumericColumn", "boolean": "BooleanColumn",
	"timestamp": "TimestampColumn", "date": "DateColumn", "json": "JSONColumn", "bytes": "BytesColumn",
}

var timeFormats = map[string]string{"unix": "UnixSeconds", "unix_ms": "UnixMillis", "assumeUTC": "AssumeUTC"}

func columnLiteral(c spec.Column) []jen.Code {
	var from jen.Code
	if s := single(c.From); s != nil {
		from = field("From", whrt("Selector").Values(selector(*s)...))
	} else {
		from = field("Text", text(c.From))
	}
	return fields(
		field("Name", jen.Lit(c.Name)),
		from,
		onlyIf(c.Type != "text", field("Type", whrt(columnTypes[c.Type]))),
		onlyIf(timeFormats[c.Format] != "", field("Format", whrt(timeFormats[c.Format]))),
		onlyIf(c.Nullable, field("Nullable", jen.True())),
	)
}

// single is the selector of a template that is nothing else.
func single(t *spec.Template) *spec.Selector {
	if t != nil && len(t.Parts) == 1 {
		return t.Parts[0].Selector
	}
	return nil
}

func messageLiteral(event *Event, effect *Effect) []jen.Code {
	e := effect.Spec
	for _, own := range event.Spec.Effects {
		if own.Name == e.Name {
			e = own // its selectors are this event's
		}
	}
	return fields(
		field("Effect", jen.Lit(effect.Index)),
		field("When", conditions(e.When)),
		onlyIf(e.Payload != nil, field("Payload", jen.Op("&").Add(whrt("Payload")).Values(payloadTree(e.Payload)...))),
		onlyIf(e.Path != nil, field("Target", text(e.Path))),
	)
}

func effectLiteral(effect *Effect) []jen.Code {
	e := effect.Spec
	return fields(
		field("Name", jen.Lit(e.Name)),
		onlyIf(e.Key.None, field("NoKey", jen.True())),
		textField("Header", e.Key.Header),
		onlyIf(e.Key.Remembers > 0, field("Remembers", duration(e.Key.Remembers))),
		onlyIf(e.Key.Always, field("Always", jen.True())),
		field("Retry", durations(e.Retry)),
		onlyIf(e.RetryJitter > 0, field("Jitter", jen.Lit(e.RetryJitter))),
		onlyIf(e.Timeout > 0, field("Timeout", duration(e.Timeout))),
		onlyIf(e.To != nil, field("HTTP", httpLiteral(e))),
	)
}

func httpLiteral(e *spec.Effect) jen.Code {
	if e.To == nil {
		return jen.Nil()
	}
	return jen.Op("&").Add(whrt("HTTPEffect")).Values(multiline(fields(
		field("Method", jen.Lit(e.Method)),
		field("URL", settingParts(&e.To.URL)),
		field("Headers", list("HeaderParts", len(e.To.Headers), func(i int) []jen.Code {
			h := e.To.Headers[i]
			return fields(field("Name", jen.Lit(h.Name)), field("Value", settingParts(&h.Value)))
		})),
		field("Success", ranges(e.To.Success)),
		field("RetryOn", ranges(e.To.RetryOn)),
		onlyIf(e.To.Private, field("Private", jen.True())),
	))...)
}

func settingParts(t *spec.Template) jen.Code {
	return list("SettingPart", len(t.Parts), func(i int) []jen.Code {
		return fields(textField("Text", t.Parts[i].Text), textField("Setting", t.Parts[i].Setting))
	})
}

func ranges(all []spec.StatusRange) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return jen.Index().Index(jen.Lit(2)).Int().ValuesFunc(func(g *jen.Group) {
		for _, r := range all {
			g.Values(jen.Lit(r.From), jen.Lit(r.To))
		}
	})
}

func responses(all map[spec.Outcome]spec.Response) jen.Code {
	var lines []jen.Code
	for _, o := range outcomeOrder {
		r, ok := all[o]
		if !ok {
			continue
		}
		lines = append(lines, whrt(goName(string(o))).Op(":").Values(response(r)...))
	}
	return whrt("Responses").Values(multiline(lines)...)
}

var outcomeOrder = []spec.Outcome{
	spec.Processed, spec.Duplicate, spec.Conflict, spec.InProgress, spec.Failed, spec.Accepted, spec.Rejected,
	spec.Known, spec.Stale, spec.Ignored, spec.Unauthenticated, spec.Malformed, spec.TooLarge,
	spec.UnsupportedMedia, spec.MethodNotAllowed,
}

func response(r spec.Response) []jen.Code {
	return fields(
		onlyIf(r.Replay, field("Replay", jen.True())),
		onlyIf(r.Status != 0, field("Status", jen.Lit(r.Status))),
		textField("ContentType", r.ContentType),
		field("Headers", list("HeaderText", len(r.Headers), func(i int) []jen.Code {
			return fields(field("Name", jen.Lit(r.Headers[i].Name)), field("Value", text(&r.Headers[i].Value)))
		})),
		field("Body", text(r.Body)),
		onlyIf(r.RetryAfter > 0, field("RetryAfter", jen.Lit(int(r.RetryAfter.Seconds())))),
	)
}

func mustKnow(word string, known map[string]string) string {
	if known[word] == "" {
		panic(fmt.Sprintf("generator: %q was let through by spec", word))
	}
	return known[word]
}
