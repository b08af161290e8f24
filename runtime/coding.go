package runtime

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// codingOf is the content coding of a request, "" for none. Only one that the
// endpoint declares is taken, and only one at a time: a compressed body that
// nobody announced could be of any size.
func (e *endpoint) codingOf(h http.Header) (string, bool) {
	found := ""
	for _, line := range h["Content-Encoding"] {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			switch {
			case name == "" || name == "identity":
				continue
			case name == "x-gzip": // RFC 9110, 8.4.1.3
				name = "gzip"
			}
			if found != "" || !slices.Contains(e.Encodings, name) {
				return "", false
			}
			found = name
		}
	}
	return found, true
}

// received is called with the body as it came. Where the signature is over the
// decompressed bytes these are made now, else only after it was verified.
func (rq *request) received() (verdict, bool) {
	if rq.endpoint.SignsDecoded {
		if p := rq.decompress(); p != nil {
			return decided(p.outcome, p.reason), false
		}
	}
	return verdict{}, true
}

// decompress makes body of wire, at most MaxBody bytes of it.
func (rq *request) decompress() *problem {
	switch {
	case rq.body != nil:
		return nil
	case rq.coding == "":
		rq.body = rq.wire
		return nil
	}
	r, err := gzip.NewReader(bytes.NewReader(rq.wire))
	if err != nil {
		return malformed("the body is no gzip")
	}
	limit := rq.endpoint.MaxBody
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case int64(len(body)) > limit:
		return &problem{TooLarge, "the decompressed body is over the limit"}
	case err != nil && errors.Is(err, gzip.ErrChecksum):
		return malformed("the checksum of the gzip is wrong")
	case err != nil:
		return malformed("the gzip is broken")
	}
	rq.body = body
	return nil
}

// signedBytes is what a signature is over.
func (rq *request) signedBytes() []byte {
	if rq.endpoint.SignsDecoded {
		return rq.body
	}
	return rq.wire
}
