package runtime

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxStoredBody is how much of an answer is kept for `replay`, in bytes.
const maxStoredBody = 8 << 10

// response is a compiled Response.
type response struct {
	replay      bool
	status      int
	contentType string
	headers     []headerText
	body        text
	retryAfter  int
}

type headerText struct {
	name  string
	value text
}

type responses struct {
	of       [outcomes]response
	usesBody bool // some answer reads the body
}

var defaultStatus = map[Outcome]int{
	Unauthenticated:  http.StatusUnauthorized,
	Malformed:        http.StatusBadRequest,
	TooLarge:         http.StatusRequestEntityTooLarge,
	UnsupportedMedia: http.StatusUnsupportedMediaType,
	MethodNotAllowed: http.StatusMethodNotAllowed,
}

// standIn says whose answer an outcome takes where it has none of its own.
var standIn = map[Outcome]Outcome{
	Rejected: Processed, Known: Duplicate, Stale: Processed, Ignored: Processed, Accepted: Processed,
}

// unlistedStandIn is the same at an endpoint, for types that nobody listed.
var unlistedStandIn = map[Outcome]Outcome{Duplicate: Ignored, Conflict: Ignored, InProgress: Failed}

var demanded = []Outcome{Processed, Duplicate, Conflict, InProgress, Failed}

// responses compiles the answers. An event has to declare the outcomes that
// have no universal default; an endpoint only what it can answer by itself.
func (c *compiler) responses(list Responses, event bool) (*responses, error) {
	out := &responses{}
	for o := range list {
		r := list[o]
		if r.Status == 0 && !r.Replay {
			r.Status = defaultStatus[Outcome(o)]
		}
		if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
			return nil, fmt.Errorf("outcome %s: %d is no status of an answer", Outcome(o), r.Status)
		}
		compiled, err := c.response(r)
		if err != nil {
			return nil, fmt.Errorf("outcome %s: %w", Outcome(o), err)
		}
		out.of[o] = compiled
		out.usesBody = out.usesBody || compiled.usesBody()
	}
	for o, other := range standIn {
		if out.of[o].status == 0 && !out.of[o].replay {
			out.of[o] = out.of[other]
		}
	}
	for o, other := range unlistedStandIn {
		if !event && out.of[o].status == 0 && !out.of[o].replay {
			out.of[o] = out.of[other]
			out.of[o].replay = o == Duplicate
		}
	}
	for _, o := range demanded {
		if event && out.of[o].status == 0 && !(out.of[o].replay && o == Duplicate) {
			return nil, fmt.Errorf("outcome %s has no answer", o)
		}
	}
	return out, nil
}

func (c *compiler) response(r Response) (response, error) {
	out := response{replay: r.Replay, status: r.Status, contentType: r.ContentType, retryAfter: r.RetryAfter}
	var err error
	if out.body, err = c.text(r.Body); err != nil {
		return out, err
	}
	for _, h := range r.Headers {
		value, err := c.text(h.Value)
		if err != nil {
			return out, err
		}
		out.headers = append(out.headers, headerText{http.CanonicalHeaderKey(h.Name), value})
	}
	return out, nil
}

func (r *response) usesBody() bool {
	for _, h := range r.headers {
		if h.value.usesBody() {
			return true
		}
	}
	return r.body.usesBody()
}

// stored renders the answer that the inbox row keeps. A body over the limit is
// not cut: only the status is kept.
func (rq *request) stored(r *response) (StoredResponse, *problem) {
	body, err := rq.render(r.body)
	if err != nil {
		return StoredResponse{}, err
	}
	s := StoredResponse{Status: r.status}
	if len(body) <= maxStoredBody && bodyAllowed(r.status) {
		s.ContentType, s.Body = r.contentType, []byte(body)
	}
	return s, nil
}

// answer writes the response of a verdict.
func (rq *request) answer(w http.ResponseWriter, v verdict) int {
	if v.own != nil {
		return v.own.write(w, rq)
	}
	if v.outcome == MethodNotAllowed {
		w.Header().Set("Allow", rq.endpoint.allowed())
	}
	r := &rq.responses().of[v.outcome]
	status, contentType, body := r.status, r.contentType, []byte(nil)
	headers := r.headers
	if (r.replay || v.first) && v.stored.Status != 0 {
		status, contentType, body = v.stored.Status, v.stored.ContentType, v.stored.Body
		if r.replay {
			headers = rq.responses().of[outcomeOf(v.status)].headers
		} else if len(body) == 0 { // too long to be stored, or none
			contentType, body = r.contentType, []byte(rq.lenient(r.body))
		}
	} else {
		if r.replay && status == 0 {
			r = &rq.responses().of[Processed]
			status, contentType, headers = r.status, r.contentType, r.headers
		}
		body = []byte(rq.lenient(r.body))
	}
	rq.setHeaders(w.Header(), headers, v.retryAfter, r.retryAfter)
	send(w, rq.http.Method, status, contentType, body)
	return status
}

// lenient renders a template without failing: what is missing is left empty.
func (rq *request) lenient(t text) string {
	if s, ok := t.constant(); ok {
		return s
	}
	var b strings.Builder
	for _, p := range t {
		if p.digest != nil {
			text, _ := rq.digestText(p.digest)
			b.WriteString(text)
		} else if p.from == nil {
			b.WriteString(p.literal)
		} else if v, err := rq.read(p.from); err == nil {
			b.WriteString(v.compact())
		}
	}
	return b.String()
}

func (rq *request) setHeaders(h http.Header, list []headerText, after time.Duration, seconds int) {
	for _, line := range list {
		h.Add(line.name, strings.Map(headerRune, rq.lenient(line.value)))
	}
	if after > 0 {
		seconds = int((after + time.Second - 1) / time.Second)
	}
	if seconds > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds))
	}
}

// headerRune drops what would end a header line.
func headerRune(c rune) rune {
	if c < ' ' && c != '\t' || c == 0x7f {
		return -1
	}
	return c
}

// send writes one answer, with no body where HTTP has none.
func send(w http.ResponseWriter, method string, status int, contentType string, body []byte) {
	h := w.Header()
	if !bodyAllowed(status) {
		body = nil
	}
	if len(body) > 0 {
		if contentType == "" {
			contentType = "text/plain; charset=utf-8"
		}
		h.Set("Content-Type", contentType)
		h.Set("X-Content-Type-Options", "nosniff")
	}
	if bodyAllowed(status) {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if len(body) > 0 && method != http.MethodHead {
		w.Write(body) // the client may be gone: the work is committed all the same
	}
}

func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified && status != http.StatusResetContent
}

// outcomeOf is the outcome that an inbox row was written with.
func outcomeOf(s Status) Outcome {
	switch s {
	case StatusRejected:
		return Rejected
	case StatusIgnored:
		return Ignored
	default:
		return Processed
	}
}
