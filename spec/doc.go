// Package spec reads a sender's OpenAPI document and the receiver's policy on
// top of it (`x-whgen`), and hands over one resolved, checked Contract or the
// Diagnostics that say why there is none.
//
// The way of a document through the package:
//
//	source.go, json.go   bytes -> yaml.Node tree that knows file, line, column
//	overlay.go           overlays are merged into that tree
//	entry.go             which operations carry x-whgen
//	cut.go               what those reach, written again as JSON, a token a line
//	document.go          that JSON through kin-openapi; origins point back to the user's files
//	check.go             x-whgen against the table in vocabulary.go
//	value.go, preset.go  preset, root, endpoint, entry and event merged
//	imported.go, import*.go   signatures that the document declares in other tools' extensions
//	the rest             merged values -> Contract, cross-field rules, lints
//
// Nothing here touches the file system: files come through a ReadFile.
package spec
