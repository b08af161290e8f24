package sqlitestore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// querier is what *sql.DB and *sql.Conn share.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Lookup implements whrt.Store; it does not wait for the writer.
func (b *DB) Lookup(ctx context.Context, key string) (whrt.Result, error) {
	res, err := b.lookup(ctx, b.pool, key)
	return res, classify(err)
}

func (b *DB) lookup(ctx context.Context, q querier, key string) (whrt.Result, error) {
	return find(ctx, q, b.schema.Statements.Lookup, key)
}

// find reads the row of a look-up, by whatever it looks for.
func find(ctx context.Context, q querier, query string, by any) (whrt.Result, error) {
	rows, err := q.QueryContext(ctx, query, by)
	if err != nil {
		return whrt.Result{}, err
	}
	defer rows.Close()
	res := whrt.Result{Found: whrt.Absent}
	for rows.Next() {
		var key, found string
		var media sql.NullString
		if err := rows.Scan(&key, &found, &res.Fingerprint, &res.Status, &res.Response.Status, &media, &res.Response.Body); err != nil {
			return whrt.Result{}, err
		}
		res.Found, res.Replayed, res.Response.ContentType = whrt.Stored, found == "replayed", media.String
	}
	return res, rows.Err()
}

// Deliver implements whrt.Store. A key that stands twice in ds is Lost the
// second time.
func (b *DB) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	if len(ds) == 0 {
		return nil, nil
	}
	all := make([]whrt.Result, len(ds))
	writes, err := b.known(ctx, ds, all)
	if err != nil || !writes {
		return all, err
	}
	err = b.write(ctx, func(ctx context.Context, conn *sql.Conn) error {
		for i, d := range ds {
			if all[i].Found == whrt.Stored && bytes.Equal(all[i].Fingerprint, d.Fingerprint) || all[i].Found == whrt.Lost {
				continue
			}
			if all[i], err = b.claim(ctx, conn, d); err != nil {
				return classify(err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// known reads what is stored already, and reports whether anything is left to
// write: a new key, or a conflict.
func (b *DB) known(ctx context.Context, ds []*whrt.Delivery, all []whrt.Result) (writes bool, err error) {
	seen := make(map[string]bool, len(ds))
	for i, d := range ds {
		if seen[d.Key] {
			all[i].Found = whrt.Lost
			continue
		}
		seen[d.Key] = true
		if all[i], err = b.Lookup(ctx, d.Key); err != nil {
			return false, err
		}
		writes = writes || all[i].Found != whrt.Stored || !bytes.Equal(all[i].Fingerprint, d.Fingerprint)
	}
	return writes, nil
}

// claim registers one delivery and writes what it declares, or finds the key
// taken and records a conflict.
func (b *DB) claim(ctx context.Context, conn *sql.Conn, d *whrt.Delivery) (whrt.Result, error) {
	s := b.schema.Statements
	args := []any{d.Key, d.Type, d.Fingerprint, string(d.Status), storage.TextOrNull(d.Reason),
		int64(d.Response.Status), storage.TextOrNull(d.Response.ContentType), storage.BytesOrNull(d.Response.Body)}
	if s.LookupBody != "" {
		args = append(args, storage.BytesOrNull(d.BodyHash))
	}
	written, err := returned(ctx, conn, s.Register, args...)
	if err != nil {
		return whrt.Result{}, err
	}
	if written == 0 {
		return b.taken(ctx, conn, d)
	}
	if d.Status == whrt.StatusDone && d.Event >= 0 && d.Event < len(b.schema.Claims) {
		if err := records(ctx, conn, b.schema.Claims[d.Event], d); err != nil {
			return whrt.Result{}, err
		}
	}
	if d.Payload != nil {
		if _, err := conn.ExecContext(ctx, s.KeepPayload, d.Key, d.ContentType, d.Payload); err != nil {
			return whrt.Result{}, err
		}
	}
	return whrt.Result{Found: whrt.New}, b.enqueue(ctx, conn, d.Key, d.Messages)
}

func (b *DB) taken(ctx context.Context, conn *sql.Conn, d *whrt.Delivery) (whrt.Result, error) {
	res, err := b.lookup(ctx, conn, d.Key)
	if err != nil {
		return whrt.Result{}, err
	}
	if res.Found == whrt.Absent && d.BodyHash != nil {
		if res, err = find(ctx, conn, b.schema.Statements.LookupBody, d.BodyHash); err != nil || res.Replayed {
			return res, err
		}
	}
	if res.Found == whrt.Absent {
		return whrt.Result{Found: whrt.Lost}, nil // a trigger has dropped the row
	}
	if !bytes.Equal(res.Fingerprint, d.Fingerprint) {
		_, err = conn.ExecContext(ctx, b.schema.Statements.RecordConflict, d.Key, d.Fingerprint)
	}
	return res, err
}

func records(ctx context.Context, conn *sql.Conn, c Claim, d *whrt.Delivery) error {
	if c.Records == nil {
		return nil
	}
	for _, r := range c.Records(d) {
		n, err := returned(ctx, conn, r.SQL, r.Args...)
		if err != nil {
			return err
		}
		if n == 0 && !r.Keep {
			return errors.New("a trigger dropped the row of a record effect")
		}
	}
	return nil
}

// returned counts the rows that a statement gives back.
func returned(ctx context.Context, conn *sql.Conn, query string, args ...any) (int, error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

func (b *DB) enqueue(ctx context.Context, conn *sql.Conn, key string, messages []whrt.MessageRow) error {
	for _, m := range messages {
		_, err := conn.ExecContext(ctx, b.schema.Statements.Enqueue, key, m.Effect, m.Element, m.IdempotencyKey,
			storage.TextOrNull(m.Target), append([]byte{}, m.Payload...))
		if err != nil {
			return err
		}
	}
	return nil
}
