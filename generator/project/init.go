package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/whgen/whgen/generator/initial"
	"github.com/whgen/whgen/spec"
)

// InitOptions are what a user of Init may choose.
type InitOptions struct {
	Config  string // file to write; "" means ConfigName in the working directory
	Source  string // "" takes it from the document
	Engine  string // sqlite, postgres
	Entries []string
}

// Begun is what Init wrote.
type Begun struct {
	Wrote     []string // paths from the working directory
	Overlay   string   // the overlay among them, "" without a document
	Entry     string   // lines for a whgen.yaml that was there already, "" where it was written
	Config    string
	Source    string
	Sure      []string
	Questions []Question
	Findings  spec.Diagnostics // of a document that cannot be read; then nothing was written
	Module    bool             // the project has a go.mod
}

// Question is one that stands in the overlay.
type Question struct {
	Line int // its first line
	Text string
}

var goodSource = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// Init writes a configuration, and a starter contract or an overlay for the
// document that is named. It never overwrites a file: where one that it would
// write is there already, it writes nothing, but for a whgen.yaml, to which the
// user adds the lines of Begun.Entry.
func Init(document string, o InitOptions) (*Begun, error) {
	if o.Source != "" && !goodSource.MatchString(o.Source) {
		return nil, fmt.Errorf("source %q: a source is of the form [a-z][a-z0-9_]*, at most 32 characters", o.Source)
	}
	if !slices.Contains([]string{"sqlite", "postgres"}, o.Engine) {
		return nil, fmt.Errorf("unknown engine %q; want sqlite or postgres", o.Engine)
	}
	config := o.Config
	if config == "" {
		config = ConfigName
	}
	p := &Project{root: filepath.Dir(config), config: filepath.Base(config)}
	b := &Begun{Config: config}
	_, err := importFrom(absolute(p.root))
	b.Module = err == nil
	if document == "" {
		return b, p.start(b, o)
	}
	return b, p.propose(b, document, o)
}

func absolute(name string) string {
	full, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	return full
}

// start writes the starter contract.
func (p *Project) start(b *Begun, o InitOptions) error {
	b.Source = o.Source
	if b.Source == "" {
		b.Source = "shop"
	}
	text, err := initial.Starter(b.Source)
	if err != nil {
		return err
	}
	contract := "contracts/" + b.Source + ".openapi.yaml"
	return p.begin(b, initial.Receiver{Contract: contract, Engine: o.Engine}, contract, text)
}

// propose writes an overlay beside the document, or under contracts where the
// document is outside the project's folder.
func (p *Project) propose(b *Begun, document string, o InitOptions) error {
	if info, err := os.Stat(document); err != nil {
		return fmt.Errorf("read %s: %w", document, plainError(err))
	} else if info.IsDir() {
		return fmt.Errorf("read %s: it is a folder", document)
	}
	contract := p.inside(document)
	survey, found := spec.Look(contract, p.reader().file)
	if survey == nil {
		b.Findings = p.shown(found)
		return nil
	}
	if survey.Marked {
		return fmt.Errorf("%s carries x-whgen already: write its whgen.yaml with `contract: %s`, then run whgen lint", document, contract)
	}
	overlay := ""
	proposal, err := initial.Propose(survey, initial.Options{Source: o.Source, Entries: o.Entries}, func(text []byte) spec.Diagnostics {
		overlay = overlayName(contract, "proposal")
		return p.check(contract, overlay, text)
	})
	if err != nil {
		return err
	}
	b.Source, b.Sure = proposal.Source, proposal.Sure
	overlay = overlayName(contract, proposal.Source)
	b.Questions = questionLines(proposal)
	if err := p.begin(b, initial.Receiver{Contract: contract, Overlay: overlay, Engine: o.Engine}, overlay, proposal.Overlay); err != nil {
		return err
	}
	b.Overlay = p.path(overlay)
	return nil
}

// inside is a file's name from the project's folder, with forward slashes.
func (p *Project) inside(file string) string {
	root, full := absolute(p.root), absolute(file)
	if name, err := filepath.Rel(root, full); err == nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(full)
}

func overlayName(contract, source string) string {
	folder := path.Dir(contract)
	if strings.HasPrefix(contract, "../") || path.IsAbs(contract) {
		folder = "contracts"
	}
	return path.Join(folder, source+".overlay.yaml")
}

// check lints an overlay that is not written yet.
func (p *Project) check(contract, overlay string, text []byte) spec.Diagnostics {
	files := p.reader()
	_, found := spec.Load(spec.Receiver{Contract: contract, Overlays: []string{overlay}, Engine: "sqlite", Migrations: "goose"}, func(name string) ([]byte, error) {
		if name == overlay {
			return text, nil
		}
		return files.file(name)
	})
	return found
}

// questionLines finds where each question begins.
func questionLines(p *initial.Proposal) []Question {
	var all []Question
	asked := false
	for i, line := range strings.Split(string(p.Overlay), "\n") {
		is := strings.HasPrefix(strings.TrimSpace(line), "# ?")
		if is && !asked && len(all) < len(p.Questions) {
			all = append(all, Question{Line: i + 1, Text: p.Questions[len(all)]})
		}
		asked = is
	}
	return all
}

// begin writes the contract or overlay, and the configuration where there is
// none. Nothing is written when the first of them is there already.
func (p *Project) begin(b *Begun, r initial.Receiver, name string, text []byte) error {
	if err := p.create(b, name, text); err != nil {
		return err
	}
	err := p.create(b, p.config, initial.Config(r))
	if errors.Is(err, errThere) {
		b.Entry = initial.Entry(r)
		return nil
	}
	return err
}

var errThere = errors.New("is there already and stays as it is")

// create writes a new file, never an old one.
func (p *Project) create(b *Begun, name string, text []byte) error {
	full := filepath.Join(p.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return fmt.Errorf("make the folder of %s: %w", full, plainError(err))
	}
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", full, errThere)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", full, plainError(err))
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", full, err)
	}
	b.Wrote = append(b.Wrote, p.path(name))
	return nil
}
