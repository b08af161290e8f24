// hub-receiver receives the webhooks of hub. It was written once by whgen
// and is yours to change.
//
// Environment: ADDR (":8080"), DATABASE_URL, ORDERS_SECRET, ORDERS_OLD_SECRET, MIRROR_SECRET, PAGES_SECRET, CRC_SECRET, GRAPH_CLIENT_STATE, CLOUD_TOKEN, REGION_SECRET, HUB_PUBLIC_URL, HUB_VERIFY_TOKEN.
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

	"github.com/whgen/whgen/golden/endpoints/hub"
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
		return errors.New("DATABASE_URL is not set, such as hub.db")
	}
	db, err := sql.Open("sqlite", "file:"+address+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer func() { _ = db.Close() }()
	if err := hub.Migrate(ctx, db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	rcv, err := hub.New(ctx, hub.Config{
		DB:       db,
		Observer: whrt.Slog(slog.Default()),
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/hub")
	whrt.Health(mux, rcv)
	addr := os.Getenv("ADDR")
	if addr == "" {
		addr = ":8080"
	}
	slog.Info("receiving", "addr", addr, "source", "hub")
	return whrt.Serve(ctx, addr, mux, rcv)
}
