package generator

import (
	"fmt"

	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// emitReceiver writes receiver_gen.go:
//
//	type Config struct {
//		DB           *pgxpool.Pool
//		Handler      Handler
//		Confirmation ConfirmationSender
//		Secrets      whrt.Secrets
//		...
//	}
//
//	func New(ctx context.Context, c Config) (*whrt.Receiver, error) { ... }
func emitReceiver(p *Plan, f *jen.File) {
	f.PackageComment(fmt.Sprintf("Package %s receives the webhooks of the source %q: each event once, with its", p.Package, p.Source))
	f.PackageComment("declared effects, however often it is delivered.")
	packageNotes(p, f)
	comment(f, "The runtime that this code needs. If the compiler does not find the name, the runtime is",
		"older than the generator: go get -u github.com/whgen/whgen")
	f.Const().Id("_").Op("=").Add(whrt("IsAtLeastV0_1"))
	f.Line()
	comment(f, "Config is what New needs. DB"+requiredNames(p)+" must be set; the zero values of the others are safe.")
	f.Type().Id("Config").StructFunc(func(g *jen.Group) { configFields(p, g) })
	f.Line()
	emitNew(p, f)
	if call := calls(p); len(call) > 0 {
		f.Line()
		emitSenders(call, f)
	}
}

// packageNotes says what the schemes do not protect.
func packageNotes(p *Plan, f *jen.File) {
	for _, note := range schemeNotes(p) {
		f.PackageComment("")
		for _, line := range docLines(note) {
			f.PackageComment(line)
		}
	}
}

func requiredNames(p *Plan) string {
	text := ""
	if p.HasHandler {
		text += ", Handler"
	}
	if len(calls(p)) > 0 {
		text += " and the senders"
	}
	return text
}

func calls(p *Plan) []*Effect {
	var out []*Effect
	for _, e := range p.Effects {
		if e.Spec.Kind == spec.EffectCall {
			out = append(out, e)
		}
	}
	return out
}

func configFields(p *Plan, g *jen.Group) {
	g.Comment("// DB is the database of the receiver's tables; the caller closes it, after Run has ended.")
	g.Id("DB").Add(pool(p.Engine))
	if p.HasHandler {
		g.Comment("// Handler does the work that the contract does not declare.")
		g.Id("Handler").Id("Handler")
	}
	for _, e := range calls(p) {
		g.Comment(fmt.Sprintf("// %s sends the messages of the effect %q.", e.GoName, e.WireName))
		g.Id(e.GoName).Id(e.Interface)
	}
	g.Comment("// Secrets gives the values of the contract's secrets; nil reads environment variables.")
	g.Id("Secrets").Add(whrt("Secrets"))
	g.Comment("// Settings gives the values of the contract's settings; nil reads environment variables.")
	g.Id("Settings").Add(whrt("Settings"))
	g.Comment("// Observer is told what happens; nil tells nobody.")
	g.Id("Observer").Add(whrt("Observer"))
	g.Comment("// Clock is for tests; nil is the machine's.")
	g.Id("Clock").Add(whrt("Clock"))
	g.Comment("// HTTPClient sends http effects; nil is one with limits of its own.")
	g.Id("HTTPClient").Op("*").Qual("net/http", "Client")
	g.Comment("// PublicURL is the public address of the mount point, for schemes that sign it.")
	g.Id("PublicURL").String()
	for _, extra := range schemeOptions(p) {
		g.Comment("// " + extra.name + " " + extra.comment)
		g.Id(extra.name).Add(extra.kind)
	}
	g.Comment("// QueueBytes bounds the bodies of deliveries that wait for their key; 0 is 64 MiB.")
	g.Id("QueueBytes").Int64()
	g.Comment("// MaxBatch is how many deliveries that wait at the same moment share a transaction at most; 0 is 64, 1 is a transaction each.")
	g.Id("MaxBatch").Int()
	g.Comment("// AnswerBytes bounds the cache of committed answers, which spares exact repeats the database for a minute;")
	g.Comment("// 0 is 16 MiB, below zero there is none.")
	g.Id("AnswerBytes").Int64()
	g.Comment("// NoRelay leaves the outbox to another process.")
	g.Id("NoRelay").Bool()
}

// emitNew writes:
//
//	func New(ctx context.Context, c Config) (*whrt.Receiver, error) {
//		if c.DB == nil {
//			return nil, errors.New("receiver shop: Config.DB is nil")
//		}
//		return whrt.NewReceiver(ctx, definition, newStore(c.DB, c.Handler), whrt.Options{...})
//	}
func emitNew(p *Plan, f *jen.File) {
	comment(f, "New makes the receiver, an http.Handler, and verifies all that would otherwise fail later:",
		"the schema of the database, secrets and settings. Run, or whrt.Serve, drives its relay.")
	f.Func().Id("New").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("c").Id("Config")).
		Params(jen.Op("*").Add(whrt("Receiver")), jen.Error()).BlockFunc(func(g *jen.Group) {
		notNil(p, g, "DB")
		store := []jen.Code{jen.Id("c").Dot("DB")}
		if p.HasHandler {
			notNil(p, g, "Handler")
			store = append(store, jen.Id("c").Dot("Handler"))
		}
		for _, e := range calls(p) {
			notNil(p, g, e.GoName)
		}
		options := []jen.Code{}
		for _, name := range []string{"Secrets", "Settings", "Observer", "Clock", "HTTPClient", "PublicURL", "QueueBytes", "MaxBatch", "AnswerBytes", "NoRelay"} {
			options = append(options, jen.Id(name).Op(":").Id("c").Dot(name))
		}
		for _, extra := range schemeOptions(p) {
			options = append(options, jen.Id(extra.name).Op(":").Id("c").Dot(extra.name))
		}
		if len(calls(p)) > 0 {
			options = append(options, jen.Id("Senders").Op(":").Id("senders").Call(jen.Id("c")))
		}
		g.Return(whrt("NewReceiver").Call(jen.Id("ctx"), jen.Id("definition"), jen.Id("newStore").Call(store...),
			whrt("Options").Values(multiline(options)...)))
	})
}

func notNil(p *Plan, g *jen.Group, field string) {
	g.If(jen.Id("c").Dot(field).Op("==").Nil()).Block(
		jen.Return(jen.Nil(), jen.Qual("errors", "New").Call(jen.Lit(fmt.Sprintf("receiver %s: Config.%s is nil", p.Source, field)))))
}

// emitSenders writes:
//
//	func senders(c Config) map[string]outbox.Sender {
//		return map[string]outbox.Sender{
//			"confirmation": confirmationSender{c.Confirmation},
//		}
//	}
func emitSenders(effects []*Effect, f *jen.File) {
	f.Func().Id("senders").Params(jen.Id("c").Id("Config")).Map(jen.String()).Qual(outboxPath, "Sender").Block(
		jen.Return(jen.Map(jen.String()).Qual(outboxPath, "Sender").ValuesFunc(func(g *jen.Group) {
			for _, e := range effects {
				g.Line().Lit(e.WireName).Op(":").Id(lowerFirst(e.Interface)).Values(jen.Id("c").Dot(e.GoName))
			}
			g.Line()
		})))
}

// multiline puts every element of a literal on a line of its own.
func multiline(list []jen.Code) []jen.Code {
	if len(list) == 0 {
		return nil
	}
	out := make([]jen.Code, 0, len(list)+1)
	for _, c := range list {
		out = append(out, jen.Line().Add(c))
	}
	return append(out, jen.Line())
}
