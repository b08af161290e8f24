// adyen-receiver receives the webhooks of adyen. It was written once by whgen
// and is yours to change.
//
// Environment: ADDR (":8080"), DATABASE_URL, ADYEN_HMAC_KEY.
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

	"github.com/whgen/whgen/examples/adyen/adyen"
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
		return errors.New("DATABASE_URL is not set, such as adyen.db")
	}
	db, err := sql.Open("sqlite", "file:"+address+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer func() { _ = db.Close() }()
	if err := adyen.Migrate(ctx, db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	rcv, err := adyen.New(ctx, adyen.Config{
		DB:       db,
		Handler:  adyen.NewHandler(),
		Confirm:  logSender{}, // replace: it only prints
		Observer: whrt.Slog(slog.Default()),
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/adyen")
	whrt.Health(mux, rcv)
	addr := os.Getenv("ADDR")
	if addr == "" {
		addr = ":8080"
	}
	slog.Info("receiving", "addr", addr, "source", "adyen")
	return whrt.Serve(ctx, addr, mux, rcv)
}

// logSender prints a line instead of sending: with it a message counts as sent
// although nothing has left the process. Put your own sender in its place.
type logSender struct{}

func (logSender) SendConfirm(_ context.Context, m adyen.ConfirmMessage) error {
	slog.Warn("not really sent: logSender only prints", "effect", "confirm", "idempotency_key", m.IdempotencyKey, "attempt", m.Attempt)
	return nil
}
