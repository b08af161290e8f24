package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/whgen/whgen/generator/project"
	"github.com/whgen/whgen/spec"
)

func lintCommand() *cobra.Command {
	var config, format string
	var strict bool
	c := &cobra.Command{
		Use:   "lint [FILE...]",
		Short: "Check contracts without generating",
		Long: `lint prints what is wrong or surprising in the contracts of whgen.yaml, or in the
files that are named; a whgen.yaml is not needed for those. The exit code is 1
when there is an error, with --strict also when there is a warning.`,
		Example: `  whgen lint
  whgen lint contracts/shop.openapi.yaml
  whgen lint --strict --format sarif > whgen.sarif`,
		RunE: func(c *cobra.Command, files []string) error {
			print, err := printer(format)
			if err != nil {
				return err
			}
			found, err := project.Lint(config, files)
			if err != nil {
				return err
			}
			if err := print(c.OutOrStdout(), found); err != nil {
				return fmt.Errorf("print findings: %w", err)
			}
			if found.HasErrors() || strict && hasWarning(found) {
				return errFindings
			}
			return nil
		},
	}
	c.Flags().StringVar(&config, "config", "", "configuration (default whgen.yaml in the working directory)")
	c.Flags().StringVar(&format, "format", "text", "text, json or sarif")
	c.Flags().BoolVar(&strict, "strict", false, "exit with 1 on warnings too")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json", "sarif"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func printer(format string) (func(io.Writer, spec.Diagnostics) error, error) {
	switch format {
	case "text":
		return printText, nil
	case "json":
		return printJSON, nil
	case "sarif":
		return printSARIF, nil
	}
	return nil, fmt.Errorf("unknown format %q; want text, json or sarif", format)
}

func hasWarning(found spec.Diagnostics) bool {
	for _, d := range found {
		if d.Severity == spec.Warning {
			return true
		}
	}
	return false
}

func printText(w io.Writer, found spec.Diagnostics) error {
	for _, d := range found {
		if _, err := fmt.Fprintln(w, d); err != nil {
			return err
		}
	}
	return nil
}
