// shop-receiver receives the webhooks of shop. It was written once by whgen
// and is yours to change.
//
// Environment: ADDR (":8080"), DATABASE_URL, SHOP_WEBHOOK_SECRET, CRM_TOKEN, CRM_URL.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/whgen/whgen/examples/orders/postgres/shop"
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
		return errors.New("DATABASE_URL is not set, such as postgres://localhost/shop")
	}
	db, err := pgxpool.New(ctx, address)
	if err != nil {
		return errors.New("DATABASE_URL is not a PostgreSQL address") // the cause would show it
	}
	defer db.Close()
	if err := shop.Migrate(ctx, db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	rcv, err := shop.New(ctx, shop.Config{
		DB:           db,
		Confirmation: logSender{}, // replace: it only prints
		Observer:     whrt.Slog(slog.Default()),
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/shop")
	whrt.Health(mux, rcv)
	addr := os.Getenv("ADDR")
	if addr == "" {
		addr = ":8080"
	}
	slog.Info("receiving", "addr", addr, "source", "shop")
	return whrt.Serve(ctx, addr, mux, rcv)
}

// logSender prints a line instead of sending: with it a message counts as sent
// although nothing has left the process. Put your own sender in its place.
type logSender struct{}

func (logSender) SendConfirmation(_ context.Context, m shop.ConfirmationMessage) error {
	slog.Warn("not really sent: logSender only prints", "effect", "confirmation", "idempotency_key", m.IdempotencyKey, "attempt", m.Attempt)
	return nil
}
