package initial

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// Options narrow a proposal. The zero value proposes everything.
type Options struct {
	Source  string   // "" takes a name from the document
	Entries []string // patterns of entries' names, "*" for any text; empty: every entry
}

// Proposal is an overlay for a document.
type Proposal struct {
	Source    string
	Overlay   []byte
	Sure      []string // what was written, and how it is known
	Questions []string // what was left open, one text each
}

// Check lints an overlay over the document; Propose asks it, so that what is
// written holds.
type Check func(overlay []byte) spec.Diagnostics

// Propose makes an overlay. The error names a pattern that fits no entry.
func Propose(s *spec.Survey, opt Options, check Check) (*Proposal, error) {
	p := &proposer{survey: s, source: opt.Source, facts: map[string]spec.Preset{}}
	for _, one := range spec.Presets() {
		p.facts[one.Name] = one
	}
	p.preset()
	if p.source == "" {
		p.source = p.name()
	}
	if err := p.entries(opt.Entries); err != nil {
		return nil, err
	}
	p.items()
	if !p.open {
		p.note("entries: %s under %s", count(len(p.taken), "operation"), p.taken[0].Container)
	}
	p.index()
	p.types()
	p.key()
	p.forms()
	text := p.overlay()
	for range 3 { // each round turns what the lint refuses into a question
		if !p.learn(check(text)) {
			break
		}
		text = p.overlay()
	}
	if p.signed() {
		p.note("signature: %s of the document", p.survey.Signed)
	}
	return &Proposal{Source: p.source, Overlay: text, Sure: p.sure, Questions: p.questions}, nil
}

// proposer holds what was found out so far.
type proposer struct {
	survey *spec.Survey
	source string
	facts  map[string]spec.Preset
	sender evidence // which preset; its name is "" without one

	taken   []*entry            // operations that are received
	shapes  []*spec.SchemaFacts // where nothing is received: schemas that sound like deliveries
	open    bool                // which ones is a question: none is taken for sure
	left    []leftOut           // operations that are not taken, and why
	unsaid  []string            // what has no counterpart in the extension that says how deliveries are signed
	refused []string            // what the lint refuses although nothing is left to answer there
	pointer string              // of a batch, such as /events/*; "" without
	batch   bool                // the pointer is sure and generated
	kind    place               // where the type is
	id      place               // where the key is
	replay  string              // the key that the signature does not cover, "" where it does

	sure      []string
	questions []string
}

// entry is an operation with what the overlay says on it.
type entry struct {
	*spec.Operation
	untold  bool                   // the place of the type is known, its value here is not
	event   string                 // type on the wire, "" where the schema fixes it
	carried []string               // types of an entry that carries several
	members map[string]spec.Member // of one event, without those of elements inside it
	order   []string               // their pointers, in the document's order
}

// place is where a value may be found.
type place struct {
	selectors []string // sure; empty: a question
	why       string
	proposals []string // for the question, best first
	together  []string // members that may be it only as several
	none      bool     // nothing is needed
}

// leftOut is an operation that is not taken.
type leftOut struct{ name, why string }

// asked are the rules of findings that an open question causes.
var asked = []string{"signature-missing", "event-key", "event-type", "outcome-missing", "no-entries", "replay"}

// learn takes findings of the lint into the next round; it reports whether
// anything changed.
func (p *proposer) learn(found spec.Diagnostics) bool {
	var refused, unsaid []string
	for _, d := range found {
		switch {
		case d.Severity != spec.Error:
		case d.Rule == "signature-import":
			unsaid = append(unsaid, d.Message)
		case d.Rule == "replay" && p.replay == "":
			p.replay = strings.Join(p.keySelectors(), ", ")
			return true
		case !slices.Contains(asked, d.Rule) && !slices.Contains(refused, d.Message):
			refused = append(refused, d.Message)
		}
	}
	changed := !slices.Equal(refused, p.refused) || !slices.Equal(unsaid, p.unsaid)
	p.refused, p.unsaid = refused, unsaid
	return changed
}

// signed reports whether the document itself says how deliveries are signed.
func (p *proposer) signed() bool {
	return p.sender.preset == "" && p.survey.Signed != "" && len(p.unsaid) == 0
}

// keySelectors are those that identify an event, the preset's too.
func (p *proposer) keySelectors() []string {
	if len(p.id.selectors) > 0 {
		return p.id.selectors
	}
	return p.facts[p.sender.preset].Key
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// fillers are words of titles that name no sender.
var fillers = map[string]bool{"api": true, "apis": true, "webhook": true, "webhooks": true, "the": true, "official": true, "openapi": true, "spec": true,
	"specification": true, "rest": true, "events": true, "event": true, "example": true, "service": true, "management": true, "type": true,
	"definition": true, "notifications": true, "notification": true, "s": true, "http": true, "v1": true, "v2": true, "v3": true, "for": true, "of": true, "and": true}

// name makes a source's name of the sender, the title or the file.
func (p *proposer) name() string {
	if p.sender.name != "" {
		return p.sender.name
	}
	for _, text := range []string{p.survey.Title, fileStem(p.survey.File)} {
		var words []string
		for _, word := range strings.Fields(notName.ReplaceAllString(strings.ToLower(text), " ")) {
			if !fillers[word] && len(words) < 3 && len(strings.Join(append(words, word), "_")) <= 24 {
				words = append(words, word)
			}
		}
		if name := strings.TrimLeft(strings.Join(words, "_"), "0123456789_"); name != "" {
			return name[:min(len(name), 32)]
		}
	}
	return "sender"
}

func fileStem(file string) string {
	base := file[strings.LastIndexByte(file, '/')+1:]
	stem, _, _ := strings.Cut(base, ".")
	if stem == "openapi" || stem == "webhook" || stem == "webhooks" {
		if parts := strings.Split(file, "/"); len(parts) > 1 {
			return parts[len(parts)-2]
		}
	}
	return stem
}

func (p *proposer) note(format string, args ...any) {
	p.sure = append(p.sure, fmt.Sprintf(format, args...))
}
