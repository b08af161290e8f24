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
	case ForeignGo:
		return jen.Qual(g.Import, g.Name)
	}
	return pay("Raw")
}

// decode is the codec that reads the type: func(*T, *payload.Decoder) bool.
func (g *GoType) decode() *jen.Statement { return pay("Value").Types(g.expr()) }
