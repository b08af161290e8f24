package pgxstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/internal/storage"
)

// statement is one claim, for deliveries of one kind.
type statement struct {
	sql  string
	args []any
}

// results finds the place of a key's result.
type results struct {
	all  []whrt.Result
	only string // the one key, without a map
	at   map[string]int
}

func newResults(ds []*whrt.Delivery) (*results, []*whrt.Delivery) {
	r := &results{all: make([]whrt.Result, len(ds))}
	for i := range r.all {
		r.all[i].Found = whrt.Lost // what no row comes back for
	}
	if len(ds) == 1 {
		r.only = ds[0].Key
		return r, ds
	}
	r.at = make(map[string]int, len(ds))
	distinct := make([]*whrt.Delivery, 0, len(ds))
	for i, d := range ds {
		if _, twice := r.at[d.Key]; !twice {
			r.at[d.Key] = i
			distinct = append(distinct, d)
		}
	}
	return r, distinct
}

func (r *results) set(key string, res whrt.Result) error {
	i, ok := r.at[key]
	if !ok && (r.at != nil || key != r.only) {
		return errors.New("the claim answered for a key that was not asked")
	}
	r.all[i] = res
	return nil
}

// collect reads the rows of a claim or a look-up.
func collect(rows pgx.Rows, set func(string, whrt.Result) error) error {
	defer rows.Close()
	for rows.Next() {
		var key, found string
		var status, media pgtype.Text
		var code pgtype.Int4
		var print, body []byte
		if err := rows.Scan(&key, &found, &print, &status, &code, &media, &body); err != nil {
			return fmt.Errorf("read a claim: %w", err)
		}
		res := whrt.Result{Found: whrt.New}
		switch found {
		case "busy":
			res.Found = whrt.Busy
		case "stored", "replayed":
			res = whrt.Result{Found: whrt.Stored, Replayed: found == "replayed", Fingerprint: print, Status: whrt.Status(status.String),
				Response: whrt.StoredResponse{Status: int(code.Int32), ContentType: media.String, Body: body}}
		}
		if err := set(key, res); err != nil {
			return err
		}
	}
	return rows.Err()
}

// claimOf is the statement of one delivery's kind.
func (b *DB) claimOf(d *whrt.Delivery) (int, Claim) {
	if d.Status == whrt.StatusDone && d.Event >= 0 && d.Event < len(b.schema.Claims) && b.schema.Claims[d.Event].SQL != "" {
		return d.Event, b.schema.Claims[d.Event]
	}
	return -1, Claim{SQL: b.schema.Statements.Register}
}

// group makes one statement for each kind, in the order of first appearance.
func (b *DB) group(ctx context.Context, ds []*whrt.Delivery) []statement {
	if len(ds) == 1 {
		_, c := b.claimOf(ds[0])
		return []statement{c.of(b.head(ctx, ds, storage.LockWait), ds)}
	}
	var order []int
	kinds := map[int][]*whrt.Delivery{}
	for _, d := range ds {
		kind, _ := b.claimOf(d)
		if kinds[kind] == nil {
			order = append(order, kind)
		}
		kinds[kind] = append(kinds[kind], d)
	}
	all := make([]statement, 0, len(order))
	for _, kind := range order {
		same := kinds[kind]
		_, c := b.claimOf(same[0])
		all = append(all, c.of(b.head(ctx, same, storage.LockWait), same))
	}
	return all
}

func (c Claim) of(args []any, ds []*whrt.Delivery) statement {
	if c.Args != nil {
		args = c.Args(ds, args)
	}
	return statement{sql: c.SQL, args: args}
}

// Deliver implements whrt.Store. Deliveries of one kind are one statement, that
// is one round trip; of several kinds one pipelined transaction. A key that
// stands twice in ds is Lost the second time.
func (b *DB) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	if len(ds) == 0 {
		return nil, nil
	}
	res, distinct := newResults(ds)
	all := b.group(ctx, distinct)
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	defer conn.Release()
	if len(all) == 1 {
		err = single(ctx, conn, all[0], res)
	} else {
		err = several(ctx, conn, all, res)
	}
	if err != nil {
		return nil, err
	}
	return res.all, nil
}

func single(ctx context.Context, conn *pgxpool.Conn, s statement, res *results) error {
	rows, err := conn.Query(ctx, s.sql, s.args...)
	if err == nil {
		err = collect(rows, res.set)
	}
	return classify(conn, err, true)
}

func several(ctx context.Context, conn *pgxpool.Conn, all []statement, res *results) error {
	var batch pgx.Batch
	batch.Queue(begin)
	for _, s := range all {
		batch.Queue(s.sql, s.args...).Query(func(rows pgx.Rows) error { return collect(rows, res.set) })
	}
	tag := ""
	batch.Queue(commit).Exec(commitTag(&tag))
	if err := conn.SendBatch(ctx, &batch).Close(); err != nil {
		rollback(conn)
		return classify(conn, err, true)
	}
	return committed(tag)
}
