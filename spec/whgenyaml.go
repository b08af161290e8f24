package spec

import (
	"go/token"
	"path"
	"strings"

	"golang.org/x/mod/module"
	"gopkg.in/yaml.v3"
)

// receiverKeys are the keys of a receiver, and of defaults.
var receiverKeys = keys{
	"contract": aText, "overlays": textList, "source": aText, "out": aText, "package": aText, "engine": aText, "driver": aText,
	"tablePrefix": aText, "migrations": aText, "models": {takes: mapForm, want: "a map", keys: keys{"import": aText, "types": {takes: mapForm, want: "a map of event or schema to type", of: aText}}},
	"scaffold": {takes: mapForm | booleanForm, want: "a map", keys: keys{"main": {takes: textForm | booleanForm, want: "a folder, or false"}, "handler": aSwitch}},
}

var configKeys = keys{
	"version":   aNumber,
	"defaults":  {takes: mapForm, want: "a map", keys: receiverKeys},
	"receivers": {takes: listForm, want: "a list of receivers", of: &key{takes: mapForm, want: "a receiver", keys: receiverKeys}},
}

// LoadConfig reads a whgen.yaml. Paths in it are from its own folder, and come
// out relative to that folder, so read must start there. The Config is nil
// when a diagnostic is an Error.
func LoadConfig(name string, read ReadFile) (*Config, Diagnostics) {
	r := &report{}
	c := r.config(name, read)
	r.found.Sort()
	if r.found.HasErrors() {
		return nil, r.found
	}
	return c, r.found
}

func (r *report) config(name string, read ReadFile) *Config {
	text, err := read(name)
	if err != nil {
		r.err(Pos{File: name}, "file", "write one, or run whgen init", "cannot read %s: %v", name, reason(err))
		return nil
	}
	s, root := readSource(name, text, r)
	if root == nil {
		return nil
	}
	t := &tree{root: root, source: s, foreign: map[*yaml.Node]*source{}, files: map[string]*yaml.Node{}, report: r}
	v := t.valueOf(root, s.start())
	if !v.is(mapForm) {
		r.err(s.start(), "wrong-type", "", "%s: want a map, got %s", name, v.form)
		return nil
	}
	r.checkMembers("", v, configKeys, 0)
	if n := v.get("version"); n == nil || n.text != "1" {
		r.err(versionPos(n, s), "version", "write version: 1", "%s: want version 1", name)
	}
	c := &Config{Path: name}
	for _, item := range v.get("receivers").each() {
		if item.is(mapForm) {
			c.Receivers = append(c.Receivers, r.receiver(mergeValues(&key{keys: receiverKeys}, v.get("defaults"), item), item.at))
		}
	}
	if len(c.Receivers) == 0 && !r.found.HasErrors() {
		r.err(s.start(), "no-receivers", "write receivers: [{contract: contracts/shop.openapi.yaml}]", "%s names no receivers", name)
	}
	r.repeatedReceivers(c.Receivers)
	return c
}

func versionPos(n *value, s *source) Pos {
	if n == nil {
		return s.start()
	}
	return n.at
}

func (r *report) receiver(v *value, at Pos) Receiver {
	c := Receiver{Pos: at, Engine: "postgres", Driver: "pgx", Migrations: "goose", ScaffoldHandler: true}
	c.Contract = r.path(v.get("contract"), "contract")
	if v.get("contract") == nil {
		r.err(at, "receiver", "write contract: contracts/shop.openapi.yaml", "the receiver names no contract")
	}
	for _, o := range v.get("overlays").each() {
		c.Overlays = append(c.Overlays, r.path(o, "overlays"))
	}
	c.Out = r.path(v.get("out"), "out")
	c.Source = r.pattern(v.get("source"), sourceName.MatchString, "source", "[a-z][a-z0-9_]*")
	c.Package = r.pattern(v.get("package"), func(s string) bool { return sourceName.MatchString(s) && !token.IsKeyword(s) }, "package", "[a-z][a-z0-9_]*, and no keyword of Go")
	if n := v.get("tablePrefix"); n != nil {
		c.PrefixSet = true
		c.TablePrefix = r.pattern(n, func(s string) bool { return s == "" || sourceName.MatchString(s) }, "tablePrefix", "[a-z][a-z0-9_]*")
	}
	if word := r.word(v.get("engine"), "engine", []string{"postgres", "sqlite"}, []string{"mysql", "mariadb"}); word != "" {
		c.Engine = word
	}
	if word := r.word(v.get("migrations"), "migrations", []string{"goose"}, []string{"golang-migrate", "plain"}); word != "" {
		c.Migrations = word
	}
	c.Models = r.models(v.get("models"))
	r.driver(v.get("driver"), &c)
	r.scaffold(v.get("scaffold"), &c)
	return c
}

// models reads {import: example.com/app/models, types: {orderPaid: OrderPaid}}.
func (r *report) models(v *value) Models {
	types := v.get("types")
	if !v.is(mapForm) || len(v.fields) == 0 {
		return Models{}
	}
	m := Models{Pos: v.at}
	switch where := v.get("import"); {
	case where == nil:
		r.err(v.at, "models", "write import: example.com/app/models", "models: want import, the path of the package that has the types")
	case where.is(textForm) && module.CheckImportPath(where.text) != nil:
		r.err(where.at, "models", "write import: example.com/app/models", "models: %q is no import path", where.text)
	default:
		m.Import = where.text
	}
	if types == nil {
		r.err(v.at, "models", "write types: {orderPaid: OrderPaid}", "models: want types, by the name of an event or a schema")
	}
	for _, name := range types.names() {
		f := types.field(name)
		if f.value.is(textForm) && !(token.IsIdentifier(f.value.text) && token.IsExported(f.value.text)) {
			r.err(f.value.at, "models", "write the name of an exported type, such as "+camelType(name), "models: %q is no type of another package", f.value.text)
			continue
		}
		m.Types = append(m.Types, Model{Pos: f.at, Name: name, Type: f.value.text})
	}
	return m
}

func camelType(name string) string {
	word := camel(name, "order")
	return strings.ToUpper(word[:1]) + word[1:]
}

func (r *report) driver(v *value, c *Receiver) {
	word := r.word(v, "driver", []string{"pgx", "database/sql"}, nil)
	if word != "" {
		c.Driver = word
	}
	if c.Engine != "sqlite" {
		return
	}
	c.Driver = ""
	if word == "pgx" {
		r.err(v.at, "driver", "leave driver out", "driver pgx is for postgres")
	}
}

func (r *report) scaffold(v *value, c *Receiver) {
	if v.is(booleanForm) && !isTrue(v) {
		c.ScaffoldMain, c.ScaffoldHandler = "-", false
		return
	}
	if n := v.get("main"); n.is(booleanForm) {
		if !isTrue(n) {
			c.ScaffoldMain = "-"
		}
	} else if n.is(textForm) && n.text == "-" {
		c.ScaffoldMain = "-"
	} else {
		c.ScaffoldMain = r.path(n, "scaffold.main")
	}
	if n := v.get("handler"); n.is(booleanForm) {
		c.ScaffoldHandler = isTrue(n)
	}
}

// readOnly are the keys whose files may stand outside the project's folder:
// they are read, never written.
var readOnly = []string{"contract", "overlays"}

// path reads a path from the folder of whgen.yaml.
func (r *report) path(v *value, name string) string {
	if !v.is(scalarForms) {
		return ""
	}
	p := path.Clean(strings.ReplaceAll(v.text, `\`, "/"))
	outside := strings.HasPrefix(p, "../") && !contains(readOnly, name)
	if v.text == "" || path.IsAbs(p) || outside || p == ".." || strings.Contains(p, ":") {
		r.err(v.at, "path", "write a path from the folder of whgen.yaml", "%q: %q leads out of the project", name, v.text)
		return ""
	}
	return p
}

func (r *report) pattern(v *value, ok func(string) bool, name, want string) string {
	if !v.is(scalarForms) {
		return ""
	}
	if !ok(v.text) {
		r.err(v.at, "name", "", "%s %q: want %s", name, v.text, want)
		return ""
	}
	return v.text
}

// repeatedReceivers refuses two receivers that write into one folder.
func (r *report) repeatedReceivers(all []Receiver) {
	for i, c := range all {
		for _, o := range all[:i] {
			switch {
			case c.Out != "" && c.Out == o.Out:
				r.err(c.Pos, "receiver-repeated", "", "two receivers write to %s", c.Out)
			case c.Out == "" && o.Out == "" && c.Source != "" && c.Source == o.Source:
				r.err(c.Pos, "receiver-repeated", "give one of them another out", "two receivers have the source %q and write to one folder", c.Source)
			}
		}
	}
}
