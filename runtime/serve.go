package runtime

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	readTimeout       = 30 * time.Second // of one request, body included
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	answerMargin      = 10 * time.Second // to write an answer
	drainGrace        = 9 * time.Second  // inside the 10 s that supervisors grant at least
	readyTimeout      = 2 * time.Second
)

// Serve listens on addr until ctx ends: a whole process in one call. It serves
// handler, runs each receiver's relay, and then drains: no new connections,
// requests and work in flight are finished, at most 9 s. It returns nil when
// everything ended well.
//
// A server of one's own needs a WriteTimeout above the longest answerWithin,
// and no http.TimeoutHandler below it: what they cut off is committed, but its
// answer is lost, and the sender delivers again. Serve sets its own accordingly.
//
// With a context from signal.NotifyContext call its stop function as soon as
// the context ends (context.AfterFunc(ctx, stop)): a second signal then ends the
// process at once, and open transactions are rolled back by the database.
func Serve(ctx context.Context, addr string, handler http.Handler, receivers ...*Receiver) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return ServeListener(ctx, l, handler, receivers...)
}

// ServeListener is Serve on a listener that is open already; it closes it.
func ServeListener(ctx context.Context, l net.Listener, handler http.Handler, receivers ...*Receiver) error {
	server := &http.Server{
		Handler:           NoRedirects(handler),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      readTimeout + longestAnswer(receivers) + answerMargin,
		IdleTimeout:       idleTimeout,
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			cancel(fmt.Errorf("serve: %w", err))
		}
	}()
	relays := runAll(ctx, cancel, receivers)
	<-ctx.Done()
	failure := context.Cause(ctx)
	if errors.Is(failure, ctx.Err()) {
		failure = nil // asked to stop
	}
	return errors.Join(failure, drain(server, receivers, relays))
}

// runAll runs every receiver beside the server; one that fails stops everything.
func runAll(ctx context.Context, cancel context.CancelCauseFunc, receivers []*Receiver) *sync.WaitGroup {
	var running sync.WaitGroup
	for _, r := range receivers {
		running.Go(func() {
			if err := r.Run(ctx); err != nil && ctx.Err() == nil {
				cancel(err)
			}
		})
	}
	return &running
}

func drain(server *http.Server, receivers []*Receiver, relays *sync.WaitGroup) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainGrace)
	defer cancel()
	for _, r := range receivers {
		r.draining.Store(true)
	}
	var problems []error
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
		problems = append(problems, fmt.Errorf("shut the server down: %w", err))
	}
	for _, r := range receivers {
		problems = append(problems, r.Drain(ctx))
	}
	ended := make(chan struct{})
	go func() {
		relays.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		problems = append(problems, errors.New("the relay did not end in time"))
	}
	return errors.Join(problems...)
}

// longestAnswer is the longest answerWithin of all receivers.
func longestAnswer(receivers []*Receiver) time.Duration {
	var longest time.Duration
	for _, r := range receivers {
		for i := range r.def.Events {
			longest = max(longest, r.def.Events[i].Timing.AnswerWithin)
		}
		for i := range r.def.Endpoints {
			longest = max(longest, r.def.Endpoints[i].Timing.AnswerWithin)
		}
	}
	return longest
}

// Health mounts GET /healthz (the process lives) and GET /readyz (the databases
// answer within 2 s, and nothing is being drained). Neither says why.
func Health(mux *http.ServeMux, receivers ...*Receiver) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		send(w, r.Method, http.StatusOK, "", []byte("ok\n"))
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		for _, rcv := range receivers {
			if err := rcv.Ready(ctx); err != nil {
				rcv.warn(ctx, Warning{Text: "not ready", Err: err})
				send(w, r.Method, http.StatusServiceUnavailable, "", []byte("not ready\n"))
				return
			}
		}
		send(w, r.Method, http.StatusOK, "", []byte("ok\n"))
	})
}
