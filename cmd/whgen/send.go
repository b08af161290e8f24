package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/generator/project"
	"github.com/whgen/whgen/generator/send"
)

// sendFlags are the flags of send that are no option of the deliveries.
type sendFlags struct {
	config, source, format, body string
	anywhere                     bool
	privateKeys                  []string
	timeout                      time.Duration
}

func sendCommand() *cobra.Command {
	var f sendFlags
	var o send.Options
	c := &cobra.Command{
		Use:   "send URL",
		Short: "Deliver a contract's events to a receiver, signed",
		Long: `send delivers the events of a contract to a running receiver as their sender would:
bodies from the document's examples (or made after its schemas), type, key and
signature where the contract says. URL is that of the mount point. Each run makes
new events; --number makes it repeatable.

Secrets are read from environment variables of the contract's names, and never
shown. Where the receiver has a public key NAME, its private half is read from
NAME_PRIVATE or from the file of --private-key (PEM, PKCS #8). Only loopback and private addresses are called, judged after the name is
resolved; --yes-really allows others. Redirects are not followed.

Exit codes: 0 every answer fits what was sent, 1 one does not or is missing,
2 could not run.`,
		Example: `  export SHOP_WEBHOOK_SECRET=whg_test_secret_0123456789abcdef
  whgen send http://127.0.0.1:18080/webhooks/shop
  whgen send --event orderCreated --repeat 3 --alter http://127.0.0.1:18080/webhooks/shop
  whgen send --event orderCreated --concurrent 32 http://127.0.0.1:18080/webhooks/shop
  whgen send --wrong-secret --format json http://127.0.0.1:18080/webhooks/shop
  whgen send --event orderCreated --body order.json http://127.0.0.1:18080/webhooks/shop`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return sendTo(c, args[0], f, o)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.config, "config", "", "configuration (default whgen.yaml in the working directory)")
	flags.StringVar(&f.source, "source", "", "source, contract or overlay (default the only source of whgen.yaml)")
	flags.StringArrayVar(&o.Events, "event", nil, "deliver only this event; may be repeated")
	flags.StringVar(&f.body, "body", "", "file with the body to deliver, - for standard input; wants one --event")
	flags.IntVar(&o.Count, "count", 1, "different events of each kind")
	flags.IntVar(&o.Repeat, "repeat", 1, "deliver each event so many times, one after another")
	flags.IntVar(&o.Concurrent, "concurrent", 1, "deliver each event so many times at the same moment")
	flags.IntVar(&o.Batch, "batch", 0, "put so many events into one request, where the contract has batches")
	flags.BoolVar(&o.Alter, "alter", false, "then deliver other content under the same key, correctly signed")
	flags.BoolVar(&o.Tamper, "tamper", false, "change a byte of the body after signing")
	flags.BoolVar(&o.Stale, "stale", false, "sign with a time beyond the tolerance")
	flags.BoolVar(&o.WrongSecret, "wrong-secret", false, "sign with another secret")
	flags.StringArrayVar(&f.privateKeys, "private-key", nil, "file with the private key whose public half the receiver has; NAME=FILE for one of several public keys")
	flags.StringVar(&o.Tenant, "tenant", "", "tenant to deliver for, where the contract has tenants")
	flags.Int64Var(&o.Number, "number", 0, "number of the first event (default from the clock, so that events are new)")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Second, "how long to wait for an answer")
	flags.StringVar(&f.format, "format", "text", "text or json")
	flags.BoolVar(&f.anywhere, "yes-really", false, "call public addresses too")
	c.MarkFlagsMutuallyExclusive("tamper", "stale", "wrong-secret") // one fault must not hide behind another
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func sendTo(c *cobra.Command, target string, f sendFlags, o send.Options) error {
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("unknown format %q; want text or json", f.format)
	}
	for name, n := range map[string]int64{"count": int64(o.Count), "repeat": int64(o.Repeat), "concurrent": int64(o.Concurrent), "timeout": int64(f.timeout)} {
		if n < 1 {
			return fmt.Errorf("--%s: want at least 1", name)
		}
	}
	if o.Batch < 0 || o.Number < 0 {
		return errors.New("--batch and --number: want no negative number")
	}
	plan, err := planToSend(c, f)
	if err != nil {
		return err
	}
	if f.body != "" {
		if o.Body, err = readBody(c.InOrStdin(), f.body); err != nil {
			return err
		}
	}
	private, err := readPrivateKeys(f.privateKeys)
	if err != nil {
		return err
	}
	told := newSendProgress(c.ErrOrStderr())
	r, err := send.Run(c.Context(), plan, send.Target{
		URL: target, Secret: os.LookupEnv, PrivateKeys: private, Anywhere: f.anywhere, Timeout: f.timeout, Progress: told.round,
	}, o)
	if err != nil {
		return err
	}
	if f.format == "json" {
		err = encode(c.OutOrStdout(), r)
	} else {
		err = printSent(c.OutOrStdout(), r)
	}
	if err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	if r.Unexpected > 0 || r.NoAnswer > 0 {
		return errFindings
	}
	return nil
}

// planToSend is the plan of the one source that is meant. Two receivers of one
// source (two engines) take the same deliveries.
func planToSend(c *cobra.Command, f sendFlags) (*generator.Plan, error) {
	plans, found, err := project.Plans(f.config, f.source)
	if err != nil {
		return nil, err
	}
	if found.HasErrors() {
		printFindings(c.ErrOrStderr(), found)
		return nil, errFindings
	}
	var sources []string
	for _, p := range plans {
		if p.Source != plans[0].Source {
			sources = append(sources, p.Source)
		}
	}
	if len(sources) > 0 {
		return nil, fmt.Errorf("there are several sources: name one with --source %s", strings.Join(append([]string{plans[0].Source}, sources...), " or --source "))
	}
	return plans[0], nil
}

func readBody(stdin io.Reader, name string) ([]byte, error) {
	if name == "-" {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("read the body from standard input: %w", err)
		}
		return text, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return text, nil
}

// readPrivateKeys reads FILE or NAME=FILE.
func readPrivateKeys(all []string) (map[string]string, error) {
	keys := map[string]string{}
	for _, one := range all {
		name, file, named := strings.Cut(one, "=")
		if _, err := os.Stat(one); !named || err == nil {
			name, file = "", one
		}
		if _, twice := keys[name]; twice {
			return nil, fmt.Errorf("--private-key %s: a second file for the same key; write NAME=FILE with the public key's name", one)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the private key: %w", err)
		}
		if strings.TrimSpace(string(text)) == "" {
			return nil, fmt.Errorf("the private key %s is empty", file)
		}
		keys[name] = string(text)
	}
	return keys, nil
}

// sendProgress tells, at most once a second, how far a long run is.
type sendProgress struct {
	mu   sync.Mutex
	w    io.Writer
	last time.Time
}

func newSendProgress(w io.Writer) *sendProgress { return &sendProgress{w: w, last: time.Now()} }

func (p *sendProgress) round(done, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.last) >= time.Second && done < all {
		fmt.Fprintf(p.w, "whgen: %d of %d rounds delivered\n", done, all)
		p.last = now
	}
}

// alike says which statuses do not tell outcomes apart.
func alike(r *send.Result) []string {
	var all []string
	for _, g := range r.Groups {
		for _, a := range g.Answers {
			text := fmt.Sprintf("%d is the answer of %s alike; the receiver's log and inbox tell them apart", a.Status, strings.Join(a.Outcomes, ", "))
			if len(a.Outcomes) > 1 && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

func printSent(w io.Writer, r *send.Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "event\tdelivery\tanswers\texpected\tms p50\tp95\tmax")
	for _, g := range r.Groups {
		var answers []string
		for _, a := range g.Answers {
			likely := g.Likely(a)
			meaning := strings.Join(likely, " or ")
			if meaning == "" {
				meaning = "no outcome of the contract"
			}
			answers = append(answers, fmt.Sprintf("%d x %d (%s)", a.Count, a.Status, meaning))
		}
		if g.NoAnswer > 0 {
			answers = append(answers, fmt.Sprintf("%d x no answer", g.NoAnswer))
		}
		expected := "yes"
		if g.Unexpected > 0 || g.NoAnswer > 0 {
			expected = "NO: " + strings.Join(g.Expected, " or ")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.1f\t%.1f\t%.1f\n", g.Event, g.Delivery, strings.Join(answers, ", "), expected, g.Latency.P50, g.Latency.P95, g.Latency.Max)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, text := range alike(r) {
		fmt.Fprintln(w, text)
	}
	for _, g := range r.Groups {
		for _, text := range g.Errors {
			fmt.Fprintf(w, "no answer: %s %s: %s\n", g.Event, g.Delivery, text)
		}
	}
	_, err := fmt.Fprintf(w, "%d delivered to %s, %d unexpected, %d without an answer\n", r.Deliveries, r.URL, r.Unexpected, r.NoAnswer)
	return err
}
