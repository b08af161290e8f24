package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	whrt "github.com/whgen/whgen/runtime"
)

// Sender is what a folder of the check holds.
type Sender struct {
	Name      string
	Receivers []Receiver
	// Expected says by file name where payloads must arrive. Without an entry the
	// file's name tells.
	Expected map[string]Expectation
}

// Expectation is what a payload must come to.
type Expectation struct {
	Event string `json:"event"` // name of the event of a body
	// Events are those of a batch's elements, in order; "" for one that no event
	// is meant for.
	Events []string `json:"events"`
	// First and Again count the outcomes of a batch's elements at the first and
	// the second delivery. Without, each is new at first and a repeat then.
	First map[string]int64 `json:"first"`
	Again map[string]int64 `json:"again"`
}

// ReadExpectations reads what must come of a sender's payloads.
func ReadExpectations(text string) map[string]Expectation {
	all := map[string]Expectation{}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		panic(fmt.Sprintf("read expected.json: %v", err))
	}
	return all
}

// Result is what came of one sender.
type Result struct {
	Sender                                  string
	Events                                  int
	Payloads, Decoded, Routed, Once, Counts int
	Faults                                  []string
}

// Main delivers <root>/<sender>/payloads/*.json of every sender and writes the
// results as JSON, in the order given.
func Main(w io.Writer, root string, all []Sender) error {
	var results []Result
	for _, s := range all {
		results = append(results, s.run(context.Background(), root))
	}
	if err := json.NewEncoder(w).Encode(results); err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return nil
}

func (s *Sender) run(ctx context.Context, root string) Result {
	result := Result{Sender: s.Name}
	fault := func(format string, args ...any) { result.Faults = append(result.Faults, fmt.Sprintf(format, args...)) }
	var instances []*instance
	for i := range s.Receivers {
		result.Events += len(s.Receivers[i].Definition.Events)
		one, err := s.Receivers[i].start(ctx)
		if err != nil {
			fault("%v", err)
			return result
		}
		defer one.close()
		instances = append(instances, one)
	}
	files, err := filepath.Glob(filepath.Join(root, s.Name, "payloads", "*.json"))
	if err != nil {
		fault("%v", err)
	}
	for _, file := range files {
		result.Payloads++
		if err := s.payload(instances, file, &result); err != nil {
			fault("%s: %v", filepath.Base(file), err)
		}
	}
	for _, one := range instances {
		if err := one.counts(ctx); err != nil {
			fault("%v", err)
		} else {
			result.Counts++
		}
	}
	return result
}

// payload delivers one twice to the receiver whose event it is.
func (s *Sender) payload(all []*instance, file string, result *Result) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	want := s.Expected[filepath.Base(file)]
	one, x := all[0], expectation{}
	known := false
	for _, candidate := range all {
		if found, ok := candidate.expected(file, want.Event); ok && (!known || x.event < 0) {
			one, x, known = candidate, found, true
		}
	}
	if !known {
		return fmt.Errorf("no receiver has an event %q", want.Event)
	}
	if items := one.Definition.Endpoints[x.endpoint].Items; items != "" {
		return one.batch(x, body, items, want, result)
	}
	return one.single(x, body, filepath.Base(file), result)
}

func (i *instance) single(x expectation, body []byte, id string, result *Result) error {
	attempt, err := i.deliver(x, body, id, whrt.Processed)
	if err != nil {
		return err
	}
	if x.event >= 0 && i.Definition.Events[x.event].Name != attempt.Event {
		return fmt.Errorf("arrived at event %q; want %q", attempt.Event, i.Definition.Events[x.event].Name)
	}
	result.Routed++
	if err := i.lossless(attempt.Event, body); err != nil {
		return err
	}
	result.Decoded++
	if _, err := i.deliver(x, body, id, whrt.Duplicate); err != nil {
		return err
	}
	result.Once++
	return nil
}

// lossless decodes a body into the type of an event and writes it again.
func (i *instance) lossless(event string, body []byte) error {
	written, err := i.Written[event](body)
	if err != nil {
		return err
	}
	return same(body, written)
}
