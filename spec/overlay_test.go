package spec

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const overlaid = `
openapi: 3.1.0
tags: [{name: a}, {name: b, x-n: 2}, {name: c, x-n: 3}]
nothing:
flags: [one, two, two]
a-b: {c: 1}
paths:
  /pets:
    get: {operationId: listPets, x-traits: [paged], tags: [x], parameters: [{name: limit, in: query}, {name: filter, in: query}]}
    post: {operationId: addPet, tags: [y]}
  "/pets/{id}":
    get: {operationId: getPet, deprecated: true, parameters: [{name: id, in: path}]}
`

// laid is the document above under the actions, and the findings.
func laid(t *testing.T, actions string) (*yaml.Node, string) {
	t.Helper()
	r := &report{}
	s, root := readSource("doc.yaml", []byte(overlaid), r)
	tr := &tree{root: root, source: s, foreign: map[*yaml.Node]*source{}, files: map[string]*yaml.Node{}, report: r}
	tr.overlay("o.yaml", []byte("overlay: 1.1.0\ninfo: {title: t, version: \"1\"}\nactions:\n"+actions))
	r.found.Sort()
	var found strings.Builder
	for _, d := range r.found {
		found.WriteString(d.String() + "\n")
	}
	return tr.root, found.String()
}

func flow(t *testing.T, n *yaml.Node) string {
	t.Helper()
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// TestTargets: JSONPath as RFC 9535 has it, and what overlays in the field write.
func TestTargets(t *testing.T) {
	for target, want := range map[string]int{
		`$`:                                 1,
		`$.paths`:                           1,
		`$.paths.*`:                         2,
		`$.paths.*.*`:                       3,
		`$.paths.*.get`:                     2,
		`$['paths']['/pets']['get','post']`: 2,
		`$["paths"]["/pets/{id}"]`:          1,
		`$.paths['/pets/{id}'].get`:         1,
		`$..operationId`:                    3,
		`$..get.parameters[*]`:              3,
		`$..[?@.in == 'query']`:             2,
		`$.paths.*.get.parameters[?@.name=='filter' && @.in=='query']`:  1,
		`$.paths.*.get.parameters[?(@.name=='filter' || @.in=='path')]`: 2,
		`$.paths.*[?@.deprecated]`:                                      1,
		`$.paths.*[?!@.deprecated]`:                                     2,
		`$.paths.*[?@.deprecated == true]`:                              1,
		`$.paths[?(@.get['x-traits'][?(@ == 'paged')])].get`:            1,
		`$.paths[?@.get['x-traits']]`:                                   1,
		`$.tags[0]`:                                                     1,
		`$.tags[-1]`:                                                    1,
		`$.tags[0,2]`:                                                   2,
		`$.tags[1:]`:                                                    2,
		`$.tags[::2]`:                                                   2,
		`$.tags[?@['x-n'] > 2]`:                                         1,
		`$.tags[?@['x-n'] >= 2 && @['x-n'] < 3]`:                        1,
		`$.tags[?@.name != 'a']`:                                        2,
		`$.flags[?@ == 'two']`:                                          2,
		`$.paths.*.*[?length(@) > 1]`:                                   4,
		`$.paths.*[?count(@.parameters[*]) == 2]`:                       1,
		`$.paths.*[?match(@.operationId, 'list.*')]`:                    1,
		`$.paths.*[?search(@.operationId, 'Pet')]`:                      3,
		`$.paths.*[?value(@.operationId) == 'getPet']`:                  1,
		`$.nothing`:     1,
		`$[?@ == null]`: 1,
		`$['a-b'].c`:    1,
		`$.a-b.c`:       1,
		`$.a-b`:         1,
	} {
		_, root := readSource("doc.yaml", []byte(overlaid), &report{})
		found, err := queryTree(root, target)
		if err != nil || len(found) != want {
			t.Errorf("%s: %d matches, %v; want %d", target, len(found), err, want)
		}
	}
}

func TestUpdates(t *testing.T) {
	type action struct{ Target, Key, Value string }
	for name, c := range map[string]struct {
		actions  []action
		at, want string
	}{
		"object":             {[]action{{`$.paths['/pets'].get`, "update", `{summary: s, tags: [z]}`}}, `$.paths['/pets'].get['summary','tags']`, "s|- x\n- z"},
		"primitive":          {[]action{{`$..operationId`, "update", `same`}}, `$..operationId`, "same|same|same"},
		"primitive to array": {[]action{{`$.flags`, "update", `three`}}, `$.flags`, "- one\n- two\n- two\n- three"},
		"array to array":     {[]action{{`$.flags`, "update", `[three, four]`}}, `$.flags[3:]`, "three|four"},
		"object to array":    {[]action{{`$.paths.*.get.parameters`, "update", `{name: n, in: header}`}}, `$..parameters[?@.in == 'header'].name`, `"n"|"n"`},
		"over null":          {[]action{{`$`, "update", `{nothing: {x: 1}}`}}, `$.nothing`, "x: 1"},
		"of null":            {[]action{{`$.nothing`, "update", `{x: 1}`}}, `$.nothing`, "x: 1"},
		"new member":         {[]action{{`$.paths`, "update", `{/new: {get: {}}}`}}, `$.paths['/new']`, "get: {}"},
		"remove members":     {[]action{{`$.paths.*.get.parameters`, "remove", `true`}}, `$.paths['/pets/{id}'].get`, "deprecated: true\noperationId: getPet"},
		"remove elements":    {[]action{{`$.flags[?@ == 'two']`, "remove", `true`}}, `$.flags`, "- one"},
		"move": {[]action{{`$.paths`, "update", `{/n: {}}`}, {`$.paths['/n']`, "copy", `$.paths['/pets/{id}']`}, {`$.paths['/pets/{id}']`, "remove", `true`}},
			`$.paths.*.get.operationId`, "listPets|getPet"},
		"copy a primitive": {[]action{{`$.paths['/pets'].post.operationId`, "copy", `$.tags[0].name`}}, `$.paths['/pets'].post.operationId`, "a"},
		"copies are apart": {[]action{{`$.paths.*.get`, "update", `{x-s: {v: 1}}`}, {`$.paths['/pets'].get['x-s']`, "update", `{v: 2}`}}, `$..['x-s'].v`, "2|1"},
		"of our own":       {[]action{{`$`, "update", `{x-whgen: {a: [1], b: 1}}`}, {`$`, "update", `{x-whgen: {a: [2], b: {c: 3}}}`}}, `$['x-whgen'].*`, "- 2|c: 3"},
	} {
		t.Run(name, func(t *testing.T) {
			actions := ""
			for _, a := range c.actions {
				actions += fmt.Sprintf("  - target: %q\n    %s: ", a.Target, a.Key)
				if a.Key == "copy" {
					a.Value = strconv.Quote(a.Value)
				}
				actions += a.Value + "\n"
			}
			root, found := laid(t, actions)
			if found != "" {
				t.Fatalf("findings:\n%s", found)
			}
			nodes, err := queryTree(root, c.at)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range nodes {
				got = append(got, flow(t, n))
			}
			if text := strings.Join(got, "|"); text != c.want {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

func TestWrongActions(t *testing.T) {
	for action, want := range map[string]string{
		`{target: $.nowhere, update: {}}`:                 `o.yaml:4:14: target "$.nowhere" matches nothing in doc.yaml [overlay-no-match]`,
		`{target: "$.paths[", update: {}}`:                `[overlay-target]`,
		`{target: $.paths, update: [x]}`:                  `o.yaml:4:31: update is a list; $.paths is an object [overlay-update]`,
		`{target: $.paths, update: x}`:                    `o.yaml:4:31: update is a scalar; $.paths is an object [overlay-update]`,
		`{target: $.openapi, update: {a: b}}`:             `o.yaml:4:33: update is an object; $.openapi is a scalar [overlay-update]`,
		`{target: $, update: {paths: [x], tags: {a: b}}}`: `o.yaml:4:33: update of paths is a list; the document has an object there [overlay-update]`,
		`{target: $, update: {paths: }}`:                  `o.yaml:4:26: warning: update of paths is empty; the object of the document stays [overlay-update]`,
		`{target: $.paths}`:                               `o.yaml:4:5: the action has none of update, copy and remove [overlay-action]`,
		`{target: $.paths, remove: false}`:                `o.yaml:4:5: the action has none of update, copy and remove [overlay-action]`,
		`{target: $.paths, update: {}, copy: $.tags}`:     `o.yaml:4:35: the action has update and copy; want one [overlay-action]`,
		`{target: $.paths, copy: $.nowhere}`:              `o.yaml:4:29: copy "$.nowhere" matches 0 places; want one [overlay-no-match]`,
		`{target: $.tags, copy: $.paths.*}`:               `o.yaml:4:28: copy "$.paths.*" matches 2 places; want one [overlay-no-match]`,
		`{target: $.flags, remove: yes please}`:           `o.yaml:4:31: remove: want true or false [overlay-action]`,
		`{update: {}}`:                                    `o.yaml:4:5: the action has no target [overlay-action]`,
		`{target: $.paths, udpate: {}}`:                   `o.yaml:4:23: action: unknown key "udpate" [unknown-key]`,
	} {
		_, found := laid(t, "  - "+action)
		if !strings.Contains(found, want) {
			t.Errorf("%s\n got %s\nwant %s", action, found, want)
		}
	}
}

// TestCopyNeedsItsVersion: 1.0 knows no copy.
func TestCopyNeedsItsVersion(t *testing.T) {
	r := &report{}
	s, root := readSource("doc.yaml", []byte(overlaid), r)
	tr := &tree{root: root, source: s, foreign: map[*yaml.Node]*source{}, files: map[string]*yaml.Node{}, report: r}
	tr.overlay("o.yaml", []byte("overlay: 1.0.0\nactions: [{target: $.tags, copy: $.flags}]\n"))
	if want := "o.yaml:2:28: copy is not known in overlay 1.0.0"; len(r.found) != 1 || !strings.HasPrefix(r.found[0].String(), want) {
		t.Errorf("got %v, want %s", r.found, want)
	}
}
