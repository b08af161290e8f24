// Package check delivers payloads of real senders to generated receivers on
// SQLite and says what came of each. The test of package senders builds a
// program from it and the packages that it has generated; nothing else uses it.
package check
