// stripe-receiver receives the webhooks of stripe. It was written once by whgen
// and is yours to change.
//
// Environment: ADDR (":8080"), DATABASE_URL, STRIPE_ACCOUNT_SECRET, STRIPE_CONNECT_SECRET.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/examples/stripe/stripe"
	whrt "github.com/whgen/whgen/runtime"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx); err != nil {
		slog.Error("stopped", "error", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	address := os.Getenv("DATABASE_URL")
	if address == "" {
		return errors.New("DATABASE_URL is not set, such as stripe.db")
	}
	db, err := sql.Open("sqlite", "file:"+address+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer func() { _ = db.Close() }()
	if err := stripe.Migrate(ctx, db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	rcv, err := stripe.New(ctx, stripe.Config{
		DB:       db,
		Handler:  stripe.NewHandler(),
		Receipt:  logSender{}, // replace: it only prints
		Observer: whrt.Slog(slog.Default()),
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/stripe")
	whrt.Health(mux, rcv)
	addr := os.Getenv("ADDR")
	if addr == "" {
		addr = ":8080"
	}
	slog.Info("receiving", "addr", addr, "source", "stripe")
	return whrt.Serve(ctx, addr, mux, rcv)
}

// logSender prints a line instead of sending: with it a message counts as sent
// although nothing has left the process. Put your own sender in its place.
type logSender struct{}

func (logSender) SendReceipt(_ context.Context, m stripe.ReceiptMessage) error {
	slog.Warn("not really sent: logSender only prints", "effect", "receipt", "idempotency_key", m.IdempotencyKey, "attempt", m.Attempt)
	return nil
}
