package runtime

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/whgen/whgen/runtime/signature"
)

// parse reads the verified body once: JSON in one pass, or a form, or the JSON
// document that stands inside of one. A body of no such kind is left alone.
func (rq *request) parse() *problem {
	if rq.slots != nil {
		return nil
	}
	if p := rq.decompress(); p != nil {
		return p
	}
	rq.doc = rq.body
	switch rq.media.reads {
	case rawBody:
		rq.doc = nil
		return nil
	case formBody, multipartBody:
		if p := rq.readForm(); p != nil {
			return p
		}
	}
	if p := rq.openDocument(); p != nil {
		return p
	}
	slots := make([]jsontext.Value, rq.endpoint.slots)
	if err := scan(rq.endpoint.root, rq.doc, slots); err != nil {
		return malformed("%s", syntaxReason(err))
	}
	rq.slots = slots
	return nil
}

// readForm decodes the fields; its document is the nested view, all texts.
func (rq *request) readForm() *problem {
	if rq.form == nil {
		var p *problem
		if rq.media.reads == multipartBody {
			rq.form, p = parseMultipart(rq.body, rq.media.boundary)
		} else {
			rq.form, p = parseForm(rq.body)
		}
		if p != nil {
			return p
		}
		rq.form.nest(rq.endpoint.flat)
	}
	rq.doc = rq.form.text()
	return nil
}

// openDocument finds the document where it stands inside of the body. Where it
// is a form's field, a JSON body is the document itself.
func (rq *request) openDocument() *problem {
	e := rq.endpoint
	if e.Document == nil {
		return nil
	}
	at := e.Document.From
	var text string
	switch {
	case at.Kind == Form && rq.form == nil:
		return nil
	case at.Kind == Form:
		v, p := single(rq.form.values(at.Name), "form", at.Name)
		if p != nil {
			return p
		}
		if !v.ok {
			return malformed("the document is missing: %s", selectorText(at))
		}
		text = v.text
	default:
		rq.around = make([]jsontext.Value, e.aroundSlots)
		if err := scan(e.around, rq.doc, rq.around); err != nil {
			rq.around = nil
			return malformed("%s", syntaxReason(err))
		}
		v := slotValue(rq.around, e.documentSlot)
		if !v.ok || v.json[0] != '"' {
			return malformed("the document is missing, or no text: %s", selectorText(at))
		}
		text = v.plain()
	}
	rq.doc, rq.json = []byte(text), true
	if e.Document.Base64 {
		doc, ok := decodeBase64(text)
		if !ok {
			return malformed("the document is not base64: %s", selectorText(at))
		}
		rq.doc = doc
	}
	return nil
}

// decodeBase64 reads both alphabets, padded or not.
func decodeBase64(text string) ([]byte, bool) {
	text = strings.TrimRight(text, "=")
	enc := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.DecodeString(text)
	return b, err == nil
}

func encodeBase64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// document compiles the place of an endpoint's document.
func (c *compiler) document(e *endpoint) error {
	d := e.Document
	if d == nil {
		return nil
	}
	switch d.From.Kind {
	case Form:
	case Body:
		if err := c.pointers([]string{d.From.Name}); err != nil {
			return err
		}
		e.documentSlot = c.around.add(d.From.Name, &c.aroundSlots)
	default:
		return fmt.Errorf("a document cannot stand in %s", selectorText(d.From))
	}
	return nil
}

// typedForm is a form's document with the texts converted as the event's schema
// has them, for payloads; everything else reads the texts as received.
type typedForm struct {
	doc   []byte
	slots []jsontext.Value
	odd   []Deviation
}

// convertForm makes it.
func (rq *request) convertForm() {
	if rq.form == nil || rq.json || rq.event == nil {
		return
	}
	doc, odd := rq.form.typed(rq.event.shape)
	t := &typedForm{doc: doc, slots: make([]jsontext.Value, rq.endpoint.slots)}
	if err := scan(rq.endpoint.root, doc, t.slots); err != nil {
		return // it was written from values that scan has taken already
	}
	for _, pointer := range odd {
		t.odd = append(t.odd, Deviation{Pointer: pointer, Kind: "type"})
	}
	rq.typed = t
}

// document is what a payload type is read from: nil for a body that holds none.
func (rq *request) document() []byte {
	if rq.typed != nil {
		return rq.typed.doc
	}
	return rq.doc
}

// payloadJSON is a value as a payload has it: that of a form's pointer after
// the schema, anything else verbatim.
func (rq *request) payloadJSON(dst []byte, s *selector, v value) []byte {
	if s.Kind == Body && rq.typed != nil && s.slot < len(rq.typed.slots) && len(rq.typed.slots[s.slot]) > 0 {
		return append(dst, rq.typed.slots[s.slot]...)
	}
	return v.appendJSON(dst)
}

// signedForm gives the fields for the signature scheme, before verification.
func (rq *request) signedForm() ([]signature.Element, bool) {
	if rq.parse() != nil && rq.form == nil {
		return nil, false
	}
	all := make([]signature.Element, 0, len(rq.form.fields))
	for i := range rq.form.fields {
		if f := &rq.form.fields[i]; !f.file {
			all = append(all, signature.Element{Name: f.name, Value: f.value})
		}
	}
	return all, true
}
