package generator

import (
	"github.com/dave/jennifer/jen"
)

// emitMigrations writes migrations_gen.go:
//
//	//go:embed migrations/*.sql
//	var migrations embed.FS
//
//	func Migrate(ctx context.Context, db *sql.DB) error {
//		return migrate.Up(ctx, db, "sqlite", migrations, "shop_schema_versions")
//	}
func emitMigrations(p *Plan, f *jen.File) {
	f.Comment("//go:embed migrations/*.sql")
	f.Var().Id("migrations").Qual("embed", "FS")
	f.Line()
	comment(f, "Migrate brings the receiver's tables up to date. It may run in several processes at once.",
		"Migrations that were applied are never changed, only followed by others.")
	table := jen.Lit(p.SQL.Prefix + "schema_versions")
	up := func(db jen.Code, dialect string) jen.Code {
		return jen.Return(jen.Qual(migratePath, "Up").Call(jen.Id("ctx"), db, jen.Lit(dialect), jen.Id("migrations"), table))
	}
	f.Func().Id("Migrate").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("db").Add(pool(p.Engine))).Error().
		BlockFunc(func(g *jen.Group) {
			switch p.Engine {
			case SQLite:
				g.Add(up(jen.Id("db"), "sqlite"))
			case PostgresSQL:
				g.Add(up(jen.Id("db"), "postgres"))
			default:
				g.Id("conn").Op(":=").Qual("github.com/jackc/pgx/v5/stdlib", "OpenDBFromPool").Call(jen.Id("db"))
				g.Defer().Id("conn").Dot("Close").Call()
				g.Add(up(jen.Id("conn"), "postgres"))
			}
		})
}
