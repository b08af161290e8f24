package generator

import "github.com/dave/jennifer/jen"

// expr is the type as Go writes it.
func (g *GoType) expr() *jen.Statement {
	switch g.Kind {
	case StringGo:
		return jen.String()
	case BoolGo:
		return jen.Bool()
	case Int64Go:
		return jen.Int64()
	case IntGo:
		return pay("Int")
	case NumberGo:
		return pay("Number")
	case TimeGo:
		return pay("Time")
	case DateGo:
		return pay("Date")
	case NamedGo:
		return jen.Id(g.Type.GoName)
	case SliceGo:
		return jen.Index().Add(g.Elem.expr())
	case MapGo:
		return jen.Map(jen.String()).Add(g.Elem.expr())
	case PointerGo:
		return jen.Op("*").Add(g.Elem.expr())
	case OptGo:
		return pay("Opt").Types(g.Elem.expr())
	}
	return pay("Raw")
}

// decode is the codec that reads the type: func(*T, *payload.Decoder) bool.
func (g *GoType) decode() *jen.Statement {
	switch g.Kind {
	case StringGo, BoolGo, Int64Go:
		return pay(scalarCodecs[g.Kind]).Types(g.expr())
	case IntGo, NumberGo, TimeGo, DateGo:
		return jen.Parens(jen.Op("*").Add(g.expr())).Dot("DecodePayload")
	case NamedGo:
		switch g.Type.Kind {
		case EnumType:
			return pay(scalarCodecs[g.Type.Elem.Kind]).Types(g.expr())
		case AliasType:
			return g.Type.Elem.decode()
		}
		return jen.Parens(jen.Op("*").Add(g.expr())).Dot("DecodePayload")
	case SliceGo:
		return pay("SliceOf").Call(g.Elem.decode())
	case MapGo:
		return pay("MapOf").Call(g.Elem.decode())
	case PointerGo:
		if g.Null {
			return pay("NullableOf").Call(g.Elem.decode())
		}
		return pay("PointerTo").Call(g.Elem.decode())
	case OptGo:
		return pay("OptOf").Call(g.Elem.decode())
	}
	return pay("AnyRaw")
}

// encode is the function that writes the type: func(T, []byte) []byte.
func (g *GoType) encode() *jen.Statement {
	switch g.Kind {
	case StringGo, BoolGo, Int64Go:
		return pay("Put" + scalarCodecs[g.Kind]).Types(g.expr())
	case IntGo, NumberGo, TimeGo, DateGo:
		return g.expr().Dot("AppendPayload")
	case NamedGo:
		switch g.Type.Kind {
		case EnumType:
			return pay("Put" + scalarCodecs[g.Type.Elem.Kind]).Types(g.expr())
		case AliasType:
			return g.Type.Elem.encode()
		}
		return g.expr().Dot("AppendPayload")
	case SliceGo:
		return pay("PutSlice").Call(g.Elem.encode())
	case MapGo:
		return pay("PutMap").Call(g.Elem.encode())
	case PointerGo:
		return pay("PutPointer").Call(g.Elem.encode())
	case OptGo:
		return pay("PutOpt").Call(g.Elem.encode())
	}
	return pay("PutRaw")
}

var scalarCodecs = map[GoKind]string{StringGo: "String", BoolGo: "Bool", Int64Go: "Int64"}

// presentIf is the condition under which a member that may be absent is there;
// nil where it always is.
func (f *TypeField) presentIf(value *jen.Statement) *jen.Statement {
	switch {
	case f.GoType.Kind == OptGo:
		return jen.Op("!").Add(value).Dot("IsAbsent").Call()
	case f.Required:
		return nil
	}
	return value.Op("!=").Nil()
}
