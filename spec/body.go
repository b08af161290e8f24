package spec

import (
	"mime"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// BodyKind says how a body is read.
type BodyKind string

// The kinds of bodies. Of a raw one only headers and query are selected.
const (
	JSONBody      BodyKind = "json"
	FormBody      BodyKind = "form"
	MultipartBody BodyKind = "multipart"
	RawBody       BodyKind = "raw"
)

// DocumentPlace is where the JSON document stands inside of the body: a form's
// field, or a text in an outer JSON value.
type DocumentPlace struct {
	Pos    Pos
	From   Selector // SelectForm or SelectBody
	Base64 bool
}

// body is what an entry's operation takes.
type body struct {
	media  string
	kind   BodyKind
	asJSON bool     // JSON under a name that does not say so
	also   []string // further media types that are taken
	schema *yaml.Node
	node   *yaml.Node // media type object
}

const (
	formMedia      = "application/x-www-form-urlencoded"
	multipartMedia = "multipart/form-data"
)

// takes is the entry's body and how it is read; without a declared one it is JSON.
func (e *entry) takes() (media string, kind BodyKind) {
	if e.body == nil {
		return "application/json", JSONBody
	}
	return e.body.media, e.body.kind
}

// entryBody chooses the media type that is taken, and says which ones are not.
func (l *loader) entryBody(e *entry) {
	d := l.documentOf(e)
	content := lookup(l.tree.deref(lookup(e.operation, "requestBody")), "content")
	all := l.tree.bodies(content)
	if e.body = choose(all, d); e.body == nil {
		if d != nil && d.From.Kind == SelectForm {
			e.body = &body{media: formMedia, kind: JSONBody}
		}
		return
	}
	if d != nil {
		l.innerBody(e, all, d)
	}
	for _, b := range all {
		if b.media == e.body.media || contains(e.body.also, b.media) {
			continue
		}
		if e.body.media == "application/json" && strings.HasSuffix(b.media, "+json") {
			l.info(l.tree.pos(content), "media-other", "if the two differ, give each an entry and an endpoint of its own", "entry %q: %s is taken too, with the schema of %s", e.name, b.media, e.body.media)
			continue
		}
		if strings.Contains(b.media, "xml") && e.body.kind == JSONBody {
			l.info(l.tree.pos(content), "media-xml", "", "entry %q: %s is answered %d; only JSON is taken", e.name, b.media, 415)
			continue
		}
		l.info(l.tree.pos(content), "media-other", "to take another one, remove this one with an overlay action", "entry %q: %s is answered %d; %s is taken", e.name, b.media, 415, e.body.media)
	}
}

// bodies lists the media types of an operation.
func (t *tree) bodies(content *yaml.Node) []*body {
	var all []*body
	for i := 0; content != nil && content.Kind == yaml.MappingNode && i+1 < len(content.Content); i += 2 {
		n := t.deref(content.Content[i+1])
		b := &body{schema: lookup(n, "schema"), node: n}
		media, _, err := mime.ParseMediaType(content.Content[i].Value)
		if err != nil {
			continue
		}
		b.media, b.kind = media, RawBody
		switch {
		case media == "*/*" || media == "application/*":
			b.media, b.kind = "application/json", JSONBody
		case media == "application/json", media == "text/json", strings.HasSuffix(media, "+json"):
			b.kind = JSONBody
		case media == formMedia:
			b.kind = FormBody
		case media == multipartMedia:
			b.kind = MultipartBody
		case strings.HasPrefix(media, "text/") && !strings.Contains(media, "xml") && t.describesJSON(b.schema):
			b.kind, b.asJSON = JSONBody, true
		}
		all = append(all, b)
	}
	return all
}

// describesJSON: a text whose schema is an object or array is JSON, whatever
// its media type says.
func (t *tree) describesJSON(schema *yaml.Node) bool {
	s := t.deref(schema)
	if n := lookup(s, "type"); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value == "object" || n.Value == "array"
	}
	for _, name := range []string{"properties", "items", "allOf", "oneOf", "anyOf"} {
		if lookup(s, name) != nil {
			return true
		}
	}
	return false
}

// choose takes application/json, else other JSON, else forms, else whatever
// there is. Where the document stands in a form, that form comes first.
func choose(all []*body, d *DocumentPlace) *body {
	rank := func(b *body) int {
		switch {
		case d != nil && d.From.Kind == SelectForm && (b.kind == FormBody || b.kind == MultipartBody):
			return 0
		case b.media == "application/json":
			return 1
		case b.kind == JSONBody && !b.asJSON:
			return 2
		case b.kind == FormBody:
			return 3
		case b.kind == MultipartBody:
			return 4
		case b.kind == JSONBody:
			return 5
		case strings.Contains(b.media, "xml"):
			return 7
		}
		return 6
	}
	var best *body
	for _, b := range all {
		if best == nil || rank(b) < rank(best) {
			best = b
		}
	}
	return best
}

// endpointMedia lists what arrives at an endpoint, and holds against it what
// the endpoint selects from bodies.
func (l *loader) endpointMedia(s *scope) {
	e := s.endpoint
	for _, entry := range l.entries {
		if b := entry.body; b != nil && l.arrives(entry, s) {
			for _, media := range append([]string{b.media}, b.also...) {
				if !contains(e.Media, media) {
					e.Media = append(e.Media, media)
				}
			}
			if b.asJSON && !contains(e.AsJSON, b.media) {
				e.AsJSON = append(e.AsJSON, b.media)
			}
		}
	}
	if len(e.Media) == 0 {
		e.Media = []string{"application/json"}
	}
	sort.Strings(e.Media)
	sort.Strings(e.AsJSON)
	l.signatureBody(s)
}

// signatureBody refuses signatures in forms where none arrives, and notes the
// secrets that stand in bodies.
func (l *loader) signatureBody(s *scope) {
	e, scheme := s.endpoint, s.endpoint.Signature
	if scheme == nil {
		return
	}
	for _, sel := range scheme.selectors() {
		if sel.Kind == SelectForm && !contains(e.Media, formMedia) && !contains(e.Media, multipartMedia) {
			l.err(sel.Pos, "selector", "declare "+formMedia+" as the body of an entry", "signature: %q: no form arrives%s", sel.Text(), s.where())
		}
	}
	for _, m := range append([]*Scheme{scheme}, scheme.Members()...) {
		if m.Type != "token" && m.Type != "digest" {
			continue
		}
		for _, sel := range m.From {
			if sel.inBody() {
				e.Redact = append(e.Redact, sel)
			}
		}
	}
}

// selectors is everything that the scheme reads.
func (s *Scheme) selectors() []Selector {
	all := append([]Selector{}, s.From...)
	for _, m := range s.Members() {
		all = append(all, m.selectors()...)
	}
	for _, c := range s.Require {
		all = append(all, c.From)
	}
	if s.Timestamp != nil {
		all = append(all, s.Timestamp.From)
	}
	if s.ID != nil {
		all = append(all, *s.ID)
	}
	if s.Content != nil {
		for _, p := range s.Content.Parts {
			if p.Selector != nil {
				all = append(all, *p.Selector)
			}
		}
	}
	return all
}

// inBody reports whether a selector reads the body.
func (s Selector) inBody() bool {
	switch s.Kind {
	case SelectBody, SelectItem, SelectForm, SelectEnvelope:
		return true
	}
	return false
}

var contentCodings = []string{"gzip"}

// contentEncoding reads the content codings of an endpoint.
func (r *report) contentEncoding(v *value, e *Endpoint) {
	accept := v
	if v.is(mapForm) {
		accept = v.get("accept")
		e.SignsDecoded = r.word(v.get("signed"), "delivery.contentEncoding.signed", []string{"received", "decoded"}, nil) == "decoded"
		if accept == nil {
			r.err(v.at, "content-encoding", "write accept: [gzip]", "delivery.contentEncoding: no encoding is named")
		}
	}
	for _, item := range accept.each() {
		if name := r.word(item, "delivery.contentEncoding", contentCodings, []string{"deflate", "br", "zstd"}); name != "" {
			e.Encodings = append(e.Encodings, name)
		}
	}
}
