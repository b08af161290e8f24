package generator

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// emitEffects writes effects_gen.go: payload types, messages, senders of the
// effects, and the outbox that handlers write to.
func emitEffects(p *Plan, f *jen.File) {
	for _, e := range p.Effects {
		for _, t := range e.Types {
			emitType(t, f)
			f.Line()
		}
		if e.Spec.Kind == spec.EffectCall {
			emitMessage(e, f)
			f.Line()
			emitSender(e, f)
			f.Line()
		}
	}
	if p.HasHandler {
		emitOutbox(p, f)
	}
}

// emitMessage writes:
//
//	type ConfirmationMessage struct {
//		IdempotencyKey string
//		EventKey       string
//		Attempt        int
//		Payload        ConfirmationPayload
//	}
//
//	type ConfirmationSender interface {
//		SendConfirmation(ctx context.Context, m ConfirmationMessage) error
//	}
func emitMessage(e *Effect, f *jen.File) {
	comment(f, wrap(fmt.Sprintf("%s is one attempt at a message of the effect %q.", e.Message, e.WireName))...)
	f.Type().Id(e.Message).Struct(
		jen.Comment("// IdempotencyKey is the same at every attempt: give it to the outside."),
		jen.Id("IdempotencyKey").String(),
		jen.Comment("// EventKey is the key of the event that caused the message."),
		jen.Id("EventKey").String(),
		jen.Comment("// Attempt counts from 1."),
		jen.Id("Attempt").Int(),
		jen.Comment("// Payload was fixed when the event was processed."),
		jen.Id("Payload").Id(e.Payload.GoName),
	)
	f.Line()
	comment(f, wrap(fmt.Sprintf("%s sends the messages of the effect %q, outside of any transaction. An error is retried by the contract's schedule under the same key; whrt.Permanent ends it, whrt.RetryAfter shifts it, whrt.Uncertain says that it may have happened. It is called concurrently.", e.Interface, e.WireName))...)
	f.Type().Id(e.Interface).Interface(
		jen.Id(e.Method).Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("m").Id(e.Message)).Error())
}

// emitSender writes:
//
//	type confirmationSender struct{ to ConfirmationSender }
//
//	func (s confirmationSender) Send(ctx context.Context, m outbox.Message) error {
//		out := ConfirmationMessage{IdempotencyKey: m.IdempotencyKey, EventKey: m.EventKey, Attempt: m.Attempt}
//		if _, err := payload.Decode(m.Payload, &out.Payload, payload.Value[ConfirmationPayload]); err != nil {
//			return outbox.Permanent(err)
//		}
//		return s.to.SendConfirmation(ctx, out)
//	}
func emitSender(e *Effect, f *jen.File) {
	name := lowerFirst(e.Interface)
	f.Type().Id(name).Struct(jen.Id("to").Id(e.Interface))
	f.Line()
	codec := (&GoType{Kind: NamedGo, Type: e.Payload}).decode()
	f.Func().Params(jen.Id("s").Id(name)).Id("Send").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("m").Qual(outboxPath, "Message")).Error().Block(
		jen.Id("out").Op(":=").Id(e.Message).Values(jen.Id("IdempotencyKey").Op(":").Id("m").Dot("IdempotencyKey"),
			jen.Id("EventKey").Op(":").Id("m").Dot("EventKey"), jen.Id("Attempt").Op(":").Id("m").Dot("Attempt")),
		jen.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(pay("Decode")).Call(jen.Id("m").Dot("Payload"), jen.Op("&").Id("out").Dot("Payload"), codec),
			jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Qual(outboxPath, "Permanent").Call(jen.Err()))),
		jen.Return(jen.Id("s").Dot("to").Dot(e.Method).Call(jen.Id("ctx"), jen.Id("out"))))
}

// emitOutbox writes:
//
//	type Outbox struct {
//		delivery *whrt.Delivery
//		rows     []whrt.MessageRow
//	}
//
//	func (o *Outbox) Confirmation(p ConfirmationPayload) {
//		o.add("confirmation", "", payload.Append(nil, &p))
//	}
//
//	func (o *Outbox) CrmDeal(orderID string, p CrmDealPayload) {
//		o.add("crmDeal", "/deals/"+o.segment("crmDeal", "orderID", orderID), payload.Append(nil, &p))
//	}
func emitOutbox(p *Plan, f *jen.File) {
	comment(f, "Outbox takes messages for the outside. They are stored in the event's transaction and sent after",
		"its commit, in no particular order. It is for one goroutine.")
	f.Type().Id("Outbox").Struct(
		jen.Id("delivery").Op("*").Add(whrt("Delivery")),
		jen.Id("rows").Index().Add(whrt("MessageRow")),
		jen.Do(func(s *jen.Statement) {
			if hasParams(p) {
				s.Id("err").Error()
			}
		}),
	)
	f.Line()
	f.Func().Id("newOutbox").Params(jen.Id("d").Op("*").Add(whrt("Delivery"))).Op("*").Id("Outbox").Block(
		jen.Return(jen.Op("&").Id("Outbox").Values(jen.Id("delivery").Op(":").Id("d"))))
	for _, e := range p.Effects {
		if !e.FromHandler {
			continue
		}
		f.Line()
		comment(f, wrap(fmt.Sprintf("%s enqueues a message of the effect %q. Each call is a message of its own.%s", e.GoName, e.WireName, paramsDoc(e)))...)
		params := []jen.Code{}
		for _, param := range e.Params {
			params = append(params, jen.Id(param.GoName).String())
		}
		f.Func().Params(jen.Id("o").Op("*").Id("Outbox")).Id(e.GoName).Params(append(params, jen.Id("p").Id(e.Payload.GoName))...).Block(
			jen.Id("o").Dot("add").Call(jen.Lit(e.WireName), target(e), pay("Append").Call(jen.Nil(), jen.Op("&").Id("p"))))
	}
	if fromHandler(p) {
		f.Line()
		emitAdd(f)
	}
	if hasParams(p) {
		f.Line()
		emitSegment(f)
	}
	f.Line()
	emitMessages(p, f)
}

func hasParams(p *Plan) bool {
	return slices.ContainsFunc(p.Effects, func(e *Effect) bool { return len(e.Params) > 0 })
}

func paramsDoc(e *Effect) string {
	if len(e.Params) == 0 {
		return ""
	}
	path := ""
	for _, part := range e.Target {
		if path += part.Literal; part.Literal == "" {
			path += "{" + e.Params[part.Param].GoName + "}"
		}
	}
	return fmt.Sprintf(" It goes to %s %s; a value that cannot be a segment of a path rejects the event.", e.Spec.Method, path)
}

// target is the path of an effect as an expression.
func target(e *Effect) jen.Code {
	if len(e.Target) == 0 {
		return jen.Lit("")
	}
	all := jen.Null()
	for i, part := range e.Target {
		if i > 0 {
			all.Op("+")
		}
		if part.Literal != "" {
			all.Lit(part.Literal)
			continue
		}
		name := e.Params[part.Param].GoName
		all.Id("o").Dot("segment").Call(jen.Lit(e.WireName), jen.Lit(name), jen.Id(name))
	}
	return all
}

// emitSegment writes:
//
//	func (o *Outbox) segment(effect, name, value string) string {
//		text, ok := whrt.PathSegment(value)
//		if !ok && o.err == nil {
//			o.err = whrt.Reject("effect " + effect + ": " + name + " cannot be a segment of a path")
//		}
//		return text
//	}
func emitSegment(f *jen.File) {
	comment(f, "segment escapes a value of a path. One that would make another path is told by messages.")
	f.Func().Params(jen.Id("o").Op("*").Id("Outbox")).Id("segment").Params(jen.List(jen.Id("effect"), jen.Id("name"), jen.Id("value")).String()).String().Block(
		jen.List(jen.Id("text"), jen.Id("ok")).Op(":=").Add(whrt("PathSegment")).Call(jen.Id("value")),
		jen.If(jen.Op("!").Id("ok").Op("&&").Id("o").Dot("err").Op("==").Nil()).Block(
			jen.Id("o").Dot("err").Op("=").Add(whrt("Reject")).Call(jen.Lit("effect ").Op("+").Id("effect").Op("+").Lit(": ").Op("+").Id("name").Op("+").Lit(" cannot be a segment of a path"))),
		jen.Return(jen.Id("text")))
}

func fromHandler(p *Plan) bool {
	for _, e := range p.Effects {
		if e.FromHandler {
			return true
		}
	}
	return false
}

// emitAdd writes:
//
//	func (o *Outbox) add(effect, target string, text []byte) {
//		n := 1
//		for _, row := range o.rows {
//			if row.Effect == effect {
//				n++
//			}
//		}
//		element := ""
//		if n > 1 {
//			element = strconv.Itoa(n)
//		}
//		o.rows = append(o.rows, whrt.MessageRow{...})
//	}
func emitAdd(f *jen.File) {
	comment(f, "add numbers the messages of one effect: the same handler run again gives them the same keys.")
	f.Func().Params(jen.Id("o").Op("*").Id("Outbox")).Id("add").Params(jen.List(jen.Id("effect"), jen.Id("target")).String(), jen.Id("text").Index().Byte()).Block(
		jen.Id("n").Op(":=").Lit(1),
		jen.For(jen.List(jen.Id("_"), jen.Id("row")).Op(":=").Range().Id("o").Dot("rows")).Block(
			jen.If(jen.Id("row").Dot("Effect").Op("==").Id("effect")).Block(jen.Id("n").Op("++"))),
		jen.Id("element").Op(":=").Lit(""),
		jen.If(jen.Id("n").Op(">").Lit(1)).Block(jen.Id("element").Op("=").Qual("strconv", "Itoa").Call(jen.Id("n"))),
		jen.Id("o").Dot("rows").Op("=").Append(jen.Id("o").Dot("rows"), whrt("MessageRow").Values(multiline([]jen.Code{
			jen.Id("Effect").Op(":").Id("effect"),
			jen.Id("Element").Op(":").Id("element"),
			jen.Id("IdempotencyKey").Op(":").Add(whrt("IdempotencyKey")).Call(jen.Id("definition").Dot("Source"), jen.Id("effect"), jen.Id("o").Dot("delivery").Dot("Key"), jen.Id("element")),
			jen.Id("Target").Op(":").Id("target"),
			jen.Id("Payload").Op(":").Id("text"),
		})...)))
}

// emitMessages writes:
//
//	func (o *Outbox) messages() ([]whrt.MessageRow, error) {
//		if o.err != nil {
//			return nil, o.err
//		}
//		for _, row := range o.rows {
//			if !payload.Raw(row.Payload).IsValid() {
//				return nil, fmt.Errorf("encode the payload of effect %s: a raw member is no JSON", row.Effect)
//			}
//		}
//		return o.rows, nil
//	}
func emitMessages(p *Plan, f *jen.File) {
	comment(f, "messages are the rows in the order of the calls.")
	f.Func().Params(jen.Id("o").Op("*").Id("Outbox")).Id("messages").Params().Params(jen.Index().Add(whrt("MessageRow")), jen.Error()).Block(
		jen.Do(func(s *jen.Statement) {
			if hasParams(p) {
				s.If(jen.Id("o").Dot("err").Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Id("o").Dot("err")))
			}
		}),
		jen.For(jen.List(jen.Id("_"), jen.Id("row")).Op(":=").Range().Id("o").Dot("rows")).Block(
			jen.If(jen.Op("!").Add(whrt("Raw")).Call(jen.Id("row").Dot("Payload")).Dot("IsValid").Call()).Block(
				jen.Return(jen.Nil(), jen.Qual("fmt", "Errorf").Call(jen.Lit("encode the payload of effect %s: a member is no JSON"), jen.Id("row").Dot("Effect"))))),
		jen.Return(jen.Id("o").Dot("rows"), jen.Nil()))
}
