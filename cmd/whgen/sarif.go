package main

import (
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// The parts of SARIF 2.1.0 (OASIS) that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
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
		ID string `json:"id"`
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
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

func printSARIF(w io.Writer, found spec.Diagnostics) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "whgen", InformationURI: "https://github.com/whgen/whgen", Version: buildVersion(), Rules: []sarifRule{},
		}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	var ids []string
	for _, d := range found {
		ids = append(ids, d.Rule)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, id := range ids {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id})
	}
	for _, d := range found {
		run.Results = append(run.Results, sarifOf(d, slices.Index(ids, d.Rule)))
	}
	return encode(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func sarifOf(d spec.Diagnostic, rule int) sarifResult {
	text := d.Message
	if d.Hint != "" {
		text += "\nhint: " + d.Hint
	}
	at := sarifPhysical{Artifact: sarifArtifact{artifactURI(d.Pos.File)}}
	if d.Pos.Line > 0 {
		at.Region = &sarifRegion{StartLine: d.Pos.Line, StartColumn: d.Pos.Column}
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

// artifactURI is a file's name as a URI reference, absolute names as file: URIs.
func artifactURI(name string) string {
	u := url.URL{Path: name}
	if path.IsAbs(name) {
		u.Scheme = "file"
	} else if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ":") {
		u.Path = "./" + name
	}
	return u.String()
}
