package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/whgen/whgen/generator/quickstart"
)

func quickstartCommand() *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use:   "quickstart",
		Short: "Generate and run the receiver of a shop on SQLite, in a temporary folder",
		Long: `quickstart generates a receiver from a contract, builds it with a small program
that delivers events to it over HTTP, and prints what came of each delivery. It
needs Go and nothing else: no database server, no C compiler.`,
		Example: `  whgen quickstart
  whgen quickstart --keep    # leave the generated code for reading`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			err := quickstart.Run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), keep)
			if errors.Is(err, quickstart.ErrUnexpected) {
				return errFindings
			}
			return err
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "keep the folder and print where it is")
	return c
}
