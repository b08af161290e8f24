package generator

import (
	"fmt"

	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// emitHandler writes handler_gen.go:
//
//	type Handler interface {
//		OrderCreated(ctx context.Context, tx Tx, e whrt.Incoming[OrderCreated]) error
//	}
//
//	type UnimplementedHandler struct{}
//	type Tx struct { ... }
//	func dispatch(ctx context.Context, h Handler, tx Tx, d *whrt.Delivery) error { ... }
func emitHandler(p *Plan, f *jen.File) {
	handled := handledEvents(p)
	comment(f, "Handler is the work that the contract does not declare. Its methods run inside the transaction",
		"that claims the event, after the declared effects: an error rolls everything back, and the sender",
		"delivers again. whrt.Reject is for events that can never succeed, whrt.RetryAfter asks for a later",
		"attempt. Methods are called concurrently. Embed UnimplementedHandler, so that the code still",
		"compiles when the contract grows.")
	f.Type().Id("Handler").InterfaceFunc(func(g *jen.Group) {
		for _, e := range handled {
			for _, c := range comments(eventDoc(e)) {
				g.Add(c)
			}
			g.Id(e.GoName).Params(handlerParams(e, true)...).Error()
		}
	})
	f.Line()
	comment(f, "UnimplementedHandler fails every event, so that the sender keeps it until somebody handles it:",
		"an event that nobody has looked at is never acknowledged.")
	f.Type().Id("UnimplementedHandler").Struct()
	f.Line()
	f.Var().Id("_").Id("Handler").Op("=").Id("UnimplementedHandler").Values()
	for _, e := range handled {
		f.Line()
		comment(f, e.GoName+" returns an error.")
		f.Func().Params(jen.Id("UnimplementedHandler")).Id(e.GoName).Params(handlerParams(e, false)...).Error().Block(
			jen.Return(jen.Qual("errors", "New").Call(jen.Lit(fmt.Sprintf("handler: %s is not implemented", e.GoName)))))
	}
	f.Line()
	emitTx(p, f)
	f.Line()
	emitDispatch(p, f, handled)
	if typedHandlers(handled) {
		f.Line()
		emitIncoming(f)
	}
}

func handledEvents(p *Plan) []*Event {
	var out []*Event
	for _, e := range p.Events {
		if e.Spec.Handler {
			out = append(out, e)
		}
	}
	return out
}

func typedHandlers(all []*Event) bool {
	for _, e := range all {
		if e.Type != nil && !e.Foreign {
			return true
		}
	}
	return false
}

func eventDoc(e *Event) []string {
	if len(e.Doc) == 0 {
		return []string{fmt.Sprintf("%s handles the event %q.", e.GoName, e.Spec.Name)}
	}
	return wrapAll(append([]string{e.GoName + ": " + e.Doc[0]}, e.Doc[1:]...))
}

func handlerParams(e *Event, named bool) []jen.Code {
	in := whrt("Incoming").Types(payloadExpr(e))
	if !named {
		return []jen.Code{jen.Qual("context", "Context"), jen.Id("Tx"), in}
	}
	return []jen.Code{jen.Id("ctx").Qual("context", "Context"), jen.Id("tx").Id("Tx"), jen.Id("e").Add(in)}
}

func payloadExpr(e *Event) *jen.Statement {
	switch {
	case e.Spec.Body == spec.RawBody:
		return jen.Index().Byte()
	case e.Type == nil:
		return whrt("Raw")
	}
	return jen.Id(e.Payload)
}

func emitTx(p *Plan, f *jen.File) {
	comment(f, "Tx is the transaction that claims the event. It must not be used after the handler has returned.")
	f.Type().Id("Tx").StructFunc(func(g *jen.Group) {
		g.Comment("// Queries are the generated queries, in the transaction.")
		g.Id("Queries").Op("*").Qual(p.Import+"/db", "Queries")
		g.Comment("// DB is for queries of your own, in the same transaction. It commits and rolls back by itself.")
		if p.Engine == PostgresPgx {
			g.Id("DB").Qual("github.com/jackc/pgx/v5", "Tx")
		} else {
			g.Id("DB").Op("*").Qual(driverPath(p.Engine), "Tx")
		}
		g.Comment("// Outbox takes messages for the outside, sent after the commit.")
		g.Id("Outbox").Op("*").Id("Outbox")
	})
}

// emitDispatch writes:
//
//	func dispatch(ctx context.Context, h Handler, tx Tx, d *whrt.Delivery) error {
//		switch d.Event {
//		case 0: // orderCreated
//			e, err := incoming(d, payload.Value[OrderCreated])
//			if err != nil {
//				return err
//			}
//			return h.OrderCreated(ctx, tx, e)
//		}
//		return nil
//	}
func emitDispatch(p *Plan, f *jen.File, handled []*Event) {
	comment(f, "dispatch calls the method of the delivery's event.")
	f.Func().Id("dispatch").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("h").Id("Handler"), jen.Id("tx").Id("Tx"),
		jen.Id("d").Op("*").Add(whrt("Delivery"))).Error().Block(
		jen.Switch(jen.Id("d").Dot("Event")).BlockFunc(func(g *jen.Group) {
			for _, e := range handled {
				g.Case(jen.Lit(e.Index)).BlockFunc(func(g *jen.Group) { dispatchOne(g, e) })
			}
		}),
		jen.Return(jen.Nil()))
}

func dispatchOne(g *jen.Group, e *Event) {
	if e.Type == nil {
		g.Return(jen.Id("h").Dot(e.GoName).Call(jen.Id("ctx"), jen.Id("tx"), whrt("Incoming").Types(payloadExpr(e)).Values(
			jen.Id("Meta").Op(":").Add(whrt("MetaOf")).Call(jen.Op("&").Id("definition"), jen.Id("d")),
			jen.Id("Payload").Op(":").Id("d").Dot(payloadSource(e)))))
		return
	}
	if e.Foreign {
		g.List(jen.Id("e"), jen.Err()).Op(":=").Add(whrt("NewIncoming").Types(payloadExpr(e))).Call(jen.Op("&").Id("definition"), jen.Id("d"))
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		g.Return(jen.Id("h").Dot(e.GoName).Call(jen.Id("ctx"), jen.Id("tx"), jen.Id("e")))
		return
	}
	g.List(jen.Id("e"), jen.Err()).Op(":=").Id("incoming").Call(jen.Id("d"), (&GoType{Kind: NamedGo, Type: e.Type}).decode())
	g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	g.Return(jen.Id("h").Dot(e.GoName).Call(jen.Id("ctx"), jen.Id("tx"), jen.Id("e")))
}

// payloadSource is the delivery's member that an untyped payload is.
func payloadSource(e *Event) string {
	if e.Spec.Body == spec.RawBody {
		return "Body"
	}
	return "Document"
}

// emitIncoming writes:
//
//	func incoming[P any](d *whrt.Delivery, decode func(*P, *payload.Decoder) bool) (whrt.Incoming[P], error) {
//		e := whrt.Incoming[P]{Meta: whrt.MetaOf(&definition, d)}
//		var err error
//		if d.Deviations, err = payload.Decode(d.Document, &e.Payload, decode); err != nil {
//			return e, whrt.Reject("the body is not one JSON value")
//		}
//		return e, nil
//	}
func emitIncoming(f *jen.File) {
	comment(f, "incoming decodes the document, leniently: what does not fit its type is kept beside it, and told to",
		"the observer. A body that is no JSON at all would not be the next time either.")
	in := whrt("Incoming").Types(jen.Id("P"))
	f.Func().Id("incoming").Types(jen.Id("P").Any()).Params(jen.Id("d").Op("*").Add(whrt("Delivery")),
		jen.Id("decode").Func().Params(jen.Op("*").Id("P"), jen.Op("*").Add(pay("Decoder"))).Bool()).Params(in.Clone(), jen.Error()).Block(
		jen.Id("e").Op(":=").Add(in.Clone()).Values(jen.Id("Meta").Op(":").Add(whrt("MetaOf")).Call(jen.Op("&").Id("definition"), jen.Id("d"))),
		jen.Var().Err().Error(),
		jen.If(jen.List(jen.Id("d").Dot("Deviations"), jen.Err()).Op("=").Add(pay("Decode")).Call(jen.Id("d").Dot("Document"), jen.Op("&").Id("e").Dot("Payload"), jen.Id("decode")),
			jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("e"), whrt("Reject").Call(jen.Lit("the body is not one JSON value")))),
		jen.Return(jen.Id("e"), jen.Nil()))
}
