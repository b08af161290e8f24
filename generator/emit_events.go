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
		emitMethods(t, f)
	case MapType:
		f.Type().Id(t.GoName).Map(jen.String()).Add(t.Elem.expr())
		emitMethods(t, f)
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
	if t.Kind == AliasType && t.Elem.Kind == ForeignGo {
		return []string{t.GoName + " is the type that whgen.yaml names under models."}
	}
	if t.Kind == EnumType {
		first = strings.TrimSuffix(strings.TrimSuffix(first, ":"), ".") + "; other values decode too."
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
//		SKU string `json:"sku" payload:"required"`
//		...
//		Rest payload.Rest `json:"-"`
//	}
//
// and the methods that read and write it, by its tags.
func emitStruct(t *Type, f *jen.File) {
	f.Type().Id(t.GoName).StructFunc(func(g *jen.Group) {
		for _, field := range t.Fields {
			for _, c := range comments(field.Doc) {
				g.Add(c)
			}
			g.Id(field.GoName).Add(field.GoType.expr()).Add(tag(field))
		}
		if t.Closed {
			g.Id("_").Struct().Tag(map[string]string{"payload": "closed"})
			return
		}
		g.Id("Rest").Add(pay("Rest")).Tag(map[string]string{"json": "-"}).Comment("unknown members, and values that do not fit")
	})
	emitMethods(t, f)
}

// emitMethods writes the methods by which encoding/json reads and writes the
// type; a list or map that has a name also has those of package payload:
//
//	func (o Line) MarshalJSON() ([]byte, error)     { return payload.Append(nil, &o), nil }
//	func (o *Line) UnmarshalJSON(b []byte) error    { return payload.Unmarshal(b, o) }
//
// in a line each, because they are the same for every type.
func emitMethods(t *Type, f *jen.File) {
	line := func(pointer bool, name string, params, results *jen.Statement, body jen.Code) {
		f.Func().Params(recv(t, pointer)).Id(name).Add(params).Add(results).Custom(jen.Options{Open: "{ ", Close: " }"}, jen.Return(body))
	}
	bytes := func() *jen.Statement { return jen.Index().Byte() }
	f.Line()
	comment(f, "These methods keep the value in full, whatever it is.")
	line(false, "MarshalJSON", jen.Params(), jen.Params(bytes(), jen.Error()),
		jen.List(pay("Append").Call(jen.Nil(), jen.Op("&").Id("o")), jen.Nil()))
	line(true, "UnmarshalJSON", jen.Params(jen.Id("b").Add(bytes())), jen.Error(), pay("Unmarshal").Call(jen.Id("b"), jen.Id("o")))
	if t.Kind == StructType {
		return
	}
	line(true, "DecodePayload", jen.Params(jen.Id("d").Op("*").Add(pay("Decoder"))), jen.Bool(), pay("Read").Call(jen.Id("o"), jen.Id("d")))
	line(false, "AppendPayload", jen.Params(jen.Id("b").Add(bytes())), bytes(), pay("Append").Call(jen.Id("b"), jen.Op("&").Id("o")))
}

// tag says the member's name, and what package payload must know of it. A name
// that `json` cannot hold, for the tools that look there, has a tag of its own.
func tag(f *TypeField) jen.Code {
	tags := map[string]string{"json": f.WireName}
	if !plainTag(f.WireName) {
		tags = map[string]string{"json": "-", "member": f.WireName}
	}
	switch {
	case f.Required && f.GoType.Kind == PointerGo && f.GoType.Null:
		tags["payload"] = "required,null"
	case f.Required:
		tags["payload"] = "required"
	}
	return jen.Tag(tags)
}

func plainTag(wire string) bool {
	for _, c := range wire {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.') {
			return false
		}
	}
	return wire != "-" && wire != ""
}

func recv(t *Type, pointer bool) *jen.Statement {
	if pointer {
		return jen.Id("o").Op("*").Id(t.GoName)
	}
	return jen.Id("o").Id(t.GoName)
}

// emitEnum writes the type and its constants.
func emitEnum(t *Type, f *jen.File) {
	f.Type().Id(t.GoName).Add(t.Elem.expr())
	f.Line()
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
//		return payload.AsNamed[Card](p.Union)
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
			g.Return(read.Types(v.GoType.expr()).Call(jen.Id("o").Dot("Union")))
			return
		}
		g.Switch(jen.Id("o").Dot("Kind").Call()).Block(
			jen.Case(literals(v.Values)...).Block(jen.Return(read.Types(v.GoType.expr()).Call(jen.Id("o").Dot("Union")))))
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
