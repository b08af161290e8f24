// Package initial proposes how to begin: a starter contract, or for a sender's
// document an overlay. It writes down what the document itself shows, says from
// where it knows, and leaves a marked question where a person must decide. It
// guesses nothing in silence.
//
//	starter.go    without a document
//	propose.go    survey of a document -> Proposal
//	sender.go     which preset, and by what evidence
//	entries.go    which operations, and their types on the wire
//	batch.go      whether a body holds several events
//	identity.go   where type and key may be
//	form.go       the same in forms
//	overlay.go, overlay_entries.go   the overlay's text, with its questions
//	writer.go     YAML line by line, questions and proposals
//	config.go     whgen.yaml
//
// A question is a run of lines that begin with "# ?"; the comment lines right
// below it are a proposal, valid once their "# " is taken away.
package initial
