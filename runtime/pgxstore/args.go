package pgxstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// Text is the argument of a text, numeric, date or json column.
func Text(d whrt.Datum) pgtype.Text { return pgtype.Text{String: d.Text, Valid: d.Valid} }

// Int is the argument of an integer column.
func Int(d whrt.Datum) pgtype.Int8 { return pgtype.Int8{Int64: d.Int, Valid: d.Valid} }

// Bool is the argument of a boolean column.
func Bool(d whrt.Datum) pgtype.Bool { return pgtype.Bool{Bool: d.Bool, Valid: d.Valid} }

// Time is the argument of a timestamp column.
func Time(d whrt.Datum) pgtype.Timestamptz { return pgtype.Timestamptz{Time: d.Time, Valid: d.Valid} }

// Bytes is the argument of a bytes column; an empty value is not NULL.
func Bytes(d whrt.Datum) []byte {
	switch {
	case !d.Valid:
		return nil
	case d.Bytes == nil:
		return []byte{}
	}
	return d.Bytes
}

// optional makes empty text NULL.
func optional(s string) pgtype.Text { return pgtype.Text{String: s, Valid: s != ""} }

// messages are outbox rows as arrays.
type messages struct {
	keys, effects, elements, idempotency []string
	targets                              pgtype.FlatArray[pgtype.Text] // a plain slice would be read by reflection
	payloads                             pgtype.FlatArray[[]byte]
}

func (m *messages) add(key string, rows []whrt.MessageRow) {
	for _, r := range rows {
		m.keys = append(m.keys, key)
		m.effects = append(m.effects, r.Effect)
		m.elements = append(m.elements, r.Element)
		m.idempotency = append(m.idempotency, r.IdempotencyKey)
		m.targets = append(m.targets, optional(r.Target))
		m.payloads = append(m.payloads, append([]byte{}, r.Payload...))
	}
}

func (m *messages) args(args []any) []any {
	return append(args, orEmpty(m.keys), orEmpty(m.effects), orEmpty(m.elements), orEmpty(m.idempotency), orEmpty(m.targets), orEmpty(m.payloads))
}

// orEmpty makes an empty array of nothing: unnest of NULL would do, but not for
// every driver mode.
func orEmpty[S ~[]T, T any](s S) S {
	if s == nil {
		return S{}
	}
	return s
}

const headArgs = 20

// head are the arguments that every claim begins with.
func (b *DB) head(ctx context.Context, ds []*whrt.Delivery, lock time.Duration) []any {
	n := len(ds)
	keys, locks, kinds := make([]string, n), make([]int64, n), make([]string, n)
	prints, states, reasons := make(pgtype.FlatArray[[]byte], n), make([]string, n), make(pgtype.FlatArray[pgtype.Text], n)
	codes, media, bodies := make([]int32, n), make(pgtype.FlatArray[pgtype.Text], n), make(pgtype.FlatArray[[]byte], n)
	payloadTypes, payloads := make([]string, n), make(pgtype.FlatArray[[]byte], n)
	var m messages
	for i, d := range ds {
		keys[i], locks[i], kinds[i] = d.Key, d.LockKey, d.Type
		prints[i], states[i], reasons[i] = d.Fingerprint, string(d.Status), optional(d.Reason)
		codes[i], media[i], bodies[i] = int32(d.Response.Status), optional(d.Response.ContentType), d.Response.Body
		payloadTypes[i], payloads[i] = d.ContentType, d.Payload
		m.add(d.Key, d.Messages)
	}
	left := storage.Remaining(ctx)
	args := make([]any, 0, headArgs+16)
	args = append(args, storage.Millis(min(lock, left)), storage.Millis(left), storage.Millis(left))
	args = m.args(args)
	args = append(args, keys, locks, kinds, prints, states, reasons, codes, media, bodies, payloadTypes, payloads)
	if b.schema.Bodies {
		return bodyArgs(args, ds)
	}
	return args
}

func bodyArgs(args []any, ds []*whrt.Delivery) []any {
	hashes, locks := make(pgtype.FlatArray[[]byte], len(ds)), make([]int64, len(ds))
	for i, d := range ds {
		hashes[i], locks[i] = d.BodyHash, d.BodyLock
	}
	return append(args, hashes, locks)
}
