package generator

import (
	"fmt"
	"go/token"
	"path"
	"strings"

	"github.com/whgen/whgen/spec"
)

// place decides on package name, folder and import path.
func (b *planner) place() {
	r := b.contract.Receiver
	b.plan.Package = r.Package
	if r.Package == "" {
		b.plan.Package = b.contract.Source
		if !usablePackage(b.plan.Package) {
			b.plan.Package += "hooks" // source: select is a fine source, and no package
		}
	} else if !usablePackage(r.Package) || !token.IsIdentifier(r.Package) {
		b.report(r.Pos, "package-name", fmt.Sprintf("package %q is no name that Go accepts", r.Package),
			fmt.Sprintf("write another one, such as %q", "hooks"))
	}
	b.plan.Out = path.Clean(b.plan.Out)
	for _, part := range strings.Split(b.plan.Out, "/") {
		if part == "testdata" || part == "vendor" || part != ".." && part != "." && strings.IndexAny(part, "._") == 0 {
			b.report(r.Pos, "out-ignored", fmt.Sprintf("out %q: Go leaves folders named %q out of ./...", b.plan.Out, part),
				"choose a folder that Go looks into, such as internal/webhooks/"+b.contract.Source)
		}
	}
	b.importPath(r)
}

// usablePackage refuses what cannot be imported or would be taken for a test.
func usablePackage(name string) bool {
	return !token.IsKeyword(name) && name != "main" && name != "documentation" && name != "init" && name != "_" &&
		!strings.HasSuffix(name, "_test")
}

func (b *planner) importPath(r spec.Receiver) {
	if b.plan.Import == "" {
		b.report(r.Pos, "import-path", fmt.Sprintf("out %q lies in no Go module", b.plan.Out),
			"run go mod init in the project's folder first")
		return
	}
	for _, c := range b.plan.Import {
		if c < 0x80 && !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') && !strings.ContainsRune("-._~/+", c) || c >= 0x80 {
			b.report(r.Pos, "import-path", fmt.Sprintf("import path %q holds %q, which Go does not accept", b.plan.Import, c),
				"choose a folder of letters, digits and - . _ ~ + below the module's")
			return
		}
	}
}

func (b *planner) engine() {
	r := b.contract.Receiver
	switch {
	case r.Engine == "sqlite":
		b.plan.Engine = SQLite
	case r.Engine == "postgres" && r.Driver == "database/sql":
		b.plan.Engine = PostgresSQL
	case r.Engine == "postgres" && (r.Driver == "" || r.Driver == "pgx"):
		b.plan.Engine = PostgresPgx
	default:
		b.report(r.Pos, "not-supported-yet", fmt.Sprintf("engine %q with driver %q is not supported yet", r.Engine, r.Driver),
			"use engine: sqlite, or engine: postgres with driver: pgx or database/sql")
	}
}
