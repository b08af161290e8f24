package runtime

import (
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/whgen/whgen/runtime/signature"
)

// request is one attempt while it is being judged.
type request struct {
	rcv        *Receiver
	endpoint   *endpoint
	event      *event // nil until the type is known, and for unknown types
	http       *http.Request
	start      time.Time // monotonic, for durations
	at         time.Time // by the receiver's clock
	wire       []byte    // the body as it came
	body       []byte    // the same, decompressed
	doc        []byte    // the JSON document that pointers read; nil where there is none
	media      mediaType
	coding     string // of the wire, "" for none
	json       bool   // doc is the body, or stands in it
	form       *form  // nil where the body is none
	slots      []jsontext.Value
	typed      *typedForm       // of a form, once its event is known
	around     []jsontext.Value // slots of the JSON around the document
	query      url.Values
	signedID   string
	tenant     string           // "" without, and before it is read
	compiled   *compiledScheme  // what has verified
	verifiedBy int              // the key of the scheme that did
	unproven   bool             // the request has shown nothing, and the answer is made with the secret
	stray      *verdict         // what becomes of it if it is no challenge; nil for what can be a delivery
	seen       Attempt          // what the observer will be told
	whole      []jsontext.Value // of an element: the slots of the body around it
	batched    []*element       // of a batch
}

func (rq *request) slot(i int) jsontext.Value {
	if i >= len(rq.slots) {
		return nil
	}
	return rq.slots[i]
}

// outer is a slot of the whole body, also for an element of a batch.
func (rq *request) outer(i int) jsontext.Value {
	if rq.whole == nil {
		return rq.slot(i)
	}
	if i >= len(rq.whole) {
		return nil
	}
	return rq.whole[i]
}

// responses are the answers that hold so far.
func (rq *request) responses() *responses {
	if rq.event != nil {
		return rq.event.responses
	}
	return rq.endpoint.responses
}

// verdict is what an attempt came to.
type verdict struct {
	outcome    Outcome
	stored     StoredResponse // the committed answer
	status     Status         // of the row
	first      bool           // this attempt committed: stored is its own answer
	retryAfter time.Duration
	reason     string
	class      string
	err        error
	offset     time.Duration
	reruns     int
	own        *ownAnswer // in place of the outcome's answer
	replayed   bool
	deviations []Deviation // met by the handler's decoding
}

func decided(o Outcome, reason string) verdict { return verdict{outcome: o, reason: reason} }

// admit checks method, media type and size, and reads the body once.
func (rq *request) admit(w http.ResponseWriter) (verdict, bool) {
	e, r := rq.endpoint, rq.http
	var known bool
	stray := decided(UnsupportedMedia, "the media type is not declared")
	if rq.media, known = e.mediaOf(r.Header); known {
		if rq.coding, known = e.codingOf(r.Header); !known {
			stray = decided(UnsupportedMedia, "the content encoding is not declared")
		}
	}
	rq.json = rq.media.reads == jsonBody
	if !slices.Contains(e.methods, r.Method) {
		known, stray = false, decided(MethodNotAllowed, "the method is not declared")
	}
	if !known {
		if !rq.candidates() {
			if stray.outcome == UnsupportedMedia {
				w.Header().Set("Accept-Encoding", strings.Join(append([]string{"identity"}, e.Encodings...), ", ")) // RFC 9110, 12.5.3
			}
			return stray, false
		}
		kept := stray // on the heap only here
		rq.stray = &kept
	}
	if r.ContentLength > e.MaxBody {
		w.Header().Set("Connection", "close")
		return decided(TooLarge, "the declared length is over the limit"), false
	}
	return rq.readBody(w)
}

// readBody keeps the raw bytes, at most MaxBody of them whether or not a length
// was declared.
func (rq *request) readBody(w http.ResponseWriter) (verdict, bool) {
	r := rq.http
	if r.Body == nil {
		r.Body = http.NoBody
	}
	var err error
	rq.wire, err = readAll(http.MaxBytesReader(w, r.Body, rq.endpoint.MaxBody), r.ContentLength)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return decided(TooLarge, "the body is over the limit"), false
	case errors.Is(err, http.ErrBodyReadAfterClose):
		return bodyTaken(), false
	// What the network cut off is no fault of the event: the sender has to try again.
	case errors.Is(err, io.ErrUnexpectedEOF):
		return verdict{outcome: Failed, class: "body", reason: "the body ended before its declared length", err: err}, false
	case errors.Is(err, os.ErrDeadlineExceeded):
		return verdict{outcome: Failed, class: "body", reason: "the body did not come in time", err: err}, false
	case err != nil:
		return verdict{outcome: Failed, class: "body", reason: "the body could not be read", err: err}, false
	case len(rq.wire) == 0 && r.ContentLength > 0:
		return bodyTaken(), false
	}
	return rq.received()
}

func bodyTaken() verdict {
	return verdict{outcome: Failed, class: "body",
		reason: "the body was already read before the receiver: a middleware in front of it reads r.Body and does not restore it; the signature can only be checked over the raw bytes"}
}

func readAll(r io.Reader, length int64) ([]byte, error) {
	if length <= 0 {
		return io.ReadAll(r)
	}
	buf := make([]byte, 0, min(length, 1<<20)+1) // one more, to meet EOF without growing
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// classify reads the type and finds the event; nil means that nobody listed it.
func (rq *request) classify() *problem {
	e := rq.endpoint
	if e.only != nil {
		rq.event, rq.seen.Type = e.only, e.only.Name
		return nil
	}
	text := ""
	for i := range e.types {
		v, err := rq.read(&e.types[i])
		switch {
		case err != nil:
			return err
		case v.json != nil && v.json[0] != '"' || v.text == "" && v.json == nil && v.ok:
			return malformed("the event type is no text: %s", selectorText(e.types[i].Selector))
		case !v.ok && i == 0:
			return malformed("the event type is missing: %s", selectorText(e.types[i].Selector))
		case !v.ok:
			continue
		}
		if i > 0 {
			text += "."
		}
		text += v.plain()
	}
	if text == "" || strings.IndexByte(text, 0) >= 0 || len(text) > maxType {
		return malformed("the event type is empty, too long, or has a NUL in it")
	}
	rq.event, rq.seen.Type = e.route(text), text
	return nil
}

// maxType is the length of an event type, in bytes.
const maxType = 200

// identify reads key and fingerprint of a listed event.
func (rq *request) identify() (key string, fingerprint []byte, err *problem) {
	ev := rq.event
	if ev.derived != nil {
		sum, p := rq.digest(ev.derived)
		if p != nil {
			return "", nil, p
		}
		var buf [128]byte
		key = string(appendHex(rq.scope(buf[:0]), sum))
	} else if key, err = rq.eventKey(ev.key); err != nil {
		return "", nil, err
	}
	fingerprint, err = rq.digest(&ev.fingerprint)
	return key, fingerprint, err
}

func (rq *request) digest(m *members) ([]byte, *problem) {
	if m.raw {
		if rq.form != nil && rq.whole == nil {
			return rq.form.digest(nil), nil
		}
		sum := sha256.Sum256(rq.body)
		return sum[:], nil
	}
	sum, err := m.digest(rq)
	if err != nil {
		var p *problem
		if errors.As(err, &p) {
			return nil, p
		}
		return nil, malformed("the members of the fingerprint cannot be read")
	}
	return sum, nil
}

// parseQuery reads a query the way that signatures are checked: a semicolon,
// which net/url refuses, is a character.
func parseQuery(text string) (url.Values, bool) {
	fields, ok := signature.ParseForm(text)
	values := url.Values{}
	for _, f := range fields {
		values.Add(f.Name, f.Value)
	}
	return values, ok
}

func appendHex(dst, sum []byte) []byte {
	const digits = "0123456789abcdef"
	for _, b := range sum {
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return dst
}
