package pgsqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// querier is what *sql.DB, *sql.Conn and *sql.Tx share.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// message is an outbox row in JSON; the payload is base64.
type message struct {
	Effect  string  `json:"effect"`
	Element string  `json:"element"`
	Key     string  `json:"key"`
	Target  *string `json:"target"`
	Payload []byte  `json:"payload"`
}

func encode(rows []whrt.MessageRow) (string, error) {
	if len(rows) == 0 {
		return "[]", nil
	}
	all := make([]message, len(rows))
	for i, r := range rows {
		all[i] = message{Effect: r.Effect, Element: r.Element, Key: r.IdempotencyKey, Payload: append([]byte{}, r.Payload...)}
		if r.Target != "" {
			all[i].Target = &r.Target
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("encode outbox messages: %w", err)
	}
	return string(text), nil
}

// claim runs the statement of one delivery's kind.
func (b *DB) claim(ctx context.Context, q querier, d *whrt.Delivery, lock time.Duration) (whrt.Result, error) {
	messages, err := encode(d.Messages)
	if err != nil {
		return whrt.Result{}, err
	}
	left := storage.Remaining(ctx)
	args := make([]any, 0, 32)
	args = append(args, storage.Millis(min(lock, left)), storage.Millis(left), storage.Millis(left), messages,
		d.Key, d.LockKey, d.Type, d.Fingerprint, string(d.Status), storage.TextOrNull(d.Reason),
		int64(d.Response.Status), storage.TextOrNull(d.Response.ContentType), storage.BytesOrNull(d.Response.Body), d.ContentType, storage.BytesOrNull(d.Payload))
	if b.schema.Bodies {
		args = append(args, storage.BytesOrNull(d.BodyHash), d.BodyLock)
	}
	query := b.schema.Statements.Register
	if d.Status == whrt.StatusDone && d.Event >= 0 && d.Event < len(b.schema.Claims) && b.schema.Claims[d.Event].SQL != "" {
		query = b.schema.Claims[d.Event].SQL
		args = b.schema.Claims[d.Event].Args(d, args)
	}
	return read(ctx, q, whrt.Lost, query, args...)
}

// read runs a claim or a look-up of one key; otherwise is what no row means.
func read(ctx context.Context, q querier, otherwise whrt.Found, query string, args ...any) (whrt.Result, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return whrt.Result{}, err
	}
	defer rows.Close()
	res := whrt.Result{Found: otherwise}
	for rows.Next() {
		var key, found string
		var status, media sql.NullString
		var code sql.NullInt64
		var print, body []byte
		if err := rows.Scan(&key, &found, &print, &status, &code, &media, &body); err != nil {
			return whrt.Result{}, fmt.Errorf("read a claim: %w", err)
		}
		switch found {
		case "new":
			res.Found = whrt.New
		case "busy":
			res.Found = whrt.Busy
		default:
			res = whrt.Result{Found: whrt.Stored, Replayed: found == "replayed", Fingerprint: print, Status: whrt.Status(status.String),
				Response: whrt.StoredResponse{Status: int(code.Int64), ContentType: media.String, Body: body}}
		}
	}
	return res, rows.Err()
}

// Deliver implements whrt.Store: one delivery is one statement, several are a
// statement each in one transaction. A key that stands twice in ds is Lost the
// second time.
func (b *DB) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	all := make([]whrt.Result, len(ds))
	if len(ds) == 1 {
		res, err := b.claim(ctx, b.pool, ds[0], storage.LockWait)
		all[0] = res
		return all, classify(err, true)
	}
	order := make([]int, 0, len(ds))
	seen := make(map[string]bool, len(ds))
	for i, d := range ds {
		all[i].Found = whrt.Lost
		if !seen[d.Key] {
			seen[d.Key] = true
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return nil, nil
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ds[i].Key, ds[j].Key) })
	tx, err := b.pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return nil, unavailable(err)
	}
	defer tx.Rollback() // after COMMIT it does nothing
	for _, i := range order {
		if all[i], err = b.claim(ctx, tx, ds[i], storage.LockWait); err != nil {
			return nil, classify(err, false)
		}
	}
	if err := commit(ctx, tx); err != nil {
		return nil, err
	}
	return all, nil
}
