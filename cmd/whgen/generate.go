package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whgen/whgen/generator/project"
	"github.com/whgen/whgen/generator/tree"
	"github.com/whgen/whgen/spec"
)

func generateCommand() *cobra.Command {
	var config string
	var check bool
	c := &cobra.Command{
		Use:   "generate",
		Short: "Generate the receivers of whgen.yaml",
		Long: `generate brings the output folder of each receiver in whgen.yaml up to date. It
writes only what changed and never touches a file that it has not written; what
was scaffolded once is yours. A generated file that was edited is kept beside the
new one. Migrations are never changed. A run that was killed half-way is completed
by the next one.

With --check nothing is written: a unified diff says what would change, and the
exit code is 1 when anything would.`,
		Example: `  whgen generate
  whgen generate --config services/billing/whgen.yaml
  whgen generate --check     # in CI
  //go:generate go tool whgen generate`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := project.Open(config)
			if err != nil {
				return err
			}
			begin, end := progress(c.ErrOrStderr())
			r, err := p.Generate(c.Context(), check, begin)
			end()
			if r != nil && !check {
				printRecovery(c.ErrOrStderr(), r.Recovered)
			}
			if err != nil {
				return err
			}
			printResult(c.OutOrStdout(), c.ErrOrStderr(), r, check)
			if r.Failed() {
				return errFindings
			}
			return nil
		},
	}
	c.Flags().StringVar(&config, "config", "", "configuration (default whgen.yaml in the working directory)")
	c.Flags().BoolVar(&check, "check", false, "write nothing; print a diff and exit with 1 when the output is out of date")
	return c
}

func printResult(stdout, stderr io.Writer, r *project.Result, check bool) {
	switch {
	case check:
		_, _ = stdout.Write(r.Diff)
		printCheck(stderr, r)
	case !r.Findings.HasErrors():
		for _, s := range r.Receivers {
			fmt.Fprintln(stdout, s)
		}
	}
	for _, name := range r.Backups {
		fmt.Fprintf(stderr, "%-9s %s was edited by hand; the edited text is in %s\n", "kept", withoutSuffix(name), name)
	}
	printFindings(stderr, r.Findings)
}

// printRecovery says what became of an interrupted run.
func printRecovery(w io.Writer, r *tree.Recovery) {
	switch {
	case r == nil:
		return
	case !r.Ready:
		fmt.Fprintf(w, "%-9s an earlier run was interrupted before it changed anything; its unfinished files are removed\n", "recovered")
	default:
		fmt.Fprintf(w, "%-9s an earlier run was interrupted half-way; it is completed now (files still to do: %d)\n", "recovered", r.Done)
	}
	for _, name := range r.Left {
		fmt.Fprintf(w, "%-9s %s was changed since then, and the earlier run's text for it is dropped\n", "", name)
	}
}

func withoutSuffix(name string) string {
	if i := strings.LastIndex(name, ".edited"); i > 0 {
		return name[:i]
	}
	return name
}

func printCheck(w io.Writer, r *project.Result) {
	for _, s := range r.Receivers {
		if drift := s.Wrote + s.Removed - len(s.Scaffolds); drift > 0 {
			fmt.Fprintf(w, "%-9s %s is out of date: %d to write or remove, %d unchanged; run whgen generate\n", s.Source, s.Out, drift, s.Unchanged)
		}
	}
}

// printFindings prints errors as compilers do and marks the rest.
func printFindings(w io.Writer, found spec.Diagnostics) {
	for _, d := range found {
		if d.Severity == spec.Error {
			fmt.Fprintln(w, d)
			continue
		}
		fmt.Fprintf(w, "%-9s %s: %s [%s]\n", d.Severity, d.Pos, d.Message, d.Rule)
		if d.Hint != "" {
			fmt.Fprintf(w, "\thint: %s\n", d.Hint)
		}
	}
}
