package spec

import (
	"regexp"
	"strings"
)

var sqlName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)

// effectKinds are the keys that make an effect what it is.
var effectKinds = []string{"record", "call", "http", "remove", "publish"}

// effectMembers are the keys that mean something for each kind.
var effectMembers = map[EffectKind][]string{
	EffectRecord: {"record", "columns", "unique", "onConflict", "each", "managed", "when", "after"},
	EffectCall:   {"call", "to", "payload", "enqueue", "when", "retry", "timeout", "key", "after", "lookup"},
	EffectHTTP:   {"http", "to", "payload", "enqueue", "when", "retry", "timeout", "key", "after", "lookup"},
}

func (w *work) effects(v *value) {
	for _, f := range v.fieldsOf() {
		if !f.value.is(mapForm) || !w.goodName(f, "effect") {
			continue
		}
		if e := w.effect(f); e != nil {
			w.event.Effects = append(w.event.Effects, e)
		}
	}
}

func (w *work) effect(f field) *Effect {
	kind := w.effectKind(f)
	if kind == "" {
		return nil
	}
	e := &Effect{Pos: f.at, Name: f.name, Event: w.event.Name, Kind: kind}
	w.effectUse(f, kind)
	e.When = w.conditions(f.value.get("when"), "effect "+f.name+", when", inDelivery)
	for i := range e.When {
		w.hold(&e.When[i].From, "when", true)
	}
	w.sure = e.When
	if kind == EffectRecord {
		w.record(f, e)
	} else {
		w.outbox(f, e)
	}
	w.sure = nil
	return e
}

// effectKind is the one kind that an effect declares.
func (w *work) effectKind(f field) EffectKind {
	var kinds []string
	for _, k := range effectKinds {
		if n := f.value.get(k); n != nil && !(n.is(booleanForm) && !isTrue(n)) {
			kinds = append(kinds, k)
		}
	}
	switch {
	case len(kinds) == 0:
		w.err(f.at, "effect-kind", "write record: table, call: true or http: POST /path", "effect %q does not say what it does", f.name)
		return ""
	case len(kinds) > 1:
		w.err(f.at, "effect-kind", "make two effects of it", "effect %q is %s at once", f.name, list(kinds, "and"))
		return ""
	}
	switch kinds[0] {
	case "remove", "publish":
		return ""
	}
	return EffectKind(kinds[0])
}

// effectUse refuses keys that mean nothing for the kind.
func (w *work) effectUse(f field, kind EffectKind) {
	for _, m := range f.value.fields {
		if effectKeys[m.name] == nil || contains(effectMembers[kind], m.name) || contains(effectKinds, m.name) {
			continue
		}
		if effectKeys[m.name].later {
			continue
		}
		w.err(m.at, "effect-member", "", "effect %q: %q means nothing for a %s effect", f.name, m.name, kind)
	}
}

func (w *work) record(f field, e *Effect) {
	v := f.value
	e.Table = textOf(v.get("record"))
	w.sqlName(v.get("record"), "table")
	if m := v.get("managed"); m != nil && !isTrue(m) {
		w.later(m.at, "effect %q: managed: false", f.name)
	}
	columns := v.get("columns")
	if len(columns.fieldsOf()) == 0 {
		w.err(f.at, "effect-columns", "write columns: {order_id: /data/id}", "effect %q has no columns", f.name)
	}
	for _, c := range columns.fieldsOf() {
		if column := w.column(c, e); column != nil {
			e.Columns = append(e.Columns, *column)
		}
	}
	w.unique(f, e)
}

func (w *work) sqlName(v *value, what string) bool {
	if v == nil {
		return false
	}
	return w.sqlNameAt(v.text, v.at, what)
}

func (r *report) sqlNameAt(text string, at Pos, what string) bool {
	if !sqlName.MatchString(text) {
		r.err(at, "sql-name", "", "%s %q: a name is of the form [a-z][a-z0-9_]*, at most 48 characters", what, text)
		return false
	}
	return true
}

// ownColumns stand in every table of a record effect.
var ownColumns = []string{"event_key", "effect", "element"}

func (w *work) column(f field, e *Effect) *Column {
	if !w.sqlNameAt(f.name, f.at, "column") {
		return nil
	}
	if contains(ownColumns, f.name) {
		w.err(f.at, "sql-name", "take another name", "column %q: whgen's own column has this name", f.name)
		return nil
	}
	p := place{"column " + f.name, inDelivery}
	t := w.selectorOrTemplate(f.value, p)
	if t == nil {
		return nil
	}
	for i := range t.Parts {
		if s := t.Parts[i].Selector; s != nil {
			w.hold(s, "column "+f.name, true)
		}
	}
	c := &Column{Pos: f.value.at, Name: f.name, From: t}
	if s := t.only(); s != nil {
		c.Nullable = s.Optional && s.Default == nil
	}
	w.columnType(f, c)
	if c.Type == "" {
		return nil
	}
	return c
}

// only is the selector of a template that is nothing else.
func (t *Template) only() *Selector {
	if t == nil || len(t.Parts) != 1 {
		return nil
	}
	return t.Parts[0].Selector
}

var columnTypes = []string{"text", "integer", "numeric", "boolean", "timestamp", "date", "json", "bytes"}

func (w *work) columnType(f field, c *Column) {
	if n := f.value.get("type"); n != nil {
		c.Type = w.word(n, "columns."+f.name+".type", columnTypes, nil)
	} else {
		c.Type = w.inferred(f, c.From)
	}
	n := f.value.get("format")
	if n == nil {
		return
	}
	c.Format = w.word(n, "columns."+f.name+".format", []string{"unix", "unix_ms", "assumeUTC"}, nil)
	if c.Type != "" && c.Type != "timestamp" {
		w.err(n.at, "column-format", "write type: timestamp", "column %q: format belongs to type timestamp, not %s", f.name, c.Type)
	}
}

// inferred is the type of a column that declares none: after the schema.
func (w *work) inferred(f field, t *Template) string {
	s := t.only()
	if s == nil || s.Kind != SelectBody && (s.Kind != SelectForm || s.Schema == nil) {
		if s == nil {
			w.composite("column "+f.name, f.value.at, t)
		}
		return "text"
	}
	types := scalarTypes(s.Schema)
	if len(types) == 0 {
		if w.event.textual() {
			return "text"
		}
		if tokens, _ := splitPointer(s.Pointer); w.event.Schema != nil && reach(w.event.Schema, tokens).missing != "" && !s.Undeclared {
			return "" // the pointer itself has been reported
		}
		w.err(f.value.at, "column-type", "write {from: "+s.yamlText()+", type: text}", "column %q: neither the schema nor the contract gives a type for %q", f.name, s.Pointer)
		return ""
	}
	if name := columnTypeOf(types, schemaFormat(s)); name != "" {
		return name
	}
	w.err(f.value.at, "column-type", "write {from: "+s.yamlText()+", type: text} or another type", "column %q: %q is %s by the schema", f.name, s.Text(), describe(s.Schema))
	return ""
}

// composite refuses objects in the text of a template.
func (w *work) composite(what string, at Pos, t *Template) {
	for _, p := range t.Parts {
		if p.Selector == nil || p.Selector.Schema == nil {
			continue
		}
		for _, kind := range scalarTypes(p.Selector.Schema) {
			if kind == "object" || kind == "array" {
				w.err(at, "template-scalar", "", "%s: %q is %s; a template wants values", what, p.Selector.Text(), describe(p.Selector.Schema))
				return
			}
		}
	}
}

func schemaFormat(s *Selector) string {
	if s.Schema == nil || s.Schema.Value == nil {
		return ""
	}
	if f := s.Schema.Value.Format; f != "" {
		return f
	}
	for _, parts := range [][]*schemaRef{s.Schema.Value.AllOf, s.Schema.Value.OneOf, s.Schema.Value.AnyOf} {
		for _, p := range parts {
			if p.Value != nil && p.Value.Format != "" {
				return p.Value.Format
			}
		}
	}
	return ""
}

func columnTypeOf(types []string, format string) string {
	if len(types) == 2 && types[0] == "integer" && types[1] == "number" {
		return "numeric"
	}
	composite := true
	for _, t := range types {
		composite = composite && (t == "object" || t == "array")
	}
	switch {
	case composite:
		return "json"
	case len(types) != 1:
		return ""
	case types[0] == "string" && format == "date-time":
		return "timestamp"
	case types[0] == "string" && format == "date":
		return "date"
	case types[0] == "string":
		return "text"
	case types[0] == "number":
		return "numeric"
	default:
		return types[0]
	}
}

func (w *work) unique(f field, e *Effect) {
	v := f.value.get("unique")
	for _, item := range v.each() {
		name := textOf(item)
		if !hasField(f.value.get("columns"), name) {
			w.err(item.at, "effect-unique", didYouMean(name, f.value.get("columns").names()), "effect %q: unique names %q, which is no column of it", f.name, name)
			continue
		}
		e.Unique = append(e.Unique, name)
	}
	n := f.value.get("onConflict")
	if n != nil && v == nil {
		w.err(n.at, "effect-unique", "declare unique", "effect %q: onConflict wants unique", f.name)
		return
	}
	if v == nil {
		return
	}
	e.OnConflict = "reject"
	if word := w.word(n, "onConflict", []string{"reject", "fail", "keep", "update"}, nil); word != "" {
		e.OnConflict = word
	}
	if e.OnConflict == "update" && len(e.Unique) == len(e.Columns) {
		w.warn(n.at, "effect-unique", "write onConflict: keep", "effect %q: every column is in unique, so there is nothing to update", f.name)
	}
}

func hasField(v *value, name string) bool { return strings.TrimSpace(name) != "" && v.get(name) != nil }
