package main

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/whgen/whgen/examples/orders/postgres/shop"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/outbox"
)

// contender is one receiver that is measured.
type contender struct {
	name   string
	orders string // table of local rows
	inbox  string
	outbox string
	// serve makes the handler; it may create its tables.
	serve func(ctx context.Context, dsn string) (http.Handler, error)
}

// poolSize is the same for all: as many connections as the load has at most.
const poolSize = 32

var contenders = []contender{
	{"database/sql", "sql_orders", "sql_inbox", "sql_outbox", serveSQL},
	{"pgx", "pgx_orders", "pgx_inbox", "pgx_outbox", servePgx},
	{"whgen", "local_orders", "shop_inbox_events", "shop_outbox_messages", serveGenerated},
}

func serveSQL(ctx context.Context, dsn string) (http.Handler, error) {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(poolSize)
	db.SetMaxIdleConns(poolSize) // the default of 2 would close and open connections all the time
	if _, err := db.ExecContext(ctx, fmt.Sprintf(schema, "sql")); err != nil {
		return nil, err
	}
	store, err := newSQLStore(ctx, db, statementsFor("sql"))
	return &rival{secret: []byte(secret), store: store}, err
}

func pool(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.MaxConns, config.MinConns = poolSize, poolSize
	return pgxpool.NewWithConfig(ctx, config)
}

func servePgx(ctx context.Context, dsn string) (http.Handler, error) {
	p, err := pool(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if _, err := p.Exec(ctx, fmt.Sprintf(schema, "pgx")); err != nil {
		return nil, err
	}
	return &rival{secret: []byte(secret), store: &pgxStore{pool: p, s: statementsFor("pgx")}}, nil
}

func serveGenerated(ctx context.Context, dsn string) (http.Handler, error) {
	p, err := pool(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if err := shop.Migrate(ctx, p); err != nil {
		return nil, err
	}
	return shop.New(ctx, shop.Config{
		DB:           p,
		Secrets:      whrt.SecretsMap{"SHOP_WEBHOOK_SECRET": secret},
		Settings:     whrt.SettingsMap{"CRM_URL": "http://127.0.0.1:1", "CRM_TOKEN": "bench"},
		Confirmation: noSender{},
	})
}

// noSender is never called: the relay does not run in the benchmark.
type noSender struct{}

func (noSender) SendConfirmation(context.Context, shop.ConfirmationMessage) error {
	return outbox.Permanent(fmt.Errorf("the benchmark sends nothing"))
}

// serve is the child process: one contender on a port of its own, whose address
// is its first line. It ends when its standard input does.
func serve(ctx context.Context, name, dsn string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	for _, c := range contenders {
		if c.name != name {
			continue
		}
		h, err := c.serve(ctx, dsn)
		if err != nil {
			return fmt.Errorf("start %s: %w", name, err)
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		mux := http.NewServeMux()
		mux.Handle("/webhooks/shop", h)
		fmt.Println(listener.Addr())
		go func() {
			_, _ = os.Stdin.Read(make([]byte, 1))
			listener.Close()
		}()
		defer profile(name)()
		_ = http.Serve(listener, mux)
		return nil
	}
	return fmt.Errorf("no contender %q", name)
}

// profile writes a CPU profile of one contender into the folder that
// WHGEN_BENCH_PROFILE names, for whoever looks for the next microsecond.
func profile(name string) (stop func()) {
	folder := os.Getenv("WHGEN_BENCH_PROFILE")
	if folder == "" {
		return func() {}
	}
	f, err := os.Create(filepath.Join(folder, strings.ReplaceAll(name, "/", "-")+".pprof"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return func() {}
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}
}
