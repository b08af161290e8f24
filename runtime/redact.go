package runtime

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// redactedText stands in for what must not be stored.
const redactedText = "***"

// redaction is a compiled Redaction; nil: nothing.
type redaction struct {
	pointers *cut
	names    *cut // of form fields
}

func (c *compiler) redaction(lists ...Redaction) (*redaction, error) {
	var all Redaction
	for _, r := range lists {
		all.Pointers = append(all.Pointers, r.Pointers...)
		all.Form = append(all.Form, r.Form...)
	}
	if len(all.Pointers)+len(all.Form) == 0 {
		return nil, nil
	}
	if err := c.pointers(all.Pointers); err != nil {
		return nil, err
	}
	return &redaction{newCut(all.Pointers), newFieldCut(nil, all.Form)}, nil
}

// redaction is the event's, or the endpoint's for unlisted types.
func (rq *request) redaction() *redaction {
	if rq.event != nil {
		return rq.event.redact
	}
	return rq.endpoint.redact
}

// redacted is the body as it may be stored; nil where that is the body itself.
func (rq *request) redacted() []byte {
	r := rq.redaction()
	if r == nil || rq.doc == nil {
		return nil
	}
	inner := rq.doc
	if rq.json {
		inner = splice(rq.doc, r.pointers, func() string { return `"` + redactedText + `"` })
	}
	switch {
	case rq.whole != nil: // the body of an event of a batch is its element
		return inner
	case rq.form != nil:
		return rq.rewriteForm(func(f *formField) (string, bool) {
			if rq.json && f.name == rq.endpoint.Document.From.Name {
				return rq.endpoint.Document.encode(inner), true
			}
			return redactedText, f.within(r.names) || !rq.json && f.within(r.pointers)
		})
	case rq.endpoint.Document != nil && rq.endpoint.Document.From.Kind == Body:
		text, _ := jsontext.AppendQuote(nil, rq.endpoint.Document.encode(inner))
		return splice(rq.body, newCut([]string{rq.endpoint.Document.From.Name}), func() string { return string(text) })
	}
	return inner
}

// encode is a document as the text that stands for it.
func (d *Document) encode(doc []byte) string {
	if d.Base64 {
		return encodeBase64(doc)
	}
	return string(doc)
}

// shared is the document for messages that carry all of it: without secrets
// too. A body that holds no document is sent as it came.
func (rq *request) shared() []byte {
	r, doc := rq.redaction(), rq.document()
	switch {
	case doc == nil:
		return rq.body
	case r == nil:
		return doc
	case rq.form == nil || rq.json:
		return splice(doc, r.pointers, func() string { return `"` + redactedText + `"` })
	}
	all := &cut{}
	for i := range rq.form.fields {
		f := &rq.form.fields[i]
		if f.file || !f.within(r.names) && !f.within(r.pointers) {
			continue
		}
		at := all
		for _, token := range f.path {
			at = at.step(token)
		}
		at.end = true
	}
	return splice(doc, all, func() string { return `"` + redactedText + `"` })
}

// splice replaces the values that a cut ends at, and leaves every other byte of
// a valid JSON text as it is.
func splice(text []byte, c *cut, with func() string) []byte {
	s := &splicer{in: jsontext.NewDecoder(bytes.NewBuffer(text)), text: text, with: with}
	s.value([]*cut{c})
	return append(s.out, text[s.done:]...)
}

type splicer struct {
	in   *jsontext.Decoder
	text []byte
	done int64 // how much of text is written
	out  []byte
	with func() string
}

func (s *splicer) value(cuts []*cut) {
	kind := s.in.PeekKind()
	if ended(cuts) || len(cuts) == 0 || kind != '{' && kind != '[' {
		v, err := s.in.ReadValue()
		if err == nil && ended(cuts) {
			end := s.in.InputOffset()
			s.out = append(append(s.out, s.text[s.done:end-int64(len(v))]...), s.with()...)
			s.done = end
		}
		return
	}
	if _, err := s.in.ReadToken(); err != nil {
		return
	}
	for i := 0; s.in.PeekKind() != '}' && s.in.PeekKind() != ']'; i++ {
		name := strconv.Itoa(i)
		if kind == '{' {
			token, err := s.in.ReadToken()
			if err != nil {
				return
			}
			name = token.String()
		}
		if s.in.PeekKind() == 0 {
			return
		}
		s.value(below(cuts, []byte(name)))
	}
	_, _ = s.in.ReadToken() // the end that was peeked at
}

// rewriteForm is the body with other values for the fields that with names.
func (rq *request) rewriteForm(with func(*formField) (string, bool)) []byte {
	if rq.media.reads == multipartBody {
		return rq.rewriteMultipart(with)
	}
	var out []byte
	done := 0
	for i := range rq.form.fields {
		f := &rq.form.fields[i]
		if text, ok := with(f); ok && f.to > f.from { // else there is nothing to hide
			out = append(append(out, rq.body[done:f.from]...), escapeField(text)...)
			done = f.to
		}
	}
	return append(out, rq.body[done:]...)
}

// escapeField leaves the mark readable.
func escapeField(text string) string {
	if text == redactedText {
		return text
	}
	return url.QueryEscape(text)
}

// rewriteMultipart writes the parts again, those that are not replaced as they
// came but for line breaks between them.
func (rq *request) rewriteMultipart(with func(*formField) (string, bool)) []byte {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	if err := w.SetBoundary(rq.media.boundary); err != nil {
		return []byte(redactedText) // parsed with it, but nobody may write it
	}
	r := multipart.NewReader(bytes.NewReader(rq.body), rq.media.boundary)
	for i := range rq.form.fields {
		part, err := r.NextRawPart()
		if err != nil {
			break
		}
		to, err := w.CreatePart(part.Header)
		if err != nil {
			break
		}
		if text, ok := with(&rq.form.fields[i]); ok {
			_, _ = to.Write([]byte(text)) // a buffer takes everything
			continue
		}
		_, _ = io.Copy(to, part)
	}
	_ = w.Close()
	return out.Bytes()
}
