package quickstart

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/whgen/whgen/generator/project"
)

const modulePath = "github.com/whgen/whgen"

// ErrUnexpected says that a delivery did not come to what it has to.
var ErrUnexpected = errors.New("a counter differs from what is expected")

//go:embed orders.openapi.yaml
var contract []byte

//go:embed driver.go.tmpl
var driver []byte

const config = `version: 1
receivers:
  - contract: contracts/orders.openapi.yaml
    engine: sqlite
`

// Run generates, builds and runs, and says on stdout what it does. With keep
// the folder stays. The error is ErrUnexpected where the table shows a wrong
// number.
func Run(ctx context.Context, stdout, stderr io.Writer, keep bool) (err error) {
	folder, err := os.MkdirTemp("", "whgen-quickstart-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if !keep {
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	fmt.Fprintln(stdout, "A shop sends order.created; each order must be made once.")
	fmt.Fprintf(stdout, "1. generating the receiver into %s\n", folder)
	if err := generate(ctx, folder); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "2. building it with a program that delivers to it (the first time Go compiles SQLite: a minute or two)")
	program := filepath.Join(folder, "driver.bin")
	if err := goTool(ctx, folder, stderr, "build", "-o", program, "./driver"); err != nil {
		return fmt.Errorf("build the receiver: %w", err)
	}
	fmt.Fprint(stdout, "3. delivering over HTTP, to embedded SQLite\n\n")
	c := exec.CommandContext(ctx, program)
	c.Dir, c.Stdout, c.Stderr = folder, stdout, stderr
	err = c.Run()
	if keep {
		fmt.Fprintf(stdout, "\nThe generated code is in %s\n", folder)
	} else {
		fmt.Fprintln(stdout, "\nRead the generated code: whgen quickstart --keep")
	}
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() == 1:
		return ErrUnexpected
	case err != nil:
		return fmt.Errorf("run the receiver: %w", err)
	}
	return nil
}

func generate(ctx context.Context, folder string) error {
	files := map[string][]byte{
		"whgen.yaml": []byte(config), "contracts/orders.openapi.yaml": contract, "driver/main.go": driver,
	}
	for name, text := range files {
		full := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if err := os.WriteFile(full, text, 0o600); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	from, err := decide(lookAround(ctx))
	if err != nil {
		return err
	}
	if err := from.writeModule(folder); err != nil {
		return err
	}
	p, err := project.Open(filepath.Join(folder, project.ConfigName))
	if err != nil {
		return err
	}
	r, err := p.Generate(ctx, false, nil)
	if err == nil && r.Findings.HasErrors() {
		err = fmt.Errorf("internal error: the contract has findings: %v", r.Findings)
	}
	return err
}

// goTool runs go in the folder, alone: without workspace, vendoring or C compiler.
func goTool(ctx context.Context, folder string, stderr io.Writer, args ...string) error {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir, c.Stderr = folder, stderr
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod")
	return c.Run()
}
