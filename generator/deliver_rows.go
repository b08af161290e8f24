package generator

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

const pgtypePath = "github.com/jackc/pgx/v5/pgtype"

// pgtypes is the element type of an array argument, by column type.
var pgtypes = map[string]jen.Code{
	"text": jen.Qual(pgtypePath, "Text"), "numeric": jen.Qual(pgtypePath, "Text"),
	"date": jen.Qual(pgtypePath, "Text"), "json": jen.Qual(pgtypePath, "Text"),
	"integer": jen.Qual(pgtypePath, "Int8"), "boolean": jen.Qual(pgtypePath, "Bool"),
	"timestamp": jen.Qual(pgtypePath, "Timestamptz"), "bytes": jen.Index().Byte(),
}

// emitArrays writes, for pgx,
//
//	// argsOrderCreated gives the record effects of orderCreated as arrays.
//	func argsOrderCreated(ds []*whrt.Delivery, args []any) []any {
//		r0on := make([]bool, len(ds)) // order
//		r0c0 := make(pgtype.FlatArray[pgtype.Text], len(ds)) // external_order_id
//		for i, d := range ds {
//			if r := &d.Records[0]; r.On {
//				r0on[i] = true
//				r0c0[i] = pgxstore.Text(r.Columns[0])
//			}
//		}
//		return append(args, r0on, r0c0)
//	}
func emitArrays(f *jen.File, e *Event) {
	name := "args" + e.GoName
	f.Commentf("%s gives the record effects of %s as arrays, in the statement's order.", name, e.Spec.Name)
	f.Func().Id(name).Params(
		jen.Id("ds").Index().Op("*").Qual(runtimePath, "Delivery"), jen.Id("args").Index().Any(),
	).Index().Any().BlockFunc(func(g *jen.Group) {
		all := []jen.Code{jen.Id("args")}
		for _, r := range e.Records {
			on := fmt.Sprintf("r%don", r.Index)
			g.Id(on).Op(":=").Make(jen.Index().Bool(), jen.Len(jen.Id("ds"))).Comment(r.Spec.Name)
			all = append(all, jen.Id(on))
			for _, c := range r.Columns {
				id := fmt.Sprintf("r%dc%d", r.Index, c.Index)
				g.Id(id).Op(":=").Make(jen.Qual(pgtypePath, "FlatArray").Types(pgtypes[c.Column.Type]), jen.Len(jen.Id("ds"))).Comment(c.Column.SQLName)
				all = append(all, jen.Id(id))
			}
		}
		g.For(jen.List(jen.Id("i"), jen.Id("d")).Op(":=").Range().Id("ds")).BlockFunc(func(g *jen.Group) {
			for _, r := range e.Records {
				g.If(recordOn(r)).BlockFunc(func(g *jen.Group) {
					g.Id(fmt.Sprintf("r%don", r.Index)).Index(jen.Id("i")).Op("=").True()
					for _, c := range r.Columns {
						g.Id(fmt.Sprintf("r%dc%d", r.Index, c.Index)).Index(jen.Id("i")).Op("=").Add(datum(PostgresPgx, c))
					}
				})
			}
		})
		g.Return(jen.Append(all...))
	})
}

// emitScalars writes, for PostgreSQL through database/sql,
//
//	func argsOrderCreated(d *whrt.Delivery, args []any) []any {
//		if r := &d.Records[0]; r.On { // order
//			args = append(args, true, pgsqlstore.Text(r.Columns[0]))
//		} else {
//			args = append(args, false, nil)
//		}
//		return args
//	}
func emitScalars(f *jen.File, e *Event) {
	name := "args" + e.GoName
	f.Commentf("%s gives the record effects of %s, in the statement's order.", name, e.Spec.Name)
	f.Func().Id(name).Params(
		jen.Id("d").Op("*").Qual(runtimePath, "Delivery"), jen.Id("args").Index().Any(),
	).Index().Any().BlockFunc(func(g *jen.Group) {
		for _, r := range e.Records {
			on := []jen.Code{jen.Id("args"), jen.True()}
			off := []jen.Code{jen.Id("args"), jen.False()}
			for _, c := range r.Columns {
				on = append(on, datum(PostgresSQL, c))
				off = append(off, jen.Nil())
			}
			g.Comment(r.Spec.Name)
			g.If(recordOn(r)).Block(
				jen.Id("args").Op("=").Append(on...),
			).Else().Block(
				jen.Id("args").Op("=").Append(off...),
			)
		}
		g.Return(jen.Id("args"))
	})
}

// emitRows writes, for SQLite,
//
//	func recordsOrderCreated(d *whrt.Delivery) []sqlitestore.Record {
//		rows := make([]sqlitestore.Record, 0, 1)
//		if r := &d.Records[0]; r.On {
//			rows = append(rows, sqlitestore.Record{SQL: db.DeliverOrderCreated_Order, Args: []any{d.Key, sqlitestore.Text(r.Columns[0])}})
//		}
//		return rows
//	}
func emitRows(f *jen.File, p *Plan, e *Event) {
	name, store := "records"+e.GoName, storePaths[SQLite]
	f.Commentf("%s gives the record effects of %s, a statement each.", name, e.Spec.Name)
	f.Func().Id(name).Params(jen.Id("d").Op("*").Qual(runtimePath, "Delivery")).Index().Qual(store, "Record").BlockFunc(func(g *jen.Group) {
		g.Id("rows").Op(":=").Make(jen.Index().Qual(store, "Record"), jen.Lit(0), jen.Lit(len(e.Records)))
		for _, r := range e.Records {
			args := []jen.Code{jen.Id("d").Dot("Key")}
			for _, c := range r.Columns {
				args = append(args, datum(SQLite, c))
			}
			row := jen.Dict{
				jen.Id("SQL"):  jen.Qual(p.Import+"/db", recordQuery(e, r)),
				jen.Id("Args"): jen.Index().Any().Values(args...),
			}
			if _, keep := onConflict(r); keep {
				row[jen.Id("Keep")] = jen.True()
			}
			g.If(recordOn(r)).Block(
				jen.Id("rows").Op("=").Append(jen.Id("rows"), jen.Qual(store, "Record").Values(row)),
			)
		}
		g.Return(jen.Id("rows"))
	})
}

// recordOn is `r := &d.Records[0]; r.On`.
func recordOn(r *Record) *jen.Statement {
	return jen.Id("r").Op(":=").Op("&").Id("d").Dot("Records").Index(jen.Lit(r.Index)).Op(";").Id("r").Dot("On")
}

// datum is `pgxstore.Text(r.Columns[0])`.
func datum(e Engine, c *RecordColumn) jen.Code {
	return jen.Qual(storePaths[e], datums[c.Column.Type]).Call(jen.Id("r").Dot("Columns").Index(jen.Lit(c.Index)))
}
