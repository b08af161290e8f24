package spec

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// loadCut reads a cut document and points the origins in it back to the
// user's files.
func (t *tree) loadCut(text string, lines []Pos) *openapi3.T {
	doc, err := loadKin(text)
	if err != nil {
		t.report.err(errorLine(err, lines, t.source.start()), "document", "", "cannot read what the entries reach: %v", err)
		return nil
	}
	o := &origins{lines: lines, seen: map[uintptr]bool{}}
	o.walk(reflect.ValueOf(doc))
	return doc
}

func loadKin(text string) (doc *openapi3.T, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, fmt.Errorf("openapi3: %v", p)
		}
	}()
	l := openapi3.NewLoader()
	l.IncludeOrigin = true
	return l.LoadFromData([]byte(text))
}

var kinLine = regexp.MustCompile(`line (\d+)`)

func errorLine(err error, lines []Pos, start Pos) Pos {
	if m := kinLine.FindStringSubmatch(err.Error()); m != nil {
		if n, _ := strconv.Atoi(m[1]); n >= 1 && n <= len(lines) && lines[n-1].Line > 0 {
			return lines[n-1]
		}
	}
	return start
}

// origins rewrites every origin of a document once.
type origins struct {
	lines []Pos
	seen  map[uintptr]bool
}

var originType = reflect.TypeFor[*openapi3.Origin]()

func (o *origins) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || o.seen[v.Pointer()] {
			return
		}
		o.seen[v.Pointer()] = true
		if v.Type() == originType {
			o.origin(v.Interface().(*openapi3.Origin))
			return
		}
		o.walk(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); v.Type().Field(i).IsExported() {
				o.walk(f)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			o.walk(v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			o.walk(v.MapIndex(k))
		}
	}
}

func (o *origins) origin(g *openapi3.Origin) {
	if g.Key != nil {
		o.location(g.Key)
	}
	for i := range g.Fields {
		o.location(&g.Fields[i])
	}
	for _, all := range g.Sequences {
		for i := range all {
			o.location(&all[i])
		}
	}
}

func (o *origins) location(l *openapi3.Location) {
	at := Pos{}
	if l.Line >= 1 && l.Line <= len(o.lines) {
		at = o.lines[l.Line-1]
	}
	l.File, l.Line, l.Column, l.EndLine, l.EndColumn = at.File, at.Line, at.Column, 0, 0
}
