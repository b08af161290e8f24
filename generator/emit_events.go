package generator

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

// emitEvents writes events_gen.go: a type for what the events' schemas reach.
func emitEvents(p *Plan, f *jen.File) {
	for i, t := range p.Types {
		if i > 0 {
			f.Line()
		}
		emitType(t, f)
	}
}

func emitType(t *Type, f *jen.File) {
	comment(f, typeDoc(t)...)
	switch t.Kind {
	case StructType:
		emitStruct(t, f)
	case EnumType:
		emitEnum(t, f)
	case AliasType:
		f.Type().Id(t.GoName).Op("=").Add(t.Elem.expr())
	case UnionType:
		emitUnion(t, f)
	case SliceType:
		f.Type().Id(t.GoName).Index().Add(t.Elem.expr())
		emitCollection(t, f, pay("SliceOf"), pay("PutSlice"), jen.Index().Add(t.Elem.expr()))
	case MapType:
		f.Type().Id(t.GoName).Map(jen.String()).Add(t.Elem.expr())
		emitCollection(t, f, pay("MapOf"), pay("PutMap"), jen.Map(jen.String()).Add(t.Elem.expr()))
	}
}

// typeDoc begins with the type's name, as Go wants it.
func typeDoc(t *Type) []string {
	first := t.GoName + " is a type of the document."
	switch {
	case t.parent != nil:
		first = fmt.Sprintf("%s is %s in %s.", t.GoName, strings.ReplaceAll(printable(t.origin[strings.LastIndexByte(t.origin, '/')+1:]), "\n", " "), t.parent.GoName)
	case t.Closed && len(t.Doc) > 0:
		return t.Doc
	case len(t.Doc) > 0:
		first = t.GoName + ":"
	}
	if t.Kind == EnumType {
		first = strings.TrimSuffix(strings.TrimSuffix(first, ":"), ".") + ". The list is open: values that the document does not know decode too."
	}
	if strings.HasSuffix(first, ":") && len(t.Doc) > 0 {
		return wrapAll(append([]string{first + " " + t.Doc[0]}, t.Doc[1:]...))
	}
	lines := wrap(first)
	if len(t.Doc) > 0 {
		lines = append(append(lines, ""), t.Doc...)
	}
	return lines
}

// wrapAll wraps the first paragraph again, now that it has got longer.
func wrapAll(lines []string) []string {
	end := len(lines)
	for i, l := range lines {
		if l == "" {
			end = i
			break
		}
	}
	return append(wrap(strings.Join(lines[:end], " ")), lines[end:]...)
}

// emitStruct writes:
//
//	type Line struct {
//		SKU string `json:"sku"`
//		...
//		Rest payload.Rest `json:"-"`
//	}
//
// and the four methods that read and write it.
func emitStruct(t *Type, f *jen.File) {
	f.Type().Id(t.GoName).StructFunc(func(g *jen.Group) {
		for _, field := range t.Fields {
			for _, c := range comments(field.Doc) {
				g.Add(c)
			}
			g.Id(field.GoName).Add(field.GoType.expr()).Add(tag(field.WireName))
		}
		if !t.Closed {
			g.Comment("// Rest holds unknown members, and values that do not fit their type.")
			g.Id("Rest").Add(pay("Rest")).Tag(map[string]string{"json": "-"})
		}
	})
	f.Line()
	emitDecode(t, f)
	f.Line()
	emitAppend(t, f)
	emitJSON(t, f)
	if t.Closed {
		return
	}
	f.Line()
	comment(f, "KeepPayload holds a value that is no object.")
	f.Func().Params(recv(t, true)).Id("KeepPayload").Params(jen.Id("v").Add(pay("Raw"))).Block(
		jen.Op("*").Id("o").Op("=").Id(t.GoName).Values(),
		jen.Id("o").Dot("Rest").Dot("KeepPayload").Call(jen.Id("v")))
}

// tag shows the name on the wire. Nothing reads it, so names that a tag cannot
// hold have none.
func tag(wire string) jen.Code {
	for _, c := range wire {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.') {
			return jen.Null()
		}
	}
	if wire == "-" || wire == "" {
		return jen.Null()
	}
	return jen.Tag(map[string]string{"json": wire})
}

func recv(t *Type, pointer bool) *jen.Statement {
	if pointer {
		return jen.Id("o").Op("*").Id(t.GoName)
	}
	return jen.Id("o").Id(t.GoName)
}

// emitDecode writes:
//
//	func (o *Order) DecodePayload(d *payload.Decoder) bool {
//		*o = Order{}
//		return d.Object(&o.Rest, []string{"id"}, func(name string) (known, fits bool) {
//			switch name {
//			case "id":
//				return true, payload.String[string](&o.ID, d)
//			}
//			return false, false
//		})
//	}
func emitDecode(t *Type, f *jen.File) {
	comment(f, "DecodePayload reads an object; false: the value is none.")
	f.Func().Params(recv(t, true)).Id("DecodePayload").Params(jen.Id("d").Op("*").Add(pay("Decoder"))).Bool().BlockFunc(func(g *jen.Group) {
		g.Op("*").Id("o").Op("=").Id(t.GoName).Values()
		rest := jen.Op("&").Id("o").Dot("Rest")
		if t.Closed {
			g.Var().Id("rest").Add(pay("Rest"))
			rest = jen.Op("&").Id("rest")
		}
		var required []string
		for _, field := range t.Fields {
			if field.Required {
				required = append(required, field.WireName)
			}
		}
		names := jen.Nil()
		if len(required) > 0 {
			names = texts(required).(*jen.Statement)
		}
		g.Return(jen.Id("d").Dot("Object").Call(rest, names,
			jen.Func().Params(jen.Id("name").String()).Params(jen.Id("known"), jen.Id("fits").Bool()).Block(
				jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
					for _, field := range t.Fields {
						g.Case(jen.Lit(field.WireName)).Block(
							jen.Return(jen.True(), field.GoType.decode().Call(jen.Op("&").Id("o").Dot(field.GoName), jen.Id("d"))))
					}
				}),
				jen.Return(jen.False(), jen.False()))))
	})
}

// emitAppend writes:
//
//	func (o Order) AppendPayload(b []byte) []byte {
//		w := payload.Begin(b, &o.Rest)
//		payload.Put(w, "id", o.ID, payload.PutString[string])
//		payload.PutSome(w, "note", o.Note != nil, o.Note, payload.PutPointer(payload.PutString[string]))
//		return w.End()
//	}
func emitAppend(t *Type, f *jen.File) {
	comment(f, "AppendPayload writes the object behind b.")
	f.Func().Params(recv(t, false)).Id("AppendPayload").Params(jen.Id("b").Index().Byte()).Index().Byte().BlockFunc(func(g *jen.Group) {
		rest := jen.Op("&").Id("o").Dot("Rest")
		if t.Closed {
			rest = jen.Nil()
		}
		g.Id("w").Op(":=").Add(pay("Begin")).Call(jen.Id("b"), rest)
		for _, field := range t.Fields {
			value := jen.Id("o").Dot(field.GoName)
			if there := field.presentIf(jen.Id("o").Dot(field.GoName)); there != nil {
				g.Add(pay("PutSome")).Call(jen.Id("w"), jen.Lit(field.WireName), there, value, field.GoType.encode())
				continue
			}
			g.Add(pay("Put")).Call(jen.Id("w"), jen.Lit(field.WireName), value, field.GoType.encode())
		}
		g.Return(jen.Id("w").Dot("End").Call())
	})
}

// emitJSON writes the methods that encoding/json looks for.
func emitJSON(t *Type, f *jen.File) {
	f.Line()
	comment(f, "MarshalJSON writes what DecodePayload has read, or what has been set since.")
	f.Func().Params(recv(t, false)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).Block(
		jen.Return(jen.Id("o").Dot("AppendPayload").Call(jen.Nil()), jen.Nil()))
	f.Line()
	comment(f, "UnmarshalJSON reads a value; its error is for what is no JSON at all.")
	f.Func().Params(recv(t, true)).Id("UnmarshalJSON").Params(jen.Id("b").Index().Byte()).Error().Block(
		jen.Return(pay("Unmarshal").Call(jen.Id("b"), jen.Id("o"), jen.Parens(jen.Op("*").Id(t.GoName)).Dot("DecodePayload"))))
}

func emitCollection(t *Type, f *jen.File, decode, encode *jen.Statement, plain *jen.Statement) {
	f.Line()
	comment(f, "DecodePayload reads the value; false: it does not fit.")
	f.Func().Params(recv(t, true)).Id("DecodePayload").Params(jen.Id("d").Op("*").Add(pay("Decoder"))).Bool().Block(
		jen.Return(decode.Call(t.Elem.decode()).Call(jen.Parens(jen.Op("*").Add(plain.Clone())).Call(jen.Id("o")), jen.Id("d"))))
	f.Line()
	comment(f, "AppendPayload writes the value behind b.")
	f.Func().Params(recv(t, false)).Id("AppendPayload").Params(jen.Id("b").Index().Byte()).Index().Byte().Block(
		jen.Return(encode.Call(t.Elem.encode()).Call(jen.Id("o"), jen.Id("b"))))
	emitJSON(t, f)
}

// emitEnum writes the type and its constants.
func emitEnum(t *Type, f *jen.File) {
	f.Type().Id(t.GoName).Add(t.Elem.expr())
	f.Line()
	comment(f, "The values that the document lists.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, v := range t.Values {
			value := jen.Lit(v.Text)
			if t.Elem.Kind == Int64Go {
				value = jen.Lit(int(v.Int))
			}
			g.Id(v.GoName).Id(t.GoName).Op("=").Add(value)
		}
	})
}

// emitUnion writes:
//
//	type Payment struct{ payload.Union }
//
//	func (p Payment) Kind() string { return p.Member("type") }
//
//	func (p Payment) AsCard() (Card, bool) {
//		if p.Kind() != "card" {
//			return Card{}, false
//		}
//		return payload.AsNamed(p.Union, (*Card).DecodePayload)
//	}
func emitUnion(t *Type, f *jen.File) {
	f.Type().Id(t.GoName).Struct(pay("Union"))
	if t.Discriminator != "" {
		f.Line()
		comment(f, wrap(fmt.Sprintf("Kind is the member %q, which tells the variant; it may be one that the document does not know.", t.Discriminator))...)
		f.Func().Params(recv(t, false)).Id("Kind").Params().String().Block(
			jen.Return(jen.Id("o").Dot("Member").Call(jen.Lit(t.Discriminator))))
	}
	for _, v := range t.Fields {
		emitVariant(t, v, f)
	}
}

// emitVariant writes the accessor of one variant. Where no value of a
// discriminator tells it, its own members do.
func emitVariant(t *Type, v *TypeField, f *jen.File) {
	told := t.Discriminator != "" && len(v.Values) > 0
	doc, read := "whether it fits in full.", pay("As")
	switch {
	case v.Always:
		doc, read = "whether it is an object: every kind has these members.", pay("AsNamed")
	case told:
		doc, read = "whether its kind is this one.", pay("AsNamed")
	}
	f.Line()
	comment(f, wrap(fmt.Sprintf("As%s is the value as this variant, and %s", v.GoName, doc))...)
	f.Func().Params(recv(t, false)).Id("As"+v.GoName).Params().Params(jen.Id("variant").Add(v.GoType.expr()), jen.Id("ok").Bool()).BlockFunc(func(g *jen.Group) {
		if !told {
			g.Return(read.Call(jen.Id("o").Dot("Union"), v.GoType.decode()))
			return
		}
		g.Switch(jen.Id("o").Dot("Kind").Call()).Block(
			jen.Case(literals(v.Values)...).Block(jen.Return(read.Call(jen.Id("o").Dot("Union"), v.GoType.decode()))))
		g.Return(jen.Id("variant"), jen.False())
	})
}

func literals(all []string) []jen.Code {
	var out []jen.Code
	for _, s := range all {
		out = append(out, jen.Lit(s))
	}
	return out
}
