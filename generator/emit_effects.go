package generator

import (
	"fmt"

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
func emitOutbox(p *Plan, f *jen.File) {
	comment(f, "Outbox takes messages for the outside. They are stored in the event's transaction and sent after",
		"its commit, in no particular order. It is for one goroutine.")
	f.Type().Id("Outbox").Struct(
		jen.Id("delivery").Op("*").Add(whrt("Delivery")),
		jen.Id("rows").Index().Add(whrt("MessageRow")),
	)
	f.Line()
	f.Func().Id("newOutbox").Params(jen.Id("d").Op("*").Add(whrt("Delivery"))).Op("*").Id("Outbox").Block(
		jen.Return(jen.Op("&").Id("Outbox").Values(jen.Id("delivery").Op(":").Id("d"))))
	for _, e := range p.Effects {
		if !e.FromHandler {
			continue
		}
		target, _ := literalPath(e.Spec)
		f.Line()
		comment(f, wrap(fmt.Sprintf("%s enqueues a message of the effect %q. Each call is a message of its own.", e.GoName, e.WireName))...)
		f.Func().Params(jen.Id("o").Op("*").Id("Outbox")).Id(e.GoName).Params(jen.Id("p").Id(e.Payload.GoName)).Block(
			jen.Id("o").Dot("add").Call(jen.Lit(e.WireName), jen.Lit(target), pay("Append").Call(jen.Nil(), jen.Op("&").Id("p"))))
	}
	if fromHandler(p) {
		f.Line()
		emitAdd(f)
	}
	f.Line()
	emitMessages(f)
}

func fromHandler(p *Plan) bool {
	for _, e := range p.Effects {
		if e.FromHandler {
			return true
		}
	}
	return false
}

func literalPath(e *spec.Effect) (string, bool) {
	if e.Path == nil {
		return "", true
	}
	return e.Path.Literal()
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
//		for _, row := range o.rows {
//			if !payload.Raw(row.Payload).IsValid() {
//				return nil, fmt.Errorf("encode the payload of effect %s: a raw member is no JSON", row.Effect)
//			}
//		}
//		return o.rows, nil
//	}
func emitMessages(f *jen.File) {
	comment(f, "messages are the rows in the order of the calls.")
	f.Func().Params(jen.Id("o").Op("*").Id("Outbox")).Id("messages").Params().Params(jen.Index().Add(whrt("MessageRow")), jen.Error()).Block(
		jen.For(jen.List(jen.Id("_"), jen.Id("row")).Op(":=").Range().Id("o").Dot("rows")).Block(
			jen.If(jen.Op("!").Add(whrt("Raw")).Call(jen.Id("row").Dot("Payload")).Dot("IsValid").Call()).Block(
				jen.Return(jen.Nil(), jen.Qual("fmt", "Errorf").Call(jen.Lit("encode the payload of effect %s: a member is no JSON"), jen.Id("row").Dot("Effect"))))),
		jen.Return(jen.Id("o").Dot("rows"), jen.Nil()))
}
