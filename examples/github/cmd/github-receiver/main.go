// github-receiver receives the webhooks of github. It was written once by whgen
// and is yours to change.
//
// Environment: ADDR (":8080"), DATABASE_URL, GITHUB_WEBHOOK_SECRET.
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

	"github.com/whgen/whgen/examples/github/github"
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
		return errors.New("DATABASE_URL is not set, such as github.db")
	}
	db, err := sql.Open("sqlite", "file:"+address+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer func() { _ = db.Close() }()
	if err := github.Migrate(ctx, db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	rcv, err := github.New(ctx, github.Config{
		DB:       db,
		Handler:  github.NewHandler(),
		Deploy:   logSender{}, // replace: it only prints
		Triage:   logSender{}, // replace: it only prints
		Observer: whrt.Slog(slog.Default()),
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/github")
	whrt.Health(mux, rcv)
	addr := os.Getenv("ADDR")
	if addr == "" {
		addr = ":8080"
	}
	slog.Info("receiving", "addr", addr, "source", "github")
	return whrt.Serve(ctx, addr, mux, rcv)
}

// logSender prints a line instead of sending: with it a message counts as sent
// although nothing has left the process. Put your own sender in its place.
type logSender struct{}

func (logSender) SendDeploy(_ context.Context, m github.DeployMessage) error {
	slog.Warn("not really sent: logSender only prints", "effect", "deploy", "idempotency_key", m.IdempotencyKey, "attempt", m.Attempt)
	return nil
}

func (logSender) SendTriage(_ context.Context, m github.TriageMessage) error {
	slog.Warn("not really sent: logSender only prints", "effect", "triage", "idempotency_key", m.IdempotencyKey, "attempt", m.Attempt)
	return nil
}
