package spec_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/whgen/whgen/spec"
)

const (
	tableBegin = "<!-- presets: begin (written by go test ./spec -run PresetPage -update) -->\n"
	tableEnd   = "<!-- presets: end -->\n"
)

// TestPresetPage: the tables of docs/signatures.md are the data.
func TestPresetPage(t *testing.T) {
	const file = "../docs/signatures.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), tableBegin)
	_, after, also := strings.Cut(rest, tableEnd)
	if !ok || !also {
		t.Fatalf("%s has no place for the table", file)
	}
	want := before + tableBegin + presetTables() + tableEnd + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Errorf("%s is not the data; run go test ./spec -run PresetPage -update", file)
	}
}

func presetTables() string {
	var b strings.Builder
	b.WriteString("\n| preset | sender | scheme | what it binds | event key | type |\n|---|---|---|---|---|---|\n")
	for _, p := range spec.Presets() {
		fmt.Fprintf(&b, "| `%s` | [%s](%s) | %s | %s | %s | %s |\n", p.Name, p.Title, p.Docs, schemeWords(p.Scheme), boundWords(p.Scheme), keyWords(p), codes(p.Type))
	}
	b.WriteString("\n| preset | acknowledges | retries | time limit | horizon | new in each attempt | sure? |\n|---|---|---|---|---|---|---|\n")
	for _, p := range spec.Presets() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", p.Name, acks(p), retries(p), figure(p.Timeout, p.Hearsay.Timeout), horizon(p), codes(p.Volatile), p.Confidence)
	}
	b.WriteString("\nWhat else is to be known:\n\n")
	for _, p := range spec.Presets() {
		notes := p.Scheme.Doubts()
		if p.Note != "" {
			notes = append([]string{p.Note}, notes...)
		}
		if p.Items != "" {
			notes = append(notes, "a delivery is a batch at `"+p.Items+"`")
		}
		if p.Challenge {
			notes = append(notes, "the sender makes a handshake when the URL is saved")
		}
		if len(notes) > 0 {
			fmt.Fprintf(&b, "- `%s`: %s.\n", p.Name, strings.Join(notes, "; "))
		}
	}
	b.WriteString("\n")
	return b.String()
}

func schemeWords(s *spec.Scheme) string {
	words := s.Type
	if s.Hash != "" {
		words += " " + s.Hash
	}
	if len(s.Algs) > 0 {
		words += " " + strings.Join(s.Algs, ", ")
	}
	var places []string
	for _, f := range s.From {
		places = append(places, f.Text())
	}
	if len(places) == 0 {
		return words
	}
	return words + " in " + codes(places)
}

func boundWords(s *spec.Scheme) string {
	if !s.Binds() {
		return "**nothing**"
	}
	parts := []string{map[spec.Bound]string{spec.BoundWhole: "body", spec.BoundChecksum: "CRC-32 of the body", spec.BoundMembers: "members of the body"}[s.Body()]}
	if parts[0] == "" {
		parts = nil
	}
	if s.Timestamp.Checked() || s.Claims.MaxAge != nil || s.Claims.Expires {
		parts = append(parts, "time")
	}
	if s.ID != nil {
		parts = append(parts, "id")
	}
	if s.SignsURL() {
		parts = append(parts, "URL")
	}
	return strings.Join(parts, ", ")
}

func keyWords(p spec.Preset) string {
	if len(p.Key) == 0 {
		return "none"
	}
	words := codes(p.Key)
	if len(p.Unsigned) > 0 {
		words += ", **not signed**"
	}
	return words
}

func codes(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return "`" + strings.Join(all, "`, `") + "`"
}

func acks(p spec.Preset) string {
	words := strings.Join(p.Acks, ", ")
	if len(p.Stops) > 0 {
		words += "; stops at " + strings.Join(p.Stops, ", ")
	}
	return words
}

func retries(p spec.Preset) string {
	switch {
	case p.Never && p.Redelivers > 0:
		return "never; by hand for " + hours(p.Redelivers)
	case p.Never:
		return "never"
	}
	return p.Hearsay.Retries
}

func horizon(p spec.Preset) string {
	if p.Never {
		return ""
	}
	return figure(p.Horizon, p.Hearsay.Horizon)
}

// figure is what is used, else in parentheses what is only said.
func figure(used time.Duration, said string) string {
	switch {
	case used > 0:
		return hours(used)
	case said != "":
		return "(" + said + ")"
	}
	return ""
}

func hours(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	if d%time.Minute == 0 {
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}
