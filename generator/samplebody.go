package generator

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/whgen/whgen/spec"
)

const (
	document = "{{document}}" // where the generated test puts the document of an event
	boundary = "whgen-acceptance"
)

// place is the node that a selector reads, and the pointer in it; nil where it
// reads no body.
func (s *sampler) place(from *spec.Selector) (*node, string) {
	switch from.Kind {
	case spec.SelectBody, spec.SelectItem:
		return s.of(from), from.Pointer
	case spec.SelectEnvelope:
		return s.outer, from.Pointer
	case spec.SelectForm:
		if s.endpoint.Document != nil {
			return s.outer, (&spec.Event{}).FormPointer(from.Name)
		}
		return s.body, s.event.Spec.FormPointer(from.Name)
	}
	return nil, ""
}

// nestNames takes the bracketed names of a form's example apart where the
// schema does not list them.
func nestNames(e *spec.Event, body *node) *node {
	if e.Body != spec.FormBody && e.Body != spec.MultipartBody {
		return body
	}
	out := &node{object: true}
	for i, name := range body.names {
		_ = out.set(e.FormPointer(name), body.members[i])
	}
	return out
}

func (s *sampler) contentType() string {
	if s.event.Spec.Media == "multipart/form-data" {
		return s.event.Spec.Media + "; boundary=" + boundary
	}
	return s.event.Spec.Media
}

// text writes a body of the event's kind.
func (s *sampler) text(body *node) string {
	if s.envelope != nil {
		return s.envelope.with(body).String()
	}
	switch s.event.Spec.Body {
	case spec.FormBody:
		return formText(body)
	case spec.MultipartBody:
		return multipartText(body)
	case spec.RawBody:
		return strings.Join(append([]string{"sample"}, body.names...), " ")
	}
	return body.String()
}

// around is what stands around the document, "" where nothing does.
func (s *sampler) around() string {
	d := s.endpoint.Document
	if d == nil {
		return ""
	}
	outer := s.outer.clone()
	root := &sampler{event: s.event, endpoint: s.endpoint, outer: outer, body: outer}
	from := d.From
	if from.Kind == spec.SelectBody {
		from.Kind = spec.SelectEnvelope
	}
	_, pointer := root.place(&from)
	_ = outer.set(pointer, textNode(document))
	switch {
	case from.Kind != spec.SelectForm:
		return outer.String()
	case s.event.Spec.Media == "multipart/form-data":
		return multipartText(outer)
	}
	return formText(outer)
}

// secret puts a token that stands in the body where the scheme reads it.
func (s *sampler) secret() {
	scheme := s.endpoint.Signature
	if !s.tokenInBody() {
		return
	}
	if root, pointer := s.place(s.tokenPlace()); root != nil {
		_ = root.set(pointer, textNode(scheme.Prefix+"{{secret:"+scheme.Secrets[0].Name+"}}"))
	}
}

// tokenInBody reports whether the one scheme is a token that stands in the body.
func (s *sampler) tokenInBody() bool {
	scheme := s.endpoint.Signature
	return scheme != nil && scheme.Type == "token" && len(s.endpoint.Redact) > 0 && len(scheme.Secrets) > 0
}

// tokenPlace is where a token is read, in a batch from the whole body.
func (s *sampler) tokenPlace() *spec.Selector {
	from := s.endpoint.Signature.From[0]
	from.Whole = s.envelope != nil && from.Kind == spec.SelectBody
	return &from
}

// unsigned is the body without that token.
func (s *sampler) unsigned() string {
	if !s.tokenInBody() {
		return ""
	}
	from := s.tokenPlace()
	if root, _ := s.place(from); root == nil || root == s.outer {
		return ""
	}
	return s.without(from)
}

// formText writes an object as a URL-encoded form, nested names as PHP has them.
func formText(body *node) string {
	var parts []string
	for _, f := range formPairs(body, "", nil) {
		parts = append(parts, formEscape(f[0])+"="+formEscape(f[1]))
	}
	return strings.Join(parts, "&")
}

var placeholders = strings.NewReplacer("%7B%7B", "{{", "%7D%7D", "}}", "%3A", ":")

// formEscape leaves {{n}} and its like for the test to fill in.
func formEscape(text string) string {
	escaped := url.QueryEscape(text)
	if strings.Contains(text, "{{") {
		return placeholders.Replace(escaped)
	}
	return escaped
}

func formPairs(n *node, name string, pairs [][2]string) [][2]string {
	for i, m := range n.members {
		inner := name
		switch {
		case n.object && name == "":
			inner = n.names[i]
		case n.object:
			inner += "[" + n.names[i] + "]"
		case m.object || m.array:
			inner += "[" + strconv.Itoa(i) + "]"
		default:
			inner += "[]"
		}
		switch {
		case m.object || m.array:
			pairs = formPairs(m, inner, pairs)
		case m.text != "null":
			pairs = append(pairs, [2]string{inner, m.plain()})
		}
	}
	return pairs
}

// multipartText writes an object as multipart/form-data.
func multipartText(body *node) string {
	text := ""
	for _, f := range formPairs(body, "", nil) {
		name := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f[0])
		text += "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + f[1] + "\r\n"
	}
	return text + "--" + boundary + "--\r\n"
}
