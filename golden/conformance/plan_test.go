package conformance_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/whgen/whgen/golden/conformance"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

// explained collects the plans of what sessions execute, as auto_explain tells them.
type explained struct {
	mu    sync.Mutex
	plans []string
}

func (e *explained) note(_ *pgconn.PgConn, n *pgconn.Notice) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if strings.Contains(n.Message, "plan:") {
		e.plans = append(e.plans, n.Message)
	}
}

// take gives the plans so far and forgets them.
func (e *explained) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	plans := e.plans
	e.plans = nil
	return plans
}

func (e *explained) listen(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_level = 'notice'")
	return err
}

// open gives one session, so that what is prepared stays in sight.
func (e *explained) open(ctx context.Context, b conformance.Backend, dsn string) (conformance.Pool, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.MaxConns, config.AfterConnect, config.ConnConfig.OnNotice = 1, e.listen, e.note
	if b.Name == "pgsql" {
		db := stdlib.OpenDB(*config.ConnConfig, stdlib.OptionAfterConnect(e.listen))
		db.SetMaxOpenConns(1)
		return sqlPool{db}, nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return pgxPool{pool, stdlib.OpenDBFromPool(pool)}, nil
}

// TestPlans: statements that were prepared while the tables were empty find
// their rows by an index when the tables have grown, and are not planned anew
// for each delivery.
func TestPlans(t *testing.T) {
	for _, b := range []conformance.Backend{onPgx(), onSQL("pgsql", "pgx")} {
		t.Run(b.Name, func(t *testing.T) {
			e := &explained{}
			ctx := t.Context()
			pool, err := e.open(ctx, b, schema(t, pgtest.DSN(t)))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(pool.Close)
			if err := pool.Migrate(ctx, false); err != nil {
				t.Fatal(err)
			}
			rcv, err := pool.Credits(ctx, conformance.Options{
				Secrets: whrt.SecretsMap{"CREDITS_SECRET": "plans"}, Settings: whrt.SettingsMap{"WAREHOUSE_URL": "http://127.0.0.1:9"}, NoRelay: true,
				Work: func(_ context.Context, o conformance.Order) error {
					if o.ID == "fail" {
						return errors.New("for the failures table")
					}
					return nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			deliverAll(t, rcv, "empty", 12)
			grow(t, pool.DB())
			e.take()
			deliverAll(t, rcv, "grown", 12)
			judge(t, e.take())
			planned(t, pool.DB())
		})
	}
}

// deliverAll delivers n events of each kind, each thrice: new, again, and changed.
func deliverAll(t *testing.T, rcv *whrt.Receiver, name string, n int) {
	t.Helper()
	for i := range n {
		for _, kind := range []string{"paid", "settled"} {
			for attempt, order := range []string{"o", "o", "changed"} {
				post(t, rcv, fmt.Sprintf(`{"id":"%s_%s_%d","type":"order.%s","data":{"order_id":%q,"amount":1}}`, name, kind, i, kind, order), 200, attempt)
			}
		}
		post(t, rcv, fmt.Sprintf(`{"id":"%s_fail_%d","type":"order.paid","data":{"order_id":"fail","amount":1}}`, name, i), 503, 0)
		post(t, rcv, fmt.Sprintf(`{"id":"%s_unknown_%d","type":"order.unknown"}`, name, i), 200, 0)
	}
}

func post(t *testing.T, rcv *whrt.Receiver, body string, status, attempt int) {
	t.Helper()
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	m := hmac.New(sha256.New, []byte("plans"))
	m.Write([]byte(body))
	r.Header.Set("X-Sig", hex.EncodeToString(m.Sum(nil)))
	w := httptest.NewRecorder()
	rcv.ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("%s, attempt %d: status %d, want %d", body, attempt, w.Code, status)
	}
}

const grown = 20_000

// grow fills the tables behind the receiver's back, and keeps their statistics
// as they were: those of empty tables.
func grow(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, s := range []string{
		`INSERT INTO credits_inbox_events (event_key, event_type, payload_sha256, status, response_status)
			SELECT 'k' || n, 'order.paid', '\x00', 'done', 200 FROM generate_series(1, %d) n`,
		`INSERT INTO credits_inbox_conflicts (event_key, payload_sha256) SELECT 'k' || n, '\x01' FROM generate_series(1, %d) n`,
		`INSERT INTO credits_inbox_failures (event_key, event_type, payload_sha256, last_error) SELECT 'f' || n, 't', '\x01', 'e' FROM generate_series(1, %d) n`,
		`INSERT INTO credits_inbox_payloads (event_key, content_type, body) SELECT 'k' || n, 't', '\x01' FROM generate_series(1, %d) n`,
		`INSERT INTO credits_outbox_messages (event_key, effect, element, idempotency_key, payload, status) SELECT 'k' || n, 'ship', '', 'i' || n, '\x01', 'sent' FROM generate_series(1, %d) n`,
	} {
		if _, err := db.Exec(fmt.Sprintf(s, grown)); err != nil {
			t.Fatal(err)
		}
	}
}

// judge wants an index wherever a plan reads a table of ours.
func judge(t *testing.T, plans []string) {
	t.Helper()
	byIndex := 0
	for _, p := range plans {
		if strings.Contains(p, "Seq Scan on credits_") {
			t.Errorf("a delivery reads a whole table:\n%s", p)
		}
		if strings.Contains(p, "using credits_inbox_events_pkey") {
			byIndex++
		}
	}
	if byIndex < 12 {
		t.Errorf("%d of %d plans use the index of the inbox, want one a delivery", byIndex, len(plans))
	}
}

// planned wants statements that were executed often to have one plan.
func planned(t *testing.T, db *sql.DB) {
	t.Helper()
	rows, err := db.Query("SELECT left(statement, 60), generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE '%credits_%'")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	often := 0
	for rows.Next() {
		var text string
		var generic, custom int
		if err := rows.Scan(&text, &generic, &custom); err != nil {
			t.Fatal(err)
		}
		if generic+custom > 10 {
			often++
		}
		if custom > 5 { // PostgreSQL tries five before it considers the generic one
			t.Errorf("planned %d times for %d executions: %s", custom, generic+custom, text)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if often < 2 {
		t.Errorf("%d statements were executed often, want the claims of both kinds at least", often)
	}
}
