// Package mattn runs the conformance suite on github.com/mattn/go-sqlite3, which
// needs cgo: without it there is nothing here. It is a package of its own
// because this driver and ncruces' register under the same name.
package mattn
