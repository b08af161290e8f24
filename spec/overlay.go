package spec

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/speakeasy-api/jsonpath/pkg/jsonpath"
	"github.com/speakeasy-api/jsonpath/pkg/jsonpath/config"
	"gopkg.in/yaml.v3"
)

// overlay applies the actions of one OpenAPI Overlay (1.0, 1.1) to the tree.
// The merge is ours because libraries lose positions; the paths are a
// library's. An action without a match is an error at its target.
func (t *tree) overlay(name string, text []byte) {
	s, n := readSource(name, text, t.report)
	if n == nil {
		return
	}
	t.adopt(n, s)
	version := lookup(n, "overlay")
	if version == nil || version.Kind != yaml.ScalarNode {
		t.report.err(s.start(), "overlay", `begin it with "overlay: 1.0.0"`, "the file is no OpenAPI Overlay: it has no version at overlay")
		return
	}
	if !strings.HasPrefix(version.Value, "1.0") && !strings.HasPrefix(version.Value, "1.1") {
		t.report.err(t.pos(version), "overlay", "", "overlay version %q is not known; want 1.0 or 1.1", version.Value)
		return
	}
	t.checkExtends(lookup(n, "extends"))
	actions := lookup(n, "actions")
	if actions == nil || actions.Kind != yaml.SequenceNode {
		t.report.err(s.start(), "overlay", "", "the overlay has no list of actions")
		return
	}
	for _, action := range actions.Content {
		if k, _ := lookupPair(action, "copy"); k != nil && strings.HasPrefix(version.Value, "1.0") {
			t.report.err(t.pos(k), "overlay-action", "write overlay: 1.1.0", "copy is not known in overlay %s", version.Value)
			continue
		}
		t.action(action)
	}
}

func (t *tree) checkExtends(n *yaml.Node) {
	if n == nil || n.Kind != yaml.ScalarNode {
		return
	}
	if named := path.Base(strings.TrimSuffix(n.Value, "/")); named != path.Base(t.source.name) {
		t.report.warn(t.pos(n), "overlay-extends", "", "the overlay extends %q, but is laid over %q", n.Value, t.source.name)
	}
}

func (t *tree) action(n *yaml.Node) {
	target := lookup(n, "target")
	if target == nil || target.Kind != yaml.ScalarNode {
		t.report.err(t.pos(n), "overlay-action", "", "the action has no target")
		return
	}
	misspelt := false
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch key := n.Content[i]; {
		case strings.HasPrefix(key.Value, "x-"):
		default:
			known := []string{"target", "description", "update", "remove", "copy"}
			if !contains(known, key.Value) {
				misspelt = true
				t.report.err(t.pos(key), "unknown-key", didYouMean(key.Value, known), "action: unknown key %q", key.Value)
			}
		}
	}
	if misspelt || !t.oneKind(n) {
		return
	}
	matches, err := queryTree(t.root, target.Value)
	if err != nil {
		t.report.err(t.pos(target), "overlay-target", "", "target %q is no JSONPath: %v", target.Value, err)
		return
	}
	if len(matches) == 0 {
		t.report.err(t.pos(target), "overlay-no-match", t.nearestTarget(target.Value), "target %q matches nothing in %s", target.Value, t.source.name)
		return
	}
	t.change(n, matches)
}

// oneKind demands one of update, copy and remove. An update beside remove: true
// has no effect, as the specification says.
func (t *tree) oneKind(n *yaml.Node) bool {
	remove, update, from := lookup(n, "remove"), lookup(n, "update"), lookup(n, "copy")
	switch {
	case remove != nil && scalarForm(remove) != booleanForm:
		t.report.err(t.pos(remove), "overlay-action", "", "remove: want true or false")
	case remove != nil && saysYes(remove):
		return true
	case update != nil && from != nil:
		k, _ := lookupPair(n, "copy")
		t.report.err(t.pos(k), "overlay-action", "write two actions", "the action has update and copy; want one")
	case update == nil && from == nil:
		t.report.err(t.pos(n), "overlay-action", "", "the action has none of update, copy and remove")
	default:
		return true
	}
	return false
}

func saysYes(n *yaml.Node) bool { return strings.EqualFold(n.Value, "true") }

// change does what an action says to each of its matches: remove, copy, update.
func (t *tree) change(n *yaml.Node, matches []*yaml.Node) {
	if remove := lookup(n, "remove"); remove != nil && saysYes(remove) {
		t.remove(matches)
		return
	}
	target := lookup(n, "target").Value
	word, update := "update", lookup(n, "update")
	if from := lookup(n, "copy"); from != nil {
		sources, err := queryTree(t.root, from.Value)
		if err != nil || len(sources) != 1 {
			t.report.err(t.pos(from), "overlay-no-match", "", "copy %q matches %d places; want one", from.Value, len(sources))
			return
		}
		// What is copied can itself be one of the places that are changed.
		word, update = "copy", t.clone(sources[0])
	}
	ours := strings.Contains(target, "x-whgen")
	for _, m := range matches {
		if !ours && !compatible(m, update, true) {
			t.report.err(t.pos(lookup(n, word)), "overlay-update", "remove what stands there, and add the new value to what is around it",
				"%s is %s; %s is %s", word, shape(update), target, shape(m))
			return
		}
		t.merge(m, t.clone(update), ours)
	}
}

// compatible says whether a value can be laid over another one: objects over
// objects, lists over lists, scalars over scalars, anything over null. A target
// that is a list also takes an element.
func compatible(n, update *yaml.Node, target bool) bool {
	return n.Kind == update.Kind || isNull(n) || target && n.Kind == yaml.SequenceNode
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && scalarForm(n) == nullForm }

func shape(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a scalar"
}

// merge lays an update over a node in place: objects member by member, a list
// takes the update as further elements, everything else is replaced. Inside
// x-whgen (ours) lists are replaced whole, as everywhere in that vocabulary.
func (t *tree) merge(n, update *yaml.Node, ours bool) {
	switch {
	case n.Kind == yaml.MappingNode && update.Kind == yaml.MappingNode:
		t.mergeMembers(n, update, ours)
	case ours:
		t.replace(n, update)
	case n.Kind == yaml.SequenceNode && update.Kind == yaml.SequenceNode:
		n.Content = append(n.Content, update.Content...)
	case n.Kind == yaml.SequenceNode:
		n.Content = append(n.Content, update)
	default:
		t.replace(n, update)
	}
}

func (t *tree) mergeMembers(n, update *yaml.Node, ours bool) {
	at := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		at[n.Content[i].Value] = i
	}
	for i := 0; i+1 < len(update.Content); i += 2 {
		k, v := update.Content[i], update.Content[i+1]
		j, ok := at[k.Value]
		if !ok {
			at[k.Value] = len(n.Content)
			n.Content = append(n.Content, k, v)
			continue
		}
		old, own := n.Content[j+1], ours || k.Value == "x-whgen"
		switch {
		case old.Kind == v.Kind && v.Kind != yaml.ScalarNode:
			t.merge(old, v, own)
		case own || compatible(old, v, false):
			n.Content[j], n.Content[j+1] = k, v
		case isNull(v):
			t.report.warn(t.pos(k), "overlay-update", "write what shall stand there, or leave the name out", "update of %s is empty; %s of the document stays", k.Value, strings.Replace(shape(old), "an ", "the ", 1))
		default:
			t.report.err(t.pos(v), "overlay-update", "remove what stands there in an action before", "update of %s is %s; the document has %s there", k.Value, shape(v), shape(old))
		}
	}
}

// replace keeps the identity of a matched node, which its parent holds.
func (t *tree) replace(n, update *yaml.Node) {
	s := t.sourceOf(update)
	*n = *update
	if s == t.source {
		delete(t.foreign, n)
		return
	}
	t.foreign[n] = s
}

func (t *tree) remove(matches []*yaml.Node) {
	gone := make(map[*yaml.Node]bool, len(matches))
	for _, m := range matches {
		gone[m] = true
	}
	if gone[t.root] {
		t.root.Content = nil
		return
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		kept := n.Content[:0]
		step := 1
		if n.Kind == yaml.MappingNode {
			step = 2
		}
		for i := 0; i+step-1 < len(n.Content); i += step {
			if v := n.Content[i+step-1]; !gone[v] {
				kept = append(kept, n.Content[i:i+step]...)
				walk(v)
			}
		}
		n.Content = kept
	}
	walk(t.root)
}

// queryTree runs a JSONPath; a panic of the library on odd input is its error.
func queryTree(root *yaml.Node, text string) (found []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			found, err = nil, fmt.Errorf("cannot be evaluated")
		}
	}()
	parsed, err := jsonpath.NewPath(bracketNames(text), config.WithPropertyNameExtension())
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
		return nil, fmt.Errorf("%s", strings.TrimSuffix(first, "."))
	}
	return parsed.Query(root), nil
}

// nearestTarget proposes a member where the path is a plain chain of names.
func (t *tree) nearestTarget(target string) string {
	n := t.root
	for _, name := range strings.Split(strings.TrimPrefix(target, "$."), ".") {
		if i := strings.IndexByte(name, '['); i > 0 {
			name = name[:i]
		}
		next := lookup(n, name)
		if next == nil {
			return didYouMean(name, keysOf(n))
		}
		n = next
	}
	return ""
}

// dotted finds a member named after a dot with a hyphen in it, or a quoted text.
var dotted = regexp.MustCompile(`'[^']*'|"[^"]*"|\.([A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)+)`)

// bracketNames writes $.x-webhooks as $['x-webhooks']: RFC 9535 demands it, and
// overlays in the field do not know.
func bracketNames(text string) string {
	return dotted.ReplaceAllStringFunc(text, func(m string) string {
		if m[0] != '.' {
			return m
		}
		return "['" + m[1:] + "']"
	})
}

func keysOf(n *yaml.Node) []string {
	var names []string
	if n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			names = append(names, n.Content[i].Value)
		}
	}
	return names
}
