// Package senders holds the receiver's side of documents that real senders
// publish: under testdata/senders, one folder a sender, a whgen.yaml and the
// overlays in our own words. The documents themselves are third parties' and
// are not here; the test takes them, and payloads, from the folder that
// WHGEN_CONTRACTS names.
package senders
