package runtime

import (
	"context"
	"net/http"
	"path"
	"time"
)

// ServeHTTP judges one attempt: method, media type and size, then the signature
// over the raw bytes, then type, key and content, and only then the database.
// The answer is written after a confirmed commit. Paths that are no endpoint,
// or not written cleanly, are 404 and never redirected.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	e := r.find(hr)
	if e == nil {
		notFound(w, hr)
		return
	}
	r.serve(w, hr, e)
}

// serve judges an attempt at an endpoint.
func (r *Receiver) serve(w http.ResponseWriter, hr *http.Request, e *endpoint) {
	rq := &request{rcv: r, endpoint: e, http: hr, start: time.Now(), at: r.clock.Now()}
	v := rq.judge(w)
	status := rq.answer(w, v)
	for _, e := range rq.batched {
		e.rq.observe(e.v, status, false)
	}
	if rq.batched == nil {
		rq.observe(v, status, false)
	}
}

// judge takes the steps of one attempt in order.
func (rq *request) judge(w http.ResponseWriter) verdict {
	if v, ok := rq.admit(w); !ok {
		return v
	}
	if v, ok := rq.challenged(); !ok {
		return v
	}
	if v, ok := rq.verify(rq.http.Context(), rq.at); !ok {
		return rq.refusedChallenge(v)
	}
	if v, ok := rq.challengedSigned(); !ok {
		return v
	}
	p := rq.parse()
	if p == nil && rq.endpoint.items != nil {
		return rq.batch()
	}
	if p == nil {
		p = rq.classify()
	}
	if p != nil {
		return decided(p.outcome, p.reason)
	}
	if rq.event == nil {
		return rq.unknown()
	}
	d, p := rq.delivery()
	if p != nil {
		return decided(p.outcome, p.reason)
	}
	return rq.process(d)
}

// unknown applies the policy for a verified type that nobody listed.
func (rq *request) unknown() verdict {
	if rq.endpoint.Unknown == UnknownRetry {
		return verdict{outcome: Failed, class: "type", reason: "nobody listed the event type"}
	}
	d := rq.unlisted()
	if d == nil {
		return decided(Ignored, "nobody listed the event type")
	}
	v := rq.process(d)
	if v.outcome == Ignored {
		v.reason = "nobody listed the event type"
	}
	return v
}

// NoRedirects answers 404 where http.ServeMux would redirect a path that is not
// clean. Senders do not follow redirects, or follow them with a GET. Serve
// wraps its handler with it.
func NoRedirects(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clean := path.Clean(r.URL.Path)
		if clean != r.URL.Path && clean+"/" != r.URL.Path {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// maxDeviations is how many deviations of one body are told: they name members,
// and a body can have as many as it likes.
const maxDeviations = 32

// observe tells the observer, and forgives it a panic.
func (rq *request) observe(v verdict, status int, late bool) {
	a := rq.seen
	a.Source, a.Endpoint = rq.rcv.def.Source, rq.endpoint.Name
	if rq.event != nil {
		a.Event = rq.event.Name
	}
	a.Outcome, a.Status, a.Duration, a.Late = v.outcome, status, time.Since(rq.start), late
	if late {
		a.Deviations = nil // they were told with the answer
	}
	a.Deviations = append(a.Deviations, v.deviations[:min(len(v.deviations), maxDeviations)]...)
	a.Reason, a.ErrorClass, a.Err, a.ClockOffset, a.Reruns = v.reason, v.class, v.err, v.offset, v.reruns
	a.Replayed = v.replayed
	ctx := context.WithoutCancel(rq.http.Context())
	defer func() { _ = recover() }()
	rq.rcv.observer.Attempt(ctx, a)
}

func (r *Receiver) warn(ctx context.Context, w Warning) {
	w.Source = r.def.Source
	defer func() { _ = recover() }()
	r.observer.Warning(ctx, w)
}
