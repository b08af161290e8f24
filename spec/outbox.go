package spec

import (
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

type schemaRef = openapi3.SchemaRef

// defaultRetry is the schedule of a message that declares none.
var defaultRetry = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour}

// outbox reads what call and http effects have in common.
func (w *work) outbox(f field, e *Effect) {
	v := f.value
	w.to(f, e)
	e.Enqueue = w.word(v.get("enqueue"), "effects."+f.name+".enqueue", []string{"handler"}, nil)
	if e.Kind == EffectHTTP {
		w.request(f, e)
	}
	e.Timeout = defaultTimeout
	if e.To != nil {
		e.Timeout = e.To.Timeout
	}
	if d, ok := w.duration(v.get("timeout"), "effects."+f.name+".timeout"); ok {
		e.Timeout = d
	}
	if e.Enqueue == "handler" {
		w.payloadTypes(f, e)
	} else if n := v.get("payload"); n != nil {
		e.Payload = w.payload(n, "effect "+f.name)
	} else if w.event.Body == RawBody {
		w.err(f.at, "effect-payload", "write payload: {id: header:X-Id}", "effect %q: the body is not read, so the message needs a payload of its own", f.name)
	}
	w.effectKey(f, e)
	w.retry(f, e)
}

func (w *work) to(f field, e *Effect) {
	n := f.value.get("to")
	if n == nil {
		if e.Kind == EffectHTTP {
			w.err(f.at, "effect-to", "write to: crm and declare downstreams: {crm: {url: ...}}", "effect %q does not say which downstream it calls", f.name)
		}
		return
	}
	var names []string
	for _, d := range w.contract.Downstreams {
		if names = append(names, d.Name); d.Name == n.text {
			e.To = d
		}
	}
	if e.To == nil {
		w.err(n.at, "effect-to", didYouMean(n.text, names), "effect %q: downstream %q is not declared", f.name, n.text)
	}
}

// request reads `http: POST /deals/{/data/id}`.
func (w *work) request(f field, e *Effect) {
	n := f.value.get("http")
	method, path, ok := strings.Cut(textOf(n), " ")
	if !ok || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \t\n?#") && !strings.Contains(path, "{") {
		w.err(n.at, "effect-http", "write http: POST /deals/{/data/id}", "effect %q: want a method and a path", f.name)
		return
	}
	if !contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) {
		w.err(n.at, "effect-http", didYouMean(method, []string{"GET", "POST", "PUT", "PATCH", "DELETE"}), "effect %q: method %q is not known", f.name, method)
		return
	}
	e.Method = method
	e.Path = &Template{Pos: n.at}
	w.split(path, func(inner string) (TemplatePart, bool) {
		return w.selectorPart(inner, n.at, place{"effect " + f.name, inDelivery})
	}, e.Path)
	if e.Enqueue == "handler" {
		return // the handler gives the values: the selectors only name them
	}
	for i := range e.Path.Parts {
		w.hold(e.Path.Parts[i].Selector, "effect "+f.name, true)
	}
	w.composite("effect "+f.name, n.at, e.Path)
}

func (w *work) effectKey(f field, e *Effect) {
	own := w.outsideKey(f.value.get("key"), "effect "+f.name)
	switch {
	case own != nil:
		e.Key = *own
	case f.value.get("key") != nil:
		return
	case e.To != nil && e.To.Key != nil:
		e.Key = *e.To.Key
	case e.To != nil && w.badKeys[e.To.Name]:
		return
	default:
		w.err(f.at, "effect-key", "write key: {remembers: 24h} if the outside knows idempotency keys, key: {remembers: always} where repeating does no harm, else key: none",
			"effect %q does not say how the outside knows a repeated message", f.name)
		return
	}
	if e.Key.Header == "" && e.To != nil && e.To.Key != nil {
		e.Key.Header = e.To.Key.Header
	}
	if e.Key.Header == "" && e.Kind == EffectHTTP && !e.Key.None {
		e.Key.Header = "Idempotency-Key"
	}
}

// retry reads the schedule and cuts it to end inside what the outside
// remembers: past that a repeat would be a second deed.
func (w *work) retry(f field, e *Effect) {
	v := f.value.get("retry")
	all, declared := defaultRetry, v != nil
	switch {
	case v.is(mapForm):
		all = w.backoff(v, f.name, e)
	case v.is(listForm):
		all = nil
		for _, item := range v.items {
			if d, ok := w.duration(item, "effects."+f.name+".retry"); ok {
				all = append(all, d)
			}
		}
	}
	e.Retry = append([]time.Duration{}, all...)
	if e.Key.Remembers == 0 {
		return
	}
	kept := cutSchedule(all, e.RetryJitter, e.Timeout, e.Key.Remembers)
	if declared && kept < len(all) {
		w.warn(v.at, "retry-cut", "", "effect %q: the outside forgets the key after %s; the schedule ends after %d of %d repeats", f.name, inDays(e.Key.Remembers), kept, len(all))
	}
	e.Retry = e.Retry[:kept]
}

// cutSchedule is how many delays fit, each attempt taking its whole timeout
// and each delay its whole jitter.
func cutSchedule(all []time.Duration, jitter float64, timeout, remembers time.Duration) int {
	total := timeout
	for i, d := range all {
		total += d + time.Duration(float64(d)*jitter) + timeout
		if total > remembers {
			return i
		}
	}
	return len(all)
}

func (w *work) backoff(v *value, name string, e *Effect) []time.Duration {
	attempts, ok := w.whole(v.get("attempts"), "effects."+name+".retry.attempts", 1)
	if !ok {
		if v.get("attempts") == nil {
			w.err(v.at, "effect-retry", "write attempts: 8", "effect %q: retry does not say how many attempts", name)
		}
		return nil
	}
	if attempts > 1000 {
		w.err(v.get("attempts").at, "effect-retry", "", "effect %q: want at most 1000 attempts", name)
		return nil
	}
	delay, most := 5*time.Second, 8*time.Hour
	if d, ok := w.duration(v.get("initial"), "effects."+name+".retry.initial"); ok {
		delay = d
	}
	if d, ok := w.duration(v.get("max"), "effects."+name+".retry.max"); ok {
		most = d
	}
	if j := v.get("jitter"); j.is(numberForm) {
		share, err := strconv.ParseFloat(j.text, 64)
		if err != nil || share < 0 || share > 1 {
			w.err(j.at, "effect-retry", "write a share such as 0.2", "effect %q: jitter is a share from 0 to 1", name)
		} else {
			e.RetryJitter = share
		}
	}
	var all []time.Duration
	for range attempts - 1 {
		all = append(all, min(delay, most))
		delay = min(delay*2, most)
	}
	return all
}
