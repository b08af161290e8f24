package main

import (
	"encoding/json"
	"io"

	"github.com/whgen/whgen/spec"
)

// finding is a diagnostic as `lint --format json` prints it: stable, members are
// only added.
type finding struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`   // from 1
	Column   int    `json:"column,omitempty"` // bytes, from 1
	Severity string `json:"severity"`         // error, warning, information
	Rule     string `json:"rule"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

// printJSON prints one array, [] without findings.
func printJSON(w io.Writer, found spec.Diagnostics) error {
	list := make([]finding, 0, len(found))
	for _, d := range found {
		list = append(list, finding{
			File: d.Pos.File, Line: d.Pos.Line, Column: d.Pos.Column,
			Severity: d.Severity.String(), Rule: d.Rule, Message: d.Message, Hint: d.Hint,
		})
	}
	return encode(w, list)
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
