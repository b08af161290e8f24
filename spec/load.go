package spec

import (
	"sort"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"gopkg.in/yaml.v3"
)

// ReadFile reads a file by its path from the folder of whgen.yaml, with
// forward slashes.
type ReadFile func(path string) ([]byte, error)

// LoadFile reads one contract without a whgen.yaml, as `whgen lint FILE` does.
func LoadFile(contract string, read ReadFile) (*Contract, Diagnostics) {
	return Load(Receiver{Contract: contract, Engine: "postgres", Driver: "pgx", Migrations: "goose", ScaffoldHandler: true}, read)
}

// Load reads a receiver's contract with its overlays and checks everything.
// The Contract is nil when one of the diagnostics is an Error; warnings and
// information come beside it. Diagnostics are sorted, and each has a position
// in a file that read was asked for. Load only reads, and is safe to call from
// several goroutines when read is.
func Load(receiver Receiver, read ReadFile) (*Contract, Diagnostics) {
	r := &report{}
	c := loadContract(receiver, read, r)
	r.found.Sort()
	if r.found.HasErrors() {
		return nil, r.found
	}
	return c, r.found
}

func loadContract(receiver Receiver, read ReadFile, r *report) *Contract {
	t := readTree(receiver, read, r)
	if t == nil || !t.openapi() {
		return nil
	}
	t.slips(t.root)
	l := &loader{counters: map[Pos]bool{}, report: r, tree: t, receiver: receiver, schemas: map[string]*yaml.Node{}}
	l.rootPolicy()
	l.entries, l.others = t.entries()
	if len(l.entries) == 0 {
		r.err(t.source.start(), "no-entries", `write "x-whgen: {}" on the webhook, callback or path operation that the sender calls; an overlay may do it`, "no operation carries x-whgen, so there is nothing to receive")
	}
	if l.root == nil || len(l.entries) == 0 {
		return nil
	}
	return l.contract()
}

// readTree reads the document and lays the overlays over it.
func readTree(receiver Receiver, read ReadFile, r *report) *tree {
	text, err := read(receiver.Contract)
	if err != nil {
		r.err(filePos(receiver.Pos, receiver.Contract), "file", "", "cannot read contract %s: %v", receiver.Contract, reason(err))
		return nil
	}
	s, root := readSource(receiver.Contract, text, r)
	if root == nil {
		return nil
	}
	t := &tree{root: root, source: s, foreign: map[*yaml.Node]*source{}, files: map[string]*yaml.Node{}, read: read, report: r}
	for _, name := range receiver.Overlays {
		text, err := read(name)
		if err != nil {
			r.err(filePos(receiver.Pos, name), "file", "", "cannot read overlay %s: %v", name, reason(err))
			continue
		}
		t.overlay(name, text)
	}
	return t
}

// filePos is the whgen.yaml entry that names a file, else the file.
func filePos(at Pos, name string) Pos {
	if at.File == "" {
		return Pos{File: name}
	}
	return at
}

// reason is an error without the path in front, which the message has.
func reason(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		return text[i+2:]
	}
	return text
}

// openapi checks that the document is one that can be read at all.
func (t *tree) openapi() bool {
	if t.root.Kind != yaml.MappingNode {
		t.report.err(t.source.start(), "document", "", "the file is no OpenAPI document: want a map at its top")
		return false
	}
	v := lookup(t.root, "openapi")
	switch {
	case v == nil && lookup(t.root, "swagger") != nil:
		t.report.err(t.pos(lookup(t.root, "swagger")), "openapi-version", "convert it to OpenAPI 3", "the document is Swagger 2; want OpenAPI 3.0, 3.1 or 3.2")
	case v == nil && lookup(t.root, "overlay") != nil:
		t.report.err(t.source.start(), "openapi-version", "name it under overlays of a receiver in whgen.yaml", "the file is an overlay, not a contract")
	case v == nil || v.Kind != yaml.ScalarNode:
		t.report.err(t.source.start(), "openapi-version", `begin it with "openapi: 3.1.0"`, "the file is no OpenAPI document: it has no version at openapi")
	case !strings.HasPrefix(v.Value, "3.0") && !strings.HasPrefix(v.Value, "3.1") && !strings.HasPrefix(v.Value, "3.2"):
		t.report.err(t.pos(v), "openapi-version", "", "OpenAPI version %q is not known; want 3.0, 3.1 or 3.2", v.Value)
	default:
		return true
	}
	return false
}

// loader puts the contract together.
type loader struct {
	*report
	tree     *tree
	receiver Receiver
	root     *value // preset and root merged; nil without a root x-whgen
	written  *value // the root as the user wrote it
	rootAt   Pos
	source   string
	entries  []*entry
	others   []Uncovered           // entries without x-whgen
	schemas  map[string]*yaml.Node // of events that name their own, by webhook name in the cut document
	document *openapi3.T
	badKeys  map[string]bool
	counters map[Pos]bool // members of sender.volatile: whether some event has it

	paramNames  map[string]string // params: name to setting
	paramMissed map[string]bool   // those that were said to be missing
	publicURL   string
	urlMissed   bool
	usedNames   map[Pos]bool // lists of secrets and keys that some scheme is checked with
	namesSeen   map[Pos]bool
	namesNoted  []notedNames
}

// rootPolicy reads the x-whgen at the top of the document.
func (l *loader) rootPolicy() {
	k, n := lookupPair(l.tree.root, "x-whgen")
	if n == nil {
		l.err(l.tree.source.start(), "no-root", "write x-whgen with version: 1, source, signature and outcomes at the top of the document, or have an overlay do it", "the document has no x-whgen at its root")
		return
	}
	l.rootAt = l.tree.pos(k)
	v := l.tree.valueOf(n, l.rootAt)
	l.checkLevel(v, atRoot)
	if !v.is(mapForm) {
		return
	}
	l.written = eventMap(v)
	l.root = l.withPresets(nil, l.written)
	l.version(v)
	l.sourceName(v)
}

// eventMap drops an `event` that is no map, where only a map means something;
// the check has reported it.
func eventMap(v *value) *value {
	if v.get("event").is(scalarForms | listForm) {
		return v.with("event", nil)
	}
	return v
}

func (l *loader) version(v *value) {
	n := v.get("version")
	switch {
	case n == nil:
		l.err(l.rootAt, "version", "write version: 1", "x-whgen has no version")
	case n.text != "1":
		l.err(n.at, "version", "write version: 1", "x-whgen version %s is not known", n.text)
	}
}

func (l *loader) sourceName(v *value) {
	n := v.get("source")
	l.source = l.receiver.Source
	switch {
	case l.source != "":
	case n == nil:
		l.err(l.rootAt, "source", "write source: shop; it names tables, metrics and idempotency keys", "x-whgen has no source")
		l.source = "source"
	case !n.is(textForm):
		l.source = "source"
	default:
		l.source = n.text
	}
	if !sourceName.MatchString(l.source) || len(l.source) > 32 {
		at := l.receiver.Pos
		if l.receiver.Source == "" && n != nil {
			at = n.at
		}
		l.err(at, "source", "", "source %q: a source is of the form [a-z][a-z0-9_]*, at most 32 characters", l.source)
		l.source = "source"
	}
}

// contract reads the endpoints and events.
func (l *loader) contract() *Contract {
	c := &Contract{Pos: l.rootAt, Source: l.source, Receiver: l.receiver}
	if p := l.root.get("preset"); p.is(textForm) {
		c.Preset = p.text
	}
	c.Refined = l.refinements(l.written)
	c.Downstreams = l.downstreams(l.root.get("downstreams"))
	l.params()
	c.Params, c.PublicURL = l.paramNames, l.publicURL
	l.tenant(l.root.get("tenant"), c)
	c.Settings = settings(c)
	l.keyFindings(c)
	plans := l.planEvents()
	text, lines := l.tree.cut(l.entries, l.schemas)
	if l.document = l.tree.loadCut(text, lines); l.document == nil {
		return nil
	}
	c.Document = l.document
	if info := l.document.Info; info != nil {
		c.Title, c.Description = info.Title, info.Description
	}
	l.usedNames, l.namesSeen = map[Pos]bool{}, map[Pos]bool{}
	scopes := l.scopes(c)
	l.unusedNames()
	l.checkTenants(c, scopes)
	l.events(c, plans, scopes)
	c.Uncovered = l.uncovered(l.others, plans)
	sort.SliceStable(c.Uncovered, func(i, j int) bool { return c.Uncovered[i].Name < c.Uncovered[j].Name })
	l.finish(c, scopes)
	l.challenges(c, scopes)
	return c
}

// keyFindings notes the downstreams whose key was declared and refused, so
// that their effects are not said to lack one.
func (l *loader) keyFindings(c *Contract) {
	l.badKeys = map[string]bool{}
	for _, d := range c.Downstreams {
		if d.Key == nil && l.root.get("downstreams", d.Name, "key") != nil {
			l.badKeys[d.Name] = true
		}
	}
}
