package generator

import (
	"fmt"
	"go/format"
	"path"
	"slices"

	"github.com/whgen/whgen/spec"
	"github.com/whgen/whgen/templates"
)

// scaffoldView is the data of the files that are written once.
type scaffoldView struct {
	Package, Import, Source, Command string
	Postgres, Pgx, Handler           bool
	HasHandler                       bool
	DB, HandlerType                  string
	Names                            []string // of secrets and settings
	Calls                            []*Effect
	Handlers                         []acceptHandler
}

type acceptHandler struct {
	Method  string
	Payload string // Go type inside of the package
	Outer   string // the same from outside
}

// scaffoldFiles writes handler.go, the main program and what the acceptance test
// needs of the user: once, then they are the user's. The test does not compile
// without its part, so that one is always written.
func scaffoldFiles(p *Plan) ([]File, error) {
	v := scaffoldView{
		Package: p.Package, Import: p.Import, Source: p.Source, Command: path.Base(p.Scaffold.Main),
		Postgres: p.Engine != SQLite, Pgx: p.Engine == PostgresPgx, Handler: p.HasHandler,
		HasHandler: p.HasHandler, DB: poolType(p.Engine), HandlerType: handlerType(p),
		Calls: calls(p), Handlers: handlersOf(p),
	}
	for _, e := range p.Contract.Endpoints {
		for _, s := range e.Signature.AllSecrets() {
			if s.Fetch == nil && !slices.Contains(v.Names, s.Name) {
				v.Names = append(v.Names, s.Name)
			}
		}
	}
	for _, s := range p.Contract.Settings {
		v.Names = append(v.Names, s.Name)
	}
	var files []File
	if p.Scaffold.Handler && p.HasHandler {
		f, err := scaffold("handler.go", path.Join(p.Out, "handler.go"), v)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	// Without NewHandler the program would not compile.
	if p.Scaffold.Main != "" && (p.Scaffold.Handler || !p.HasHandler) {
		f, err := scaffold("main.go", path.Join(p.Scaffold.Main, "main.go"), v)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(p.Accept) > 0 {
		v.Handler = p.Scaffold.Handler // NewHandler is there
		f, err := scaffold("acceptance_setup_test.go", path.Join(p.Out, "acceptance_setup_test.go"), v)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func scaffold(name, to string, v scaffoldView) (File, error) {
	text, err := templates.Render("scaffold/"+name+".tmpl", v)
	if err != nil {
		return File{}, err
	}
	data, err := format.Source(text)
	if err != nil {
		return File{}, fmt.Errorf("format %s: %w", name, err)
	}
	return File{Path: to, Data: data, Once: true}, nil
}

// handlersOf lists the events that call the user's Go.
func handlersOf(p *Plan) (out []acceptHandler) {
	for _, e := range p.Events {
		if !e.Spec.Handler {
			continue
		}
		h := acceptHandler{Method: e.GoName, Payload: e.Payload, Outer: p.Package + "." + e.Payload}
		switch {
		case e.Spec.Body == spec.RawBody:
			h.Payload, h.Outer = "[]byte", "[]byte"
		case e.Payload == "":
			h.Payload, h.Outer = "whrt.Raw", "whrt.Raw"
		}
		out = append(out, h)
	}
	return out
}
