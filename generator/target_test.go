package generator

import (
	"testing"

	"github.com/whgen/whgen/spec"
)

func TestPathSelectorsNameParameters(t *testing.T) {
	for path, want := range map[string]string{
		"/order/id":      "orderID",
		"/id":            "id",
		"/data/lineItem": "lineItem",
		"/func":          "funcValue",
		"/nil":           "nilX" + hash4("/nil"),
		"/p":             "pX" + hash4("/p"),
		"/0":             "n0",
		"/a~1b":          "ab",
	} {
		s := body(path)
		e := &Effect{FromHandler: true, Spec: &spec.Effect{Path: &spec.Template{Parts: []spec.TemplatePart{
			{Text: "/x/"}, {Selector: &s}, {Text: "/"}, {Selector: &s},
		}}}}
		targets(&Plan{Effects: []*Effect{e}})
		if len(e.Params) != 1 || len(e.Target) != 4 || e.Target[3].Param != 0 {
			t.Fatalf("%s: got %+v, %+v", path, e.Params, e.Target)
		}
		if got := e.Params[0].GoName; got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestDifferentSelectorsAreDifferentParameters(t *testing.T) {
	first, second := body("/order/number"), body("/shop/number")
	e := &Effect{FromHandler: true, Spec: &spec.Effect{Path: &spec.Template{Parts: []spec.TemplatePart{
		{Selector: &first}, {Text: "/"}, {Selector: &second},
	}}}}
	targets(&Plan{Effects: []*Effect{e}})
	if len(e.Params) != 2 || e.Params[0].GoName == e.Params[1].GoName {
		t.Errorf("got %+v", e.Params)
	}
}
