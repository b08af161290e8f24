package main

import (
	"cmp"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// The parts of SARIF 2.1.0 (OASIS, errata 01) that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool              `json:"tool"`
		BaseIDs    map[string]sarifBaseID `json:"originalUriBaseIds"`
		ColumnKind string                 `json:"columnKind"`
		Newlines   []string               `json:"newlineSequences"`
		Results    []sarifResult          `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Version        string      `json:"version,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Short   sarifText `json:"shortDescription"`
		Help    sarifText `json:"help"`
		HelpURI string    `json:"helpUri"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId,omitempty"`
	}
	sarifBaseID struct {
		Description sarifText `json:"description"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

const (
	homepage = "https://github.com/whgen/whgen"
	// sourceRoot is the customary name of the folder that relative URIs start
	// from. Its own URI stays out of the log: it differs by machine.
	sourceRoot = "%SRCROOT%"
)

func printSARIF(w io.Writer, found spec.Diagnostics) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "whgen", InformationURI: homepage, Version: buildVersion(), Rules: []sarifRule{},
		}},
		BaseIDs:    map[string]sarifBaseID{sourceRoot: {sarifText{"The folder in which whgen ran."}}},
		ColumnKind: "unicodeCodePoints",
		Newlines:   []string{"\r\n", "\n", "\r"},
		Results:    []sarifResult{},
	}
	var ids []string
	for _, d := range found {
		ids = append(ids, d.Rule)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, id := range ids {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, describeRule(id))
	}
	var at columns
	for _, d := range found {
		run.Results = append(run.Results, sarifOf(d, slices.Index(ids, d.Rule), &at))
	}
	return encode(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func describeRule(id string) sarifRule {
	text, page := cmp.Or(spec.Rules()[id], "The finding says what is wrong."), homepage+"/blob/main/docs/rules.md#"+id
	return sarifRule{ID: id, Short: sarifText{text}, Help: sarifText{text + " See " + page + " and docs/contract-reference.md."}, HelpURI: page}
}

func sarifOf(d spec.Diagnostic, rule int, columns *columns) sarifResult {
	text := d.Message
	if d.Hint != "" {
		text += "\nhint: " + d.Hint
	}
	at := sarifPhysical{Artifact: artifact(d.Pos.File)}
	if d.Pos.Line > 0 {
		at.Region = &sarifRegion{StartLine: d.Pos.Line, StartColumn: columns.codePoint(d.Pos)}
	}
	return sarifResult{
		RuleID: d.Rule, RuleIndex: rule, Level: sarifLevel(d.Severity),
		Message: sarifText{text}, Locations: []sarifLocation{{at}},
	}
}

func sarifLevel(s spec.Severity) string {
	switch s {
	case spec.Error:
		return "error"
	case spec.Warning:
		return "warning"
	}
	return "note"
}

// artifact names a file relative to the working directory, so that the log means
// the same on another machine. Files outside of it have absolute URIs: a
// relative one must not climb.
func artifact(name string) sarifArtifact {
	full, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return sarifArtifact{URI: (&url.URL{Path: name}).String()}
	}
	if here, err := os.Getwd(); err == nil {
		if inside, err := filepath.Rel(here, full); err == nil && filepath.IsLocal(inside) {
			return sarifArtifact{URI: relativeURI(filepath.ToSlash(inside)), BaseID: sourceRoot}
		}
	}
	return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(full), "/")}).String()}
}

// relativeURI escapes a path, and colons too: one in the first segment would make
// it a scheme.
func relativeURI(name string) string {
	return strings.ReplaceAll((&url.URL{Path: name}).EscapedPath(), ":", "%3A")
}
