package runtime

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"time"
)

// Slog writes what happens to a logger: one line an attempt, a send, a warning.
// Failures are errors; conflicts, rejections and refused requests warnings;
// duplicates and the rest information. It shows event keys, reasons and the
// words of databases and handlers, never secrets, signatures, headers, bodies
// or addresses of downstreams. nil means slog.Default().
func Slog(l *slog.Logger) Observer {
	if l == nil {
		l = slog.Default()
	}
	return slogObserver{l: l}
}

type slogObserver struct {
	NoObserver
	l *slog.Logger
}

func (o slogObserver) Attempt(ctx context.Context, a Attempt) {
	level := attemptLevel(a)
	if !o.l.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("source", a.Source),
		slog.String("outcome", a.Outcome.String()),
		slog.Duration("duration", a.Duration.Round(10*time.Microsecond)),
	}
	attrs = appendText(attrs, "endpoint", a.Endpoint)
	attrs = appendText(attrs, "tenant", a.Tenant)
	attrs = appendText(attrs, "event", a.Event)
	attrs = appendText(attrs, "type", a.Type)
	attrs = appendText(attrs, "key", a.Key)
	attrs = appendText(attrs, "reason", a.Reason)
	attrs = appendText(attrs, "class", a.ErrorClass)
	attrs = appendText(attrs, "error", errorText(a.Err))
	attrs = appendText(attrs, "stack", stackText(a.Err))
	attrs = appendText(attrs, "secret", a.Secret)
	if a.Status != 0 {
		attrs = append(attrs, slog.Int("status", a.Status))
	}
	if a.ClockOffset != 0 {
		attrs = append(attrs, slog.Duration("clock_offset", a.ClockOffset))
	}
	for _, d := range a.Deviations {
		attrs = append(attrs, slog.String("deviation", d.Kind+" "+d.Pointer))
	}
	if a.Late {
		attrs = append(attrs, slog.Bool("late", true))
	}
	if a.Reruns > 0 {
		attrs = append(attrs, slog.Int("reruns", a.Reruns))
	}
	o.l.LogAttrs(ctx, level, "webhook", attrs...)
}

func attemptLevel(a Attempt) slog.Level {
	switch a.Outcome {
	case Failed:
		return slog.LevelError
	case Conflict, Rejected, Unauthenticated, Malformed, TooLarge, UnsupportedMedia, MethodNotAllowed:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

func (o slogObserver) Send(ctx context.Context, s Send) {
	level := slog.LevelInfo
	switch s.State {
	case "pending":
		level = slog.LevelWarn
	case "dead", "uncertain":
		level = slog.LevelError
	}
	attrs := []slog.Attr{
		slog.String("source", s.Source), slog.String("effect", s.Effect), slog.String("state", s.State),
		slog.String("key", s.EventKey), slog.String("idempotency_key", s.IdempotencyKey),
		slog.Int("attempt", s.Attempt), slog.Duration("duration", s.Duration.Round(10*time.Microsecond)),
	}
	if s.Delay > 0 {
		attrs = append(attrs, slog.Duration("delay", s.Delay))
	}
	o.l.LogAttrs(ctx, level, "outbox", appendText(attrs, "error", errorText(s.Err))...)
}

func (o slogObserver) Warning(ctx context.Context, w Warning) {
	attrs := appendText([]slog.Attr{slog.String("source", w.Source)}, "setting", w.Setting)
	o.l.LogAttrs(ctx, slog.LevelWarn, w.Text, appendText(attrs, "error", errorText(w.Err))...)
}

func appendText(attrs []slog.Attr, name, text string) []slog.Attr {
	if text == "" {
		return attrs
	}
	return append(attrs, slog.String(name, text))
}

// errorText is an error's text without an address, whose query may hold a token.
func errorText(err error) string {
	var address *url.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &address):
		return shorten(address.Op+": "+errorText(address.Err), maxReason)
	default:
		return shorten(err.Error(), maxReason)
	}
}

func stackText(err error) string {
	var p *PanicError
	if !errors.As(err, &p) {
		return ""
	}
	return string(p.Stack)
}
