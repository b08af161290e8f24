package spec

import "strings"

// Names that senders and proxies give to what is new in each attempt. Compared
// in lower case.
var (
	attemptHeaders = nameSet("x-delivery-attempt", "x-attempt", "x-attempt-id", "x-retry-count", "x-retry", "x-retry-num", "x-request-id",
		"x-correlation-id", "x-amzn-trace-id", "x-b3-traceid", "traceparent", "date", "x-timestamp", "x-request-timestamp",
		"x-webhook-attempt", "x-webhook-timestamp", "webhook-timestamp", "svix-timestamp", "x-slack-request-timestamp", "x-slack-retry-num",
		"x-shopify-triggered-at", "x-forwarded-for", "user-agent", "x-cloud-trace-context")
	attemptMembers = nameSet("attempt", "attempts", "attempt_number", "attemptnumber", "attempt_count", "retry", "retries", "retry_count",
		"retrycount", "retry_number", "delivery_attempt", "deliveryattempt", "sent_at", "sentat", "send_time", "sendtime", "delivered_at", "deliveredat",
		"received_at", "receivedat", "pending_webhooks")
)

func nameSet(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// perAttempt says why a selector names something that differs between the
// attempts of one event, "" where nothing speaks for it.
func (w *work) perAttempt(s Selector) string {
	scheme := w.endpoint.Signature
	switch {
	case w.isVolatile(s):
		return "is declared volatile"
	case scheme != nil && scheme.Timestamp != nil && sameSelector(scheme.Timestamp.From, s):
		return "is the time of the signature, which is new in each attempt"
	case scheme != nil && hasSelector(scheme.From, s) && scheme.Type != "none":
		return "is the signature itself"
	case s.Kind == SelectHeader && attemptHeaders[strings.ToLower(s.Name)]:
		return "names the attempt or the time of sending"
	case s.Kind == SelectBody || s.Kind == SelectForm:
		tokens, _ := splitPointer(s.Pointer)
		if s.Kind == SelectForm {
			tokens = splitField(s.Name)
		}
		if len(tokens) > 0 && attemptMembers[strings.ToLower(tokens[len(tokens)-1])] {
			return "names the attempt or the time of sending"
		}
	}
	return ""
}

// replay demands a word about captured requests where the signature does not
// cover the key.
func (w *work) replay(at Pos) {
	scheme, v := w.endpoint.Signature, w.policy.get("event", "replay")
	w.event.Replay = w.word(v, "event.replay", []string{"process", "refuse"}, nil)
	if scheme == nil || scheme.Type == "" && len(scheme.Members()) == 0 {
		return
	}
	if w.event.Replay == "refuse" {
		w.refuses(v.at, scheme)
	}
	if !scheme.Binds() {
		if w.event.Replay == "" {
			w.event.Replay = "process"
		}
		return
	}
	w.event.Unsigned = w.unsigned(scheme)
	if len(w.event.Unsigned) == 0 {
		return
	}
	uncovered := w.event.Unsigned[0]
	if v == nil {
		w.err(at, "replay", "write event: {replay: refuse}, so that a known body under a new key is a duplicate, or {replay: process} to accept that, or take a key that is signed",
			"event %q: the signature does not cover the event key %q: a captured request can be sent again under a new key", w.label, uncovered)
	} else if w.event.Replay == "process" {
		w.info(v.at, "replay-process", "", "a captured request can be repeated under a new %q; event.replay accepts that", uncovered)
	}
}

// refuses: a known body under a new key can only be told from a new event where
// nobody can change the body.
func (w *work) refuses(at Pos, scheme *Scheme) {
	if scheme.Body() < BoundWhole {
		w.err(at, "replay", "write replay: process to accept that captured requests can be repeated",
			"event %q: event.replay: refuse wants a signature over the whole body; whoever has captured a request under this one changes a byte of it, and it is new", w.label)
		return
	}
	w.info(at, "replay-refuse", "", "event %q: two facts with equal bytes are one event: event.replay: refuse takes the second for a replay", w.label)
}

// unsigned are the parts of the key that the signature does not cover.
func (w *work) unsigned(scheme *Scheme) []string {
	parts := w.event.Key
	if d := w.event.Derived; d != nil {
		parts = d.Of
		if len(parts) == 0 {
			parts = []Selector{{Kind: SelectBody}}
		}
	}
	var all []string
	for _, s := range parts {
		switch {
		case scheme.covers(s):
		case s.Kind == SelectBody && s.Pointer == "":
			all = append(all, "event.derived")
		default:
			all = append(all, s.Text())
		}
	}
	return all
}
