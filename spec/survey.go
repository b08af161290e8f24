package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// Survey is what a document tells about deliveries before anybody has written
// a policy for it: the ground of a proposal. Nothing in it is checked.
type Survey struct {
	File       string
	OpenAPI    string
	Title      string
	Texts      []string // description, contact, servers: what may name the sender
	Servers    []string // hosts
	Contacts   []string // hosts of contact and terms
	Operations []*Operation
	Headers    []string // names of headers declared anywhere in the document
	Schemas    []*SchemaFacts
	Marked     bool   // it carries x-whgen already
	Signed     string // the extension that says how deliveries are signed and stands in for signature, "" without
}

// Operation is one that could be received.
type Operation struct {
	Pos           Pos
	Container     string // webhooks, x-webhooks, callbacks, paths
	Name          string // of the entry that it would be
	ID            string // operationId
	Target        string // JSONPath for an overlay; "" where no overlay can reach it
	Method        string // in lower case
	Headers       []string
	Media         []string
	Statuses      []string // declared answers
	Security      []Security
	Body          bool // it declares a body
	Members       []Member
	Discriminator *Discriminator // of the whole body
	Example       []byte         // JSON text of an example of the body, nil without
}

// Security is an authentication that an operation declares.
type Security struct{ Type, Scheme, In, Name string }

// SchemaFacts are the members of a component.
type SchemaFacts struct {
	Name    string
	Ref     string // such as #/components/schemas/Event
	Members []Member
}

// Member is one value that a body may have, where a schema lists it.
type Member struct {
	Pointer       string // "*" stands for every element
	Kinds         []string
	Fixed         []string // texts that const, enum or a oneOf of const allow
	Required      bool     // on the whole way
	Format        string
	Discriminator *Discriminator // of an object
}

// Discriminator tells which schema an object has.
type Discriminator struct {
	Member string   // the name of the property
	Values []string // of the mapping, in the document's order
}

// Look reads a document without a policy. The Survey is nil when it cannot be
// read at all; the diagnostics say why.
func Look(contract string, read ReadFile) (*Survey, Diagnostics) {
	r := &report{}
	t := readTree(Receiver{Contract: contract}, read, r)
	if t == nil || !t.openapi() || r.found.HasErrors() {
		r.found.Sort()
		return nil, r.found
	}
	s := &surveyor{tree: t, out: &Survey{File: contract, OpenAPI: textAt(t.root, "openapi")}}
	s.about()
	s.operations()
	s.components()
	_, s.out.Marked = s.marked(t.root, 0)
	return s.out, r.found
}

type surveyor struct {
	tree *tree
	out  *Survey
}

func textAt(n *yaml.Node, names ...string) string {
	for _, name := range names {
		n = lookup(n, name)
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

func (s *surveyor) about() {
	s.signed(s.tree.root, fernName)
	s.signed(s.tree.root, speakeasyName)
	info := lookup(s.tree.root, "info")
	s.out.Title = textAt(info, "title")
	contact := lookup(info, "contact")
	s.out.Texts = append(s.out.Texts, textAt(info, "description"), textAt(contact, "name"))
	for _, address := range []string{textAt(contact, "url"), textAt(contact, "email"), textAt(info, "termsOfService")} {
		addHost(&s.out.Contacts, address)
	}
	for _, n := range contentOf(lookup(s.tree.root, "servers")) {
		addHost(&s.out.Servers, textAt(n, "url"))
	}
}

// signed notes an extension that says how deliveries are signed.
func (s *surveyor) signed(n *yaml.Node, name string) {
	if v := lookup(n, name); v != nil && v.Kind == yaml.MappingNode && s.out.Signed == "" {
		s.out.Signed = name
	}
}

// addHost keeps the host of an address, or the domain of an e-mail address.
func addHost(all *[]string, address string) {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	if _, domain, ok := strings.Cut(address, "@"); ok {
		address = domain
	}
	host, _, _ := strings.Cut(address, "/")
	host, _, _ = strings.Cut(host, ":")
	if strings.Contains(host, ".") && !contains(*all, host) {
		*all = append(*all, strings.ToLower(host))
	}
}

// marked reports whether x-whgen stands anywhere where it could count.
func (s *surveyor) marked(n *yaml.Node, depth int) (*yaml.Node, bool) {
	if n == nil || depth > 8 {
		return nil, false
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if child.Value == "x-whgen" {
				return child, true
			}
			continue
		}
		if found, ok := s.marked(child, depth+1); ok {
			return found, true
		}
	}
	return nil, false
}

// components lists the headers that are declared for all, and the schemas.
func (s *surveyor) components() {
	all := lookup(s.tree.root, "components")
	for _, name := range keysOf(lookup(all, "headers")) {
		s.header(name)
	}
	if parameters := lookup(all, "parameters"); parameters != nil && parameters.Kind == yaml.MappingNode {
		for i := 1; i < len(parameters.Content); i += 2 {
			if p := s.tree.deref(parameters.Content[i]); textAt(p, "in") == "header" {
				s.header(textAt(p, "name"))
			}
		}
	}
	schemas := lookup(all, "schemas")
	for _, name := range keysOf(schemas) {
		ref := "#/components/schemas/" + escapeToken(name)
		s.out.Schemas = append(s.out.Schemas, &SchemaFacts{Name: name, Ref: ref, Members: s.members(lookup(schemas, name), 1)})
	}
}

func (s *surveyor) header(name string) {
	for _, known := range s.out.Headers {
		if strings.EqualFold(known, name) {
			return
		}
	}
	s.out.Headers = append(s.out.Headers, name)
}
