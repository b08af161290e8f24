// Package explain says in words what a contract comes to once every level,
// default and preset is resolved: what identifies an event, what each outcome
// answers and what the sender makes of that, what the signature covers, what is
// stored and sent, and for how long.
//
//	report.go               the shape, stable: what --format json prints
//	new.go, event.go, ...   plan -> Report, one file a part
//	binding.go              what a verified signature proves about a request
//	diagram.go              the Mermaid sequence diagram
//	page.go, pages.go       Report -> headings, paragraphs, tables
//	text.go, markdown.go    those for terminals and for reviews
//
// The same plans give the same bytes: nothing here reads clock, environment or
// files, and nothing is listed in the order of a map.
package explain
