package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// entry is one operation of the document that carries x-whgen.
type entry struct {
	name      string // webhooks key, callback key, operationId or last path segment
	at        Pos    // of the key that names it
	method    string
	item      *yaml.Node // path item
	operation *yaml.Node
	body      *body  // nil: it declares none
	policy    *value // x-whgen of path item and operation, merged; `event: text` spelled as {is: text}
}

// bodyMethods are those that carry a delivery in their body; others are not
// generated.
var bodyMethods = []string{"post", "put", "patch", "delete"}

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// entries finds what carries x-whgen, in the document's order, and what a sender
// would deliver but carries none.
func (t *tree) entries() (found []*entry, others []Uncovered) {
	f := &finder{tree: t, seen: map[visited]bool{}, items: map[*yaml.Node]bool{}, named: map[string]*entry{}}
	f.webhooks()
	f.paths()
	f.lone = true
	f.callbacks(lookup(lookup(t.root, "components"), "callbacks"))
	f.refuseRepeats()
	return f.found, f.others
}

// visited is a path item under one name. A callback of components is met at each
// operation that refers to it; its own name counts where none does.
type visited struct {
	name string
	item *yaml.Node
}

type finder struct {
	tree   *tree
	found  []*entry
	others []Uncovered
	ours   bool // paths are the sender's own API unless they carry x-whgen
	seen   map[visited]bool
	items  map[*yaml.Node]bool
	lone   bool // only what has not been met yet
	named  map[string]*entry
}

func (f *finder) webhooks() {
	for _, container := range []string{"webhooks", "x-webhooks"} {
		n := lookup(f.tree.root, container)
		if n == nil {
			continue
		}
		if n.Kind == yaml.SequenceNode {
			f.webhookList(n)
			continue
		}
		f.webhookMap(n)
	}
}

// webhookMap reads name -> path item, and name -> operation, which some
// documents write under x-webhooks.
func (f *finder) webhookMap(n *yaml.Node) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		k, item := n.Content[i], f.tree.derefItem(n.Content[i+1])
		if isOperation(item) {
			if lookup(item, "x-whgen") == nil {
				f.others = append(f.others, Uncovered{Name: k.Value, Pos: f.tree.pos(k)})
			}
			f.add(k.Value, f.tree.pos(k), "post", nil, item)
			continue
		}
		f.item(k, item, func(*yaml.Node, string) string { return k.Value })
	}
}

// webhookList reads [{name: path item}, ...] and [{name: x, post: ...}, ...].
func (f *finder) webhookList(n *yaml.Node) {
	for _, item := range n.Content {
		if name := lookup(item, "name"); name != nil && name.Kind == yaml.ScalarNode {
			f.item(name, item, func(*yaml.Node, string) string { return name.Value })
			continue
		}
		f.webhookMap(item)
	}
}

func isOperation(n *yaml.Node) bool {
	if lookup(n, "requestBody") == nil && lookup(n, "operationId") == nil {
		return false
	}
	for _, m := range methods {
		if lookup(n, m) != nil {
			return false
		}
	}
	return true
}

func (f *finder) paths() {
	n := lookup(f.tree.root, "paths")
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		f.ours = true
		f.item(k, f.tree.derefItem(n.Content[i+1]), func(op *yaml.Node, _ string) string {
			if id := lookup(op, "operationId"); id != nil && id.Value != "" {
				return id.Value
			}
			return lastSegment(k.Value)
		})
	}
}

// lastSegment is the last part of a path that is no parameter.
func lastSegment(path string) string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i := len(segments) - 1; i >= 0; i-- {
		if !strings.HasPrefix(segments[i], "{") && segments[i] != "" {
			return segments[i]
		}
	}
	return "root"
}

// callbacks reads name -> expression -> path item.
func (f *finder) callbacks(n *yaml.Node) {
	defer func(before bool) { f.ours = before }(f.ours)
	f.ours = false
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		k, callback := n.Content[i], f.tree.deref(n.Content[i+1])
		for j := 0; callback != nil && callback.Kind == yaml.MappingNode && j+1 < len(callback.Content); j += 2 {
			if strings.HasPrefix(callback.Content[j].Value, "x-") {
				continue
			}
			f.item(k, f.tree.derefItem(callback.Content[j+1]), func(*yaml.Node, string) string { return k.Value })
		}
	}
}

// item reads the operations of one path item.
func (f *finder) item(k, item *yaml.Node, name func(op *yaml.Node, method string) string) {
	if item == nil || item.Kind != yaml.MappingNode || f.seen[visited{k.Value, item}] || f.lone && f.items[item] {
		return
	}
	if !f.items[item] {
		f.tree.slips(item)
		for _, m := range methods {
			f.tree.slips(lookup(item, m))
		}
	}
	f.seen[visited{k.Value, item}], f.items[item] = true, true
	marked := lookup(item, "x-whgen") != nil
	var ops []string
	for _, m := range methods {
		if op := lookup(item, m); op != nil && op.Kind == yaml.MappingNode {
			f.callbacks(lookup(op, "callbacks"))
			switch {
			case marked || lookup(op, "x-whgen") != nil:
				ops = append(ops, m)
			case !f.ours:
				f.others = append(f.others, Uncovered{Name: name(op, m), Pos: f.tree.pos(k)})
			}
		}
	}
	if marked && len(ops) > 1 {
		if lookup(item, "post") != nil {
			ops = []string{"post"}
		} else {
			f.tree.report.err(f.tree.pos(k), "entry", "write x-whgen on the operation", "path item %q carries x-whgen and has several operations: %s", k.Value, list(ops, "and"))
		}
	}
	if marked && len(ops) == 0 {
		f.tree.report.err(f.tree.pos(k), "entry", "", "path item %q carries x-whgen, but has no operation", k.Value)
	}
	for _, m := range ops {
		op := lookup(item, m)
		f.add(name(op, m), f.tree.pos(k), m, item, op)
	}
}

func (f *finder) add(name string, at Pos, method string, item, op *yaml.Node) {
	if lookup(item, "x-whgen") == nil && lookup(op, "x-whgen") == nil {
		return
	}
	e := &entry{name: name, at: at, method: method, item: item, operation: op}
	for _, n := range []*yaml.Node{item, op} {
		k, v := lookupPair(n, "x-whgen")
		if v == nil {
			continue
		}
		policy := f.tree.valueOf(v, f.tree.pos(k))
		f.tree.report.checkLevel(policy, atEntry)
		if policy.form == mapForm {
			e.policy = mergeValues(&key{keys: rootKeys}, e.policy, normalEvent(policy))
		}
	}
	if e.policy == nil {
		k, _ := lookupPair(op, "x-whgen")
		if k == nil {
			k, _ = lookupPair(item, "x-whgen")
		}
		e.policy = &value{form: mapForm, at: f.tree.pos(k)}
	}
	if !contains(bodyMethods, method) {
		f.tree.report.later(at, "entry %q: method %s", name, strings.ToUpper(method))
	}
	f.found = append(f.found, e)
}

// slips reports extensions whose name is nearly ours: with the typo, an entry
// would be none of the receiver's, and its events would be dropped.
func (t *tree) slips(n *yaml.Node) {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		name := strings.ToLower(k.Value)
		if k.Value != "x-whgen" && strings.HasPrefix(name, "x-") && distance(name, "x-whgen") <= 2 {
			t.report.err(t.pos(k), "unknown-key", `did you mean "x-whgen"?`, "%q is no key of the contract, and what stands under it would not count", k.Value)
		}
	}
}

// normalEvent spells `event: order.paid` as `event: {is: order.paid}`.
func normalEvent(policy *value) *value {
	event := policy.get("event")
	if event == nil || event.form == mapForm || event.form == nullForm {
		return policy
	}
	is := &value{at: event.at, form: mapForm, fields: []field{{"is", policy.keyPos("event"), event}}}
	return policy.with("event", is)
}

// refuseRepeats reports names and operationIds that two entries share.
func (f *finder) refuseRepeats() {
	ids := map[string]*entry{}
	for _, e := range f.found {
		if first, ok := f.named[e.name]; ok {
			f.tree.report.err(e.at, "entry-repeated", "leave x-whgen on one of them", "two entries are named %q; the other stands at %s", e.name, first.at)
		}
		f.named[e.name] = e
		id := lookup(e.operation, "operationId")
		if id == nil || id.Value == "" {
			continue
		}
		if first, ok := ids[id.Value]; ok {
			f.tree.report.err(f.tree.pos(id), "operation-id", "", "operationId %q stands on two entries, %q and %q", id.Value, first.name, e.name)
			continue
		}
		ids[id.Value] = e
	}
}

// derefItem follows the $ref of a path item and keeps an x-whgen beside it.
func (t *tree) derefItem(n *yaml.Node) *yaml.Node {
	target := t.deref(n)
	k, policy := lookupPair(n, "x-whgen")
	if target == nil || target == n || policy == nil || target.Kind != yaml.MappingNode {
		return target
	}
	c := *target
	c.Content = []*yaml.Node{k, policy}
	for i := 0; i+1 < len(target.Content); i += 2 {
		if target.Content[i].Value != "x-whgen" {
			c.Content = append(c.Content, target.Content[i], target.Content[i+1])
		}
	}
	if s, ok := t.foreign[target]; ok {
		t.foreign[&c] = s
	}
	return &c
}

// deref follows $refs to the node that they name; nil where that is missing
// or a circle.
func (t *tree) deref(n *yaml.Node) *yaml.Node {
	target, _ := t.follow(n)
	return target
}

// circular reports whether a node is nothing but a chain of references that
// comes back to itself.
func (t *tree) circular(n *yaml.Node) bool {
	_, circle := t.follow(n)
	return circle
}

func (t *tree) follow(n *yaml.Node) (target *yaml.Node, circle bool) {
	var seen map[*yaml.Node]bool
	for steps := 0; n != nil; steps++ {
		ref := lookup(n, "$ref")
		if ref == nil || ref.Kind != yaml.ScalarNode {
			return n, false
		}
		if seen[n] {
			return nil, true
		}
		if steps > 8 && seen == nil {
			seen = map[*yaml.Node]bool{}
		}
		if seen != nil {
			seen[n] = true
		}
		n = t.resolve(ref.Value, n)
	}
	return nil, false
}
