package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/whgen/whgen/generator/project"
)

func initCommand() *cobra.Command {
	var o project.InitOptions
	c := &cobra.Command{
		Use:   "init [CONTRACT]",
		Short: "Begin a project: a starter contract, or an overlay for a sender's document",
		Long: `init writes whgen.yaml and, without CONTRACT, a starter contract that generates at
once. For a sender's document it proposes an overlay: it marks the webhooks, finds
where the type of an event is told, knows presets by servers, headers and titles,
and says in a comment how it knows. What a person must decide is left as a marked
question ("# ?") with a proposal below it; lint reports it until it is answered.

Files are never overwritten. Exit codes: 0 written, with or without questions,
1 the document cannot be read as OpenAPI, 2 nothing was written.`,
		Example: `  whgen init
  whgen init contracts/openai.yaml
  whgen init contracts/github.json --source github --entry 'issues-*' --entry push
  grep -n '# ?' contracts/*.overlay.yaml    # what is left to decide`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			document := ""
			if len(args) == 1 {
				document = args[0]
			}
			begun, err := project.Init(document, o)
			if err != nil {
				return err
			}
			if begun.Findings.HasErrors() {
				printFindings(c.ErrOrStderr(), begun.Findings)
				return errFindings
			}
			printBegun(c.OutOrStdout(), begun)
			return nil
		},
	}
	c.Flags().StringVar(&o.Config, "config", "", "configuration to write (default whgen.yaml in the working directory)")
	c.Flags().StringVar(&o.Source, "source", "", "name of the source (default from the document, else shop)")
	c.Flags().StringVar(&o.Engine, "engine", "sqlite", "sqlite or postgres")
	c.Flags().StringArrayVar(&o.Entries, "entry", nil, "take only entries of this name; * stands for any text; may be repeated")
	_ = c.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions([]string{"sqlite", "postgres"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func printBegun(w io.Writer, b *project.Begun) {
	for _, name := range b.Wrote {
		fmt.Fprintf(w, "wrote     %s\n", name)
	}
	for _, text := range b.Sure {
		fmt.Fprintf(w, "sure      %s\n", text)
	}
	for _, q := range b.Questions {
		fmt.Fprintf(w, "question  %s:%d: %s\n", b.Overlay, q.Line, q.Text)
	}
	if b.Entry != "" {
		fmt.Fprintf(w, "next      %s is there already; add under its receivers:\n%s", b.Config, b.Entry)
	}
	if len(b.Questions) > 0 {
		fmt.Fprintf(w, "next      answer the lines with \"# ?\" in %s, then whgen lint\n", b.Overlay)
	}
	if !b.Module {
		fmt.Fprintln(w, "next      go mod init <module path>: there is no go.mod here or above")
	}
	fmt.Fprintln(w, "next      whgen explain, whgen generate, go test ./...")
}
