package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/whgen/whgen/generator/explain"
	"github.com/whgen/whgen/generator/project"
)

var explainFormats = []string{"text", "markdown", "json"}

func explainCommand() *cobra.Command {
	var config, format string
	c := &cobra.Command{
		Use:   "explain [SOURCE | FILE]",
		Short: "Say what a contract comes to",
		Long: `explain prints the resolved contract: what differs from the preset, what the
signature covers and what it does not, what each outcome answers and what the
sender makes of that, what identifies an event and for how long that is known,
tables, columns, effects with their keys and schedules, and a sequence diagram.

Without an argument it explains every receiver of whgen.yaml; with the name of a
source, those of that source; with a contract or an overlay, those that read it.
The same contract gives the same bytes, so the Markdown form can be committed and
reviewed. The exit code is 1 when the contract has errors, which lint prints too.`,
		Example: `  whgen explain
  whgen explain shop --format markdown > docs/shop.md
  whgen explain contracts/shop.openapi.yaml
  whgen explain --format json | jq '.receivers[].events[].key'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			write, err := explainer(format)
			if err != nil {
				return err
			}
			named := ""
			if len(args) == 1 {
				named = args[0]
			}
			plans, found, err := project.Plans(config, named)
			if err != nil {
				return err
			}
			if found.HasErrors() {
				printFindings(c.ErrOrStderr(), found)
				return errFindings
			}
			if err := write(c.OutOrStdout(), explain.New(plans, nil)); err != nil {
				return fmt.Errorf("print the explanation: %w", err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&config, "config", "", "configuration (default whgen.yaml in the working directory)")
	c.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(explainFormats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func explainer(format string) (func(io.Writer, *explain.Report) error, error) {
	switch format {
	case "text":
		return func(w io.Writer, r *explain.Report) error { _, err := w.Write(r.Text()); return err }, nil
	case "markdown":
		return func(w io.Writer, r *explain.Report) error { _, err := w.Write(r.Markdown()); return err }, nil
	case "json":
		return func(w io.Writer, r *explain.Report) error { return encode(w, r) }, nil
	}
	return nil, fmt.Errorf("unknown format %q; want text, markdown or json", format)
}
