package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	whrt "github.com/whgen/whgen/runtime"
)

// life is what a receiver in a process of its own is told.
type life struct {
	Backend, DSN, Warehouse string
	Offset                  time.Duration // of its clock
	NoRelay                 bool
	Hang                    string // where its requests to the outside stop: see hanging
}

// lifeVariable tells a test binary that it is such a process.
const lifeVariable = "WHGEN_CONFORMANCE_LIFE"

// Main runs the tests of a package, or is the receiver that one of them has
// started. Call it from TestMain.
func Main(run func() int, backends ...Backend) int {
	text, ok := os.LookupEnv(lifeVariable)
	if !ok {
		return run()
	}
	var l life
	err := json.Unmarshal([]byte(text), &l)
	if err == nil {
		err = l.live(backends)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// live serves until it is killed, or its parent has gone.
func (l life) live(backends []Backend) error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	var fuse atomic.Int64 // statements until death; 0 and less: none
	for _, b := range backends {
		if b.Name != l.Backend {
			continue
		}
		pool, err := b.Open(context.Background(), l.DSN, func() {
			if fuse.Load() > 0 && fuse.Add(-1) == 0 {
				die()
			}
		})
		if err != nil {
			return err
		}
		return l.serve(pool, &fuse)
	}
	return errors.New("this binary does not have the backend " + l.Backend)
}

func (l life) serve(pool Pool, fuse *atomic.Int64) error {
	clock := &whrt.OffsetClock{}
	clock.Advance(l.Offset)
	counters := &whrt.Counters{}
	o := Options{
		Secrets: whrt.SecretsMap{"CREDITS_SECRET": secret}, Settings: whrt.SettingsMap{"WAREHOUSE_URL": l.Warehouse},
		Observer: whrt.Observers(counters, whrt.Slog(slog.New(slog.NewJSONHandler(os.Stderr, nil)))),
		Clock:    clock, NoRelay: l.NoRelay, Work: credit,
	}
	if l.Hang != "" {
		o.HTTPClient = hanging(l.Hang)
	}
	r, err := pool.Credits(context.Background(), o)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", r)
	mux.HandleFunc("/counters", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(counters.Outcomes()) })
	mux.HandleFunc("/fuse", func(_ http.ResponseWriter, hr *http.Request) {
		n, _ := strconv.Atoi(hr.FormValue("n"))
		fuse.Store(int64(n))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	go func() { _ = r.Run(context.Background()) }() // only now: what it says comes second
	return http.Serve(listener, mux)
}

// die is SIGKILL: nothing is put in order, and nothing returns.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// hanging is a client whose requests stop for ever: at "dial" before a
// connection is there, at "half" when half of the request is written. It says so.
func hanging(where string) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if where == "dial" {
			fmt.Println(where)
			select {}
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return halfConn{conn}, err
	}}}
}

type halfConn struct{ net.Conn }

func (c halfConn) Write(p []byte) (int, error) {
	if _, err := c.Conn.Write(p[:len(p)/2]); err != nil {
		return 0, err
	}
	fmt.Println("half")
	select {}
}
