package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitFine     = 0
	exitFindings = 1
	exitBroken   = 2
)

// errFindings ends a verb whose findings have been printed.
var errFindings = errors.New("there are findings")

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errFindings):
		return exitFindings
	}
	fmt.Fprintf(stderr, "whgen: %v\n", err)
	return exitBroken
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "whgen",
		Short: "Generate idempotent webhook receivers in Go from contracts",
		Long: `whgen reads a sender's OpenAPI document with x-whgen in it (or in overlays)
and generates the receiver: an http.Handler, its SQL, migrations, an outbox and
the acceptance test.

Exit codes: 0 fine, 1 findings (diagnostics, drift), 2 could not run.`,
		Example: `  whgen quickstart
  whgen lint contracts/shop.openapi.yaml
  whgen generate
  whgen generate --check`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(initCommand(), generateCommand(), lintCommand(), explainCommand(), sendCommand(), quickstartCommand(), versionCommand())
	root.InitDefaultCompletionCmd()
	completionExamples(root)
	return root
}

// completionExamples gives the verbs that cobra makes an example each.
func completionExamples(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Example = "  source <(whgen completion bash)\n  whgen completion zsh > \"${fpath[1]}/_whgen\""
		for _, shell := range c.Commands() {
			shell.Example = "  whgen completion " + shell.Name()
		}
	}
}
