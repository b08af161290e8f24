package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/whgen/whgen/runtime/outbox"
)

// relayGrace is how long attempts may go on at shutdown: inside drainGrace.
const relayGrace = drainGrace - time.Second

// buildRelay checks every outbox effect: a call needs a sender, an http effect
// an address that its settings complete.
func (r *Receiver) buildRelay(o Options) error {
	var effects []outbox.Effect
	var problems []error
	for i := range r.def.Effects {
		e := &r.def.Effects[i]
		s, err := r.sender(e, o)
		if err != nil {
			problems = append(problems, fmt.Errorf("effect %s: %w", e.Name, err))
			continue
		}
		effects = append(effects, outbox.Effect{
			Name: e.Name, NoKey: e.NoKey, Remembers: e.Remembers, Always: e.Always,
			Retry: e.Retry, Jitter: e.Jitter, Timeout: e.Timeout, Sender: s,
		})
	}
	if len(effects) > 0 && !o.NoRelay {
		r.relay = outbox.NewRelay(r.store, effects, outbox.Options{
			Observer: r.sent, Skew: func() time.Duration { return Skew(r.clock) }, Grace: relayGrace,
		})
	}
	return errors.Join(problems...)
}

func (r *Receiver) sender(e *Effect, o Options) (outbox.Sender, error) {
	if e.HTTP != nil {
		return newHTTPSender(e, r.settings, o.HTTPClient)
	}
	s := o.Senders[e.Name]
	if s == nil && !o.NoRelay {
		return nil, errors.New("no sender is given")
	}
	return s, nil
}

// newHTTPSender completes the description of an http effect with settings.
func newHTTPSender(e *Effect, settings map[string]string, client *http.Client) (outbox.Sender, error) {
	base, err := fillSettings(e.HTTP.URL, settings)
	if err != nil {
		return nil, err
	}
	headers, err := fillHeaders(e.HTTP.Headers, settings)
	if err != nil {
		return nil, err
	}
	h := outbox.HTTP{
		Method: e.HTTP.Method, URL: base, Headers: headers, Success: e.HTTP.Success, RetryOn: e.HTTP.RetryOn,
		Private: e.HTTP.Private, Client: client,
	}
	if !e.NoKey {
		h.KeyHeader = cmp.Or(e.Header, "Idempotency-Key")
	}
	return outbox.NewHTTPSender(h)
}

// Run sends what waits in the outbox until ctx ends, lets attempts that run end
// (at most 8 s) and gives the rest back. Call it once, beside the server; it
// returns at once with ctx where there is nothing to send. Database failures
// are observed as warnings and tried again.
func (r *Receiver) Run(ctx context.Context) error {
	if r.relay == nil {
		<-ctx.Done()
		return nil
	}
	if err := r.relay.Run(ctx); err != nil {
		return fmt.Errorf("receiver %s: relay: %w", r.def.Source, err)
	}
	return nil
}

// Wake makes the relay look for due messages now, for programs that enqueue
// outside of a delivery.
func (r *Receiver) Wake() { r.relay.Wake() }

// sent hands the relay's events to the observer.
func (r *Receiver) sent(e outbox.Event) {
	ctx := context.Background()
	switch e.Kind {
	case outbox.AttemptEnded, outbox.Settled:
		defer func() { _ = recover() }()
		r.observer.Send(ctx, Send{
			Source: r.def.Source, Effect: e.Effect, EventKey: e.EventKey, IdempotencyKey: e.IdempotencyKey,
			Attempt: e.Attempt, State: string(e.State), Delay: e.Delay, Duration: e.Took, Err: e.Err,
		})
	case outbox.StoreFailed:
		r.warn(ctx, Warning{Text: "the relay could not use the outbox table", Err: e.Err})
	case outbox.LeaseLost:
		r.warn(ctx, Warning{Text: "effect " + e.Effect + ": an attempt took longer than its lease", Err: e.Err})
	case outbox.OutageBegan, outbox.OutageEnded:
		r.warn(ctx, Warning{Text: "effect " + e.Effect + ": " + string(e.Kind), Err: e.Err})
	}
}

// fillSettings joins literal parts and settings.
func fillSettings(parts []SettingPart, settings map[string]string) (string, error) {
	text := ""
	for _, p := range parts {
		if p.Setting == "" {
			text += p.Text
			continue
		}
		v, ok := settings[p.Setting]
		if !ok {
			return "", fmt.Errorf("%s is no setting of the definition", p.Setting)
		}
		text += v
	}
	return text, nil
}

// fillHeaders gives the constant headers of an http effect.
func fillHeaders(list []HeaderParts, settings map[string]string) ([]outbox.Header, error) {
	var headers []outbox.Header
	for _, line := range list {
		v, err := fillSettings(line.Value, settings)
		if err != nil {
			return nil, err
		}
		headers = append(headers, outbox.Header{Name: line.Name, Value: v})
	}
	return headers, nil
}
