package runtime

import (
	"bytes"
	"crypto/sha256"
	"io"
	"mime/multipart"
	"unicode/utf8"
)

// parseMultipart reads a multipart/form-data body (RFC 7578). Files are hashed,
// not kept: their content stands nowhere but in the body, which is bounded.
func parseMultipart(body []byte, boundary string) (*form, *problem) {
	if boundary == "" {
		return nil, malformed("the multipart body has no boundary")
	}
	r := multipart.NewReader(bytes.NewReader(body), boundary)
	f := &form{}
	for {
		part, err := r.NextPart()
		if err == io.EOF { // a truncated body gives another error, which wraps it
			return f, nil
		}
		if err != nil {
			return nil, malformed("the multipart body is broken")
		}
		field, p := readPart(part)
		if p != nil {
			return nil, p
		}
		if f.fields = append(f.fields, field); len(f.fields) > maxFields {
			return nil, tooManyFields()
		}
	}
}

func readPart(part *multipart.Part) (formField, *problem) {
	f := formField{name: part.FormName()}
	if f.name == "" {
		return f, malformed("a part of the multipart body has no name")
	}
	if part.FileName() != "" {
		h := sha256.New()
		if _, err := io.Copy(h, part); err != nil {
			return f, malformed("the multipart body is broken")
		}
		f.file, f.value = true, fileHash(h.Sum(nil))
		return f, nil
	}
	text, err := io.ReadAll(part)
	if err != nil {
		return f, malformed("the multipart body is broken")
	}
	if f.value = string(text); !utf8.ValidString(f.name) || !utf8.ValidString(f.value) {
		return f, malformed("the form is not UTF-8")
	}
	return f, nil
}
