package send_test

import (
	"context"
	"database/sql"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/whgen/whgen/generator/send"
	"github.com/whgen/whgen/golden/batches/meters"
	whrt "github.com/whgen/whgen/runtime"
)

type replaces struct{}

func (replaces) Replaced(context.Context, meters.Tx, whrt.Incoming[meters.Replaced]) error {
	return nil
}

// TestBatches delivers several events in one request to a generated receiver.
func TestBatches(t *testing.T) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "meters.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := meters.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	rcv, err := meters.New(t.Context(), meters.Config{
		DB: db, Handler: replaces{}, Secrets: whrt.SecretsMap{"METERS_WEBHOOK_SECRET": secret}, NoRelay: true,
		Settings: whrt.SettingsMap{"BILLING_URL": "http://127.0.0.1:1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(rcv)
	defer server.Close()
	to := target(server.URL)
	to.Secret = func(string) (string, bool) { return secret, true }
	got, err := send.Run(t.Context(), plan(t, "../../golden/batches/contract.openapi.yaml"), to, send.Options{Batch: 5, Repeat: 2, Alter: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Unexpected != 0 || got.NoAnswer != 0 || got.Deliveries != 9 {
		t.Errorf("%+v, want 9 deliveries that are all answered as expected", got)
	}
	for _, c := range []struct {
		query string
		want  int
	}{
		{"SELECT count(*) FROM meters_inbox_events", 15},
		{"SELECT count(*) FROM readings", 5},
		{"SELECT count(*) FROM meters_outbox_messages", 5},
		{"SELECT count(*) FROM meters_inbox_conflicts", 3}, // the altered request holds the first event of each kind
	} {
		var n int
		if err := db.QueryRowContext(t.Context(), c.query).Scan(&n); err != nil || n != c.want {
			t.Errorf("%s: %d (%v), want %d", c.query, n, err, c.want)
		}
	}
}
