package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

const secret = "whg_test_secret_0123456789abcdef"

func main() {
	quick := flag.Bool("quick", false, "under three minutes: shorter cells")
	rounds := flag.Int("rounds", 3, "interleaved rounds")
	seconds := flag.Float64("seconds", 5, "length of a cell")
	over := flag.String("connections", "1,8,32", "numbers of connections")
	child := flag.String("serve", "", "internal: serve one contender")
	dsn := flag.String("dsn", "", "internal: its database")
	flag.Parse()
	ctx := context.Background()
	var err error
	if *child != "" {
		err = serve(ctx, *child, *dsn)
	} else {
		if *quick {
			*seconds = 2
		}
		var connections []int
		if connections, err = numbers(*over); err == nil {
			err = compare(ctx, connections, *rounds, time.Duration(*seconds*float64(time.Second)))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func numbers(text string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-connections: %q is no number above zero", word)
		}
		all = append(all, n)
	}
	return all, nil
}

// running is a contender's process.
type running struct {
	contender
	address   string
	process   *exec.Cmd
	next      atomic.Int64 // the last new event
	delivered int64        // events that must be in the tables
}

func start(ctx context.Context, c contender, dsn string) (*running, func(), error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	r := &running{contender: c, process: exec.CommandContext(ctx, program, "-serve", c.name, "-dsn", dsn)}
	r.process.Stderr = os.Stderr
	in, err := r.process.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := r.process.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := r.process.Start(); err != nil {
		return nil, nil, err
	}
	stop := func() {
		in.Close()
		_ = r.process.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return nil, nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	r.address = strings.TrimSpace(line)
	return r, stop, nil
}

func compare(ctx context.Context, over []int, rounds int, length time.Duration) error {
	server, err := pgtest.Start()
	if err != nil {
		return err
	}
	defer server.Stop()
	dsn, err := server.Database(ctx)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var all []*running
	for _, c := range contenders {
		r, stop, err := start(ctx, c, dsn)
		if err != nil {
			return err
		}
		defer stop()
		all = append(all, r)
	}
	fmt.Printf("whgen benchmark, %s, %d rounds of %s, PostgreSQL durable, one machine\n\n", time.Now().Format(time.DateOnly), rounds, length)
	for _, traffic := range []string{"new", "repeat"} {
		for _, connections := range over {
			got := make([][]figures, len(all))
			for range rounds {
				for i, r := range all {
					f, err := measure(ctx, conn, server.PID(), r, cell{traffic, connections, length})
					if err != nil {
						return fmt.Errorf("%s, %s, %d connections: %w", r.name, traffic, connections, err)
					}
					got[i] = append(got[i], f)
				}
			}
			report(traffic, connections, all, got)
		}
	}
	return nil
}

func measure(ctx context.Context, conn *pgx.Conn, server int, r *running, c cell) (figures, error) {
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return figures{}, err
	}
	prefix := strings.NewReplacer("/", "", ".", "").Replace(r.name)
	counter := &r.next
	known := r.next.Load()
	if c.traffic == "repeat" {
		counter = new(atomic.Int64)
	}
	receiver, database, own := processCPU(r.process.Process.Pid), childrenCPU(server), processCPU(os.Getpid())
	begin := time.Now()
	took, err := load(r.address, prefix, []byte(secret), c, counter, known)
	if err != nil {
		return figures{}, err
	}
	length := time.Since(begin)
	n := int64(len(took))
	f := figures{requests: n, perSecond: float64(n) / length.Seconds(), p50: quantile(took, 0.5), p99: quantile(took, 0.99),
		receiverCPU: (processCPU(r.process.Process.Pid) - receiver) / time.Duration(max(n, 1)),
		databaseCPU: max(childrenCPU(server)-database, 0) / time.Duration(max(n, 1)), // a backend that has ended is missing
		loadCPU:     (processCPU(os.Getpid()) - own) / time.Duration(max(n, 1))}
	if c.traffic == "new" {
		r.delivered += n
	}
	return f, check(ctx, conn, r)
}

// check counts the rows: exactly one of each for every event that was acknowledged.
func check(ctx context.Context, conn *pgx.Conn, r *running) error {
	for table, want := range map[string]int64{r.inbox: r.delivered, r.orders: r.delivered, r.outbox: 2 * r.delivered} {
		var got int64
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&got); err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("table %s has %d rows after %d events, want %d", table, got, r.delivered, want)
		}
	}
	return nil
}

// report prints a table: ratios to the first contender, round by round.
func report(traffic string, connections int, all []*running, got [][]figures) {
	fmt.Printf("### %s, %d connections\n\n", traffic, connections)
	fmt.Println("| receiver | requests/s (min, median, max) | ratio to " + all[0].name + " (min, median, max) | p50 | p99 | receiver CPU | database CPU | load's CPU |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for i, r := range all {
		var rate, ratio []float64
		for n, f := range got[i] {
			rate = append(rate, f.perSecond)
			ratio = append(ratio, f.perSecond/got[0][n].perSecond)
		}
		slices.Sort(rate)
		slices.Sort(ratio)
		mid := len(rate) / 2
		f := got[i][mid]
		fmt.Printf("| %s | %.0f, %.0f, %.0f | %.2f, %.2f, %.2f | %s | %s | %d us | %d us | %d us |\n", r.name,
			rate[0], rate[mid], rate[len(rate)-1], ratio[0], ratio[mid], ratio[len(ratio)-1],
			f.p50.Round(10*time.Microsecond), f.p99.Round(10*time.Microsecond), f.receiverCPU.Microseconds(), f.databaseCPU.Microseconds(), f.loadCPU.Microseconds())
	}
	fmt.Println()
}
